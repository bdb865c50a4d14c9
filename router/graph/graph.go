// Package graph is the market as a search of paths wants it: links by falling ratio, reference prices, and the links between hubs.
//
// It is a function of the snapshot, made with it and kept inside it; what follows from a
// pool alone is taken from the graph of an older snapshot that had the same pool. It is
// made in passes over flat arrays, from the directions of pools to the links of tokens: one
// price can move every reference price, so that no token's links are sure to stay.
package graph

import (
	"braid/market"
	"braid/venue"
)

// Graph has every direction of every pool that takes anything, with its supply. The ratio
// of a link is what is left of a unit of value behind it, for the first unit.
type Graph struct {
	Links    []Link
	Ref      []float64 // reference price of a raw unit of each token, to compare; never 0
	Sources  []*venue.Source
	Unlisted []bool // by token: not on the token list
	Core     *Core

	market *market.Graph
	bounds []LinkBound // as Links
	spans  []span      // by token
	kinds  []uint8     // by token, of links that lead to it
	link   []int32     // by direction: index+1 into Links; 0 if it is shut
	rates  []rate      // by direction
}

// Link leads through a pool to a token. Its Source is more by the number of Sources if the
// pool contradicts the prices of its tokens.
type Link struct {
	market.Direction
	Ratio  float64
	Onward float64 // ratio of this link and the best one to follow
}

// LinkBound is what a look at a link needs in most cases. Its ratio is that of Onward. A
// value of w is no more than Ratio*w/(1+Impact*w) behind it, up to MaxImpactValue.
type LinkBound struct {
	To, Rank         int32 // Rank is that in the core, or -1
	Ratio, Impact    float32
	Back, BackImpact float32 // of the link the other way
}

func init() {
	market.Derive(func(m *market.Graph, old any, from []int32) any { return newGraph(m, old, from) })
}

// Of is the graph of a snapshot.
func Of(s *market.Snapshot) *Graph { return s.Graph().Derived().(*Graph) }

// ToHubs are the links out of a token to hubs, the highest ratio first.
func (g *Graph) ToHubs(token int) []Link { s := g.spans[token]; return g.Links[s.start:s.others] }

// ToOthers are the links to tokens that are no hubs but lead on, the highest Onward first.
func (g *Graph) ToOthers(token int) []Link { s := g.spans[token]; return g.Links[s.others:s.ends] }

// Bounds are those of ToHubs and ToOthers, how many are of ToHubs, and where in Links they
// begin; of a token with more than limit in ToOthers those of ToHubs alone.
func (g *Graph) Bounds(token, limit int) (bounds []LinkBound, hubs, start int) {
	s := g.spans[token]
	end := s.ends
	if int(end-s.others) > limit {
		end = s.others
	}
	return g.bounds[s.start:end], int(s.others - s.start), int(s.start)
}

// IsHub says whether a token is a hub: if so, ToHubs has the links that lead to it.
func (g *Graph) IsHub(token int) bool { return g.kinds[token] == hub }

// All are the links out of a token, also those to dead ends.
func (g *Graph) All(token int) []Link { s := g.spans[token]; return g.Links[s.start:s.end] }

// Into are the links that lead to a token, with the tokens they leave.
func (g *Graph) Into(token int, do func(from int, l *Link)) {
	directions, first := g.market.Out(token)
	for i := range directions {
		if l := g.link[g.market.Back(first+i)]; l > 0 {
			do(int(directions[i].To), &g.Links[l-1])
		}
	}
}

// newGraph is the graph of a market; from tells by direction which of the older graph's it
// is, or -1.
func newGraph(m *market.Graph, older any, from []int32) *Graph {
	tokens := m.Tokens()
	n := len(tokens)
	g := &Graph{market: m, Sources: m.Sources, Unlisted: make([]bool, n), kinds: make([]uint8, n), spans: make([]span, n)}
	old, ok := older.(*Graph)
	if !ok { // the older one was made without this package
		old = &Graph{}
		for d := range from {
			from[d] = -1
		}
	}
	g.takeOver(old, from)
	g.Ref = m.ReferencePrices()
	g.priceRest()
	scales := g.settle()
	exits := g.sortTokens()
	g.Core = g.newCore()
	g.sortLinks(exits, scales, old, from)
	g.joinHubs()
	for t := range tokens {
		g.Unlisted[t] = !tokens[t].Verified
	}
	return g
}

// takeOver has the rates of directions that were in the older graph.
func (g *Graph) takeOver(old *Graph, from []int32) {
	g.rates, g.link = make([]rate, len(from)), make([]int32, len(from))
	for d, was := range from {
		if was >= 0 {
			g.rates[d] = old.rates[was]
		} else {
			g.rates[d] = rate{to: g.market.Direction(d).To, asked: never, backSpot: g.market.Direction(g.market.Back(d)).Spot}
		}
	}
}
