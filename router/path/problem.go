// Package path finds paths through the market that pay most: labels hop by hop, cut by upper bounds, and the growth of a network by paths that join it.
//
// A label is a way to have an amount of a token. Upper bounds say for every token how much
// a unit of value there can become at the end of a path; labels that cannot reach what is
// needed are cut. One search serves single paths, from the first token to the last, and
// paths between the nodes of a network at its dual prices, which is the pricing step of
// column generation.
package path

import (
	"math"
	"sync"

	"braid/market"
	"braid/router/flow"
	"braid/router/graph"
	"braid/venue"
)

// Problem is between which tokens paths are looked for, and through what.
type Problem struct {
	Snapshot *market.Snapshot
	Graph    *graph.Graph
	Pools    []venue.Pool
	In, Out  int // tokens
	MaxHops  int
	MaxSteps int     // of the plan
	Excluded []bool  // by source, and then by source of pools out of line
	InLine   bool    // pools out of line are left out
	Shut     []bool  // by token: may not be in mid-route; nil if all may
	GasPrice float64 // of a unit of gas, in raw units of the last token; 0 if unknown
}

// Limits are what an order asks of its paths.
type Limits struct {
	MaxHops, MaxSteps int
	Exclude           map[string]bool // ids of sources
	VerifiedHops      bool            // no unverified tokens in mid-route
	InLine            bool            // no pools that contradict the prices of their tokens
}

// Search is a problem and the memory in which it is searched. What it returns is valid
// until the next call. The memory carries nothing from one call to the next but upper
// bounds, which are a function of what they are made for.
type Search struct {
	Problem
	Budget *flow.Budget

	layers  []layer
	endOf   []int32 // by token: index+1 among the ends of the bounds in use, or 0
	ends    []end   // the same ends
	bounds  *bounds // in use
	toLast  bounds  // to the last token
	toNodes bounds  // to the nodes of a network
	columns []Column
}

// Signs are what a search came across.
type Signs struct {
	TooSmall, TooLarge bool // pools refused an amount for that
	OutOfLine          bool // a pool that contradicts the prices of its tokens would be used
	Tangled            bool // paths were barred by the network, or led back to where they began with a gain
}

// Or is what either came across.
func (s Signs) Or(t Signs) Signs {
	return Signs{s.TooSmall || t.TooSmall, s.TooLarge || t.TooLarge, s.OutOfLine || t.OutOfLine, s.Tangled || t.Tangled}
}

// then is what was come across by the last of several searches for one thing: it alone
// tells which amounts pools refuse.
func (s Signs) then(last Signs) Signs {
	last.OutOfLine, last.Tangled = last.OutOfLine || s.OutOfLine, last.Tangled || s.Tangled
	return last
}

var searches = sync.Pool{New: func() any { return new(Search) }}

// NewSearch begins a search between two different tokens.
func NewSearch(snapshot *market.Snapshot, in, out int, l Limits, b *flow.Budget) *Search {
	s := searches.Get().(*Search)
	g := graph.Of(snapshot)
	s.Problem = Problem{
		Snapshot: snapshot, Graph: g, Pools: snapshot.Pools(), In: in, Out: out,
		MaxHops: min(l.MaxHops, l.MaxSteps, flow.MaxHops), MaxSteps: l.MaxSteps, InLine: l.InLine, Excluded: s.Excluded[:0],
	}
	for _, row := range g.Sources {
		s.Excluded = append(s.Excluded, l.Exclude[row.ID])
	}
	for _, excluded := range s.Excluded {
		s.Excluded = append(s.Excluded, excluded || l.InLine)
	}
	if l.VerifiedHops {
		s.Shut = g.Unlisted
	}
	s.GasPrice = s.GasIn(out)
	s.Budget = b
	for len(s.layers) <= s.MaxHops {
		s.layers = append(s.layers, layer{})
	}
	tokens := len(snapshot.Tokens())
	for k := range s.layers {
		s.layers[k].slot = flow.Grown(s.layers[k].slot, tokens)
	}
	s.endOf = flow.Grown(s.endOf, tokens)
	s.toLast.other, s.toNodes.other = flow.Grown(s.toLast.other, tokens), flow.Grown(s.toNodes.other, tokens)
	return s
}

// Release gives the memory back.
func (s *Search) Release() {
	s.forget()
	s.setEnds(nil)
	s.toLast.forget()
	s.toNodes.forget()
	clear(s.columns)
	s.Problem, s.Budget = Problem{Excluded: s.Excluded}, nil
	searches.Put(s)
}

// GasIn is the cost of a unit of gas in a token; 0 if unknown.
func (p *Problem) GasIn(token int) float64 {
	if p.InLine {
		return p.Snapshot.GasInLine(token)
	}
	return p.Snapshot.GasIn(token)
}

// outOfLine says whether the pool of a link contradicts the prices of its tokens.
func (p *Problem) outOfLine(a *graph.Link) bool { return int(a.Source) >= len(p.Graph.Sources) }

// shut says whether paths may not lead through a token.
func (p *Problem) shut(t int) bool { return p.Shut != nil && p.Shut[t] }

// Usable says whether a plan may use a token.
func (p *Problem) Usable(t int) bool { return !p.shut(t) || t == p.In || t == p.Out }

// Between shows the links from one token to another that a plan may use.
func (p *Problem) Between(from, to int, show func(*graph.Link)) {
	g := p.Graph
	if !g.IsHub(to) {
		g.Into(to, func(t int, a *graph.Link) {
			if t == from && !p.Excluded[a.Source] {
				show(a)
			}
		})
		return
	}
	brief, hubs, start := g.Bounds(from, math.MaxInt)
	for i := range brief[:hubs] {
		if a := &g.Links[start+i]; int(brief[i].To) == to && !p.Excluded[a.Source] {
			show(a)
		}
	}
}

// Joined says whether any path leads from the first token to the last.
func (s *Search) Joined() bool {
	s.forget()
	s.layers[0].at(s.In)
	for k := range s.MaxHops {
		for _, t := range s.layers[k].tokens {
			links := s.Graph.All(int(t))
			for i := range links {
				to := int(links[i].To)
				if s.Excluded[links[i].Source] {
					continue
				}
				if to == s.Out {
					return true
				}
				if !s.shut(to) {
					s.layers[k+1].at(to)
				}
			}
		}
	}
	return false
}
