package path

import (
	"math"
	"slices"

	"braid/router/flow"
	"braid/router/graph"
)

// bounds say for each token how much a unit of value there can become at the end of a
// path, with a given number of links to go. No path pays more: ratios are those of the
// first unit, or of a size that the path surely carries. Tokens that are no hubs beside a
// token with very many links may be missing: see ofToken. Of hubs the last of several
// links to go is left until it is asked for, as few are.
type bounds struct {
	hub     [flow.MaxHops][]float32 // of hubs, by links to go and rank; of an end always what it pays
	other   [][flow.MaxHops]float32 // of others, by token
	blocked []bool                  // by rank: no path leads through it
	seen    []int32                 // tokens that are no hubs of which anything is known
	max     [flow.MaxHops]float64   // over all tokens
	ends    []end
	next    []end      // of the bounds to be made
	made               // for what they were made
	into    []fromLink // links to ends that are no hubs

	before, last []float32 // by rank: what lies behind two links and one, if all are to go
	largest      float32   // of both
}

// end is a token where paths end, at so much per unit of value; if that is 0, none may
// lead through it either.
type end struct {
	token int
	pays  float32
}

// made is what bounds are made for.
type made struct {
	reach int     // links of a path
	size  int     // of graph.Sizes, that all links see
	least float64 // value that the last links see; if not 0, those into the last token are taken at what they pay for it
}

// fromLink is a link with the token it leaves.
type fromLink struct {
	from int
	link *graph.Link
}

// sizeOf is the size, of graph.Sizes, that all links of a path surely see which ends with
// so much value.
func sizeOf(value float64) (size int) {
	for size+1 < len(graph.Sizes) && graph.Sizes[size+1]*endRatio <= value {
		size++
	}
	return size
}

func (o *bounds) forget() {
	for _, t := range o.seen {
		o.other[t] = [flow.MaxHops]float32{}
	}
	for _, e := range o.ends {
		o.other[e.token] = [flow.MaxHops]float32{}
	}
	clear(o.into)
	o.seen, o.ends, o.into = o.seen[:0], o.ends[:0], o.into[:0]
}

// end makes a token an end of the bounds to be made.
func (o *bounds) end(token int, pays float64) { o.next = append(o.next, end{token, float32(pays)}) }

// use makes bounds to their next ends, unless those at hand serve.
func (s *Search) use(o *bounds, m made) {
	s.bounds = o
	s.setEnds(o.next)
	if !o.serve(m) {
		o.forget()
		o.made, o.ends = m, append(o.ends, o.next...)
		s.firstLinks()
		s.extendBounds(m.reach)
	} else if o.reach < m.reach {
		s.extendBounds(m.reach)
	}
	o.next = o.next[:0]
}

// setEnds marks the ends of paths.
func (s *Search) setEnds(ends []end) {
	for _, e := range s.ends {
		s.endOf[e.token] = 0
	}
	s.ends = append(s.ends[:0], ends...)
	for i, e := range s.ends {
		s.endOf[e.token] = int32(i + 1)
	}
}

// serve says whether the bounds are right for this, as far as they reach.
func (o *bounds) serve(m made) bool {
	return o.size == m.size && o.least <= m.least && o.least >= reuse*m.least && slices.Equal(o.ends, o.next)
}

// firstLinks makes the bounds with one link to go.
func (s *Search) firstLinks() {
	o, core := s.bounds, s.Graph.Core
	o.blocked = flow.Grown(o.blocked, len(core.Tokens))
	clear(o.blocked)
	for k := range o.hub {
		o.hub[k] = flow.Grown(o.hub[k], len(core.Tokens))
	}
	clear(o.hub[0])
	clear(o.hub[1])
	if s.Shut != nil {
		for rank, t := range core.Tokens {
			o.blocked[rank] = s.Shut[t]
		}
	}
	for _, e := range o.ends {
		if rank := core.Rank[e.token]; rank >= 0 {
			o.blocked[rank] = true
			o.hub[0][rank], o.hub[1][rank] = e.pays, e.pays
			continue
		}
		for k := range o.other[e.token] {
			o.other[e.token][k] = e.pays
		}
	}
	for _, e := range o.ends {
		if e.pays > 0 {
			s.fromEnd(e)
		}
	}
	o.reach = 2
}

// ofHub is the bound of a hub; less if that is not enough.
func (s *Search) ofHub(rank int32, left int, enough float64) float64 {
	o := s.bounds
	bound := o.hub[left][rank]
	if float64(bound) >= enough && bound > 0 || !o.lazy(left) || o.blocked[rank] || enough > o.max[left] {
		return float64(bound)
	}
	return float64(s.oneMore(int(rank), max(bound, float32(enough*(1-slack)))))
}

// lazy says whether hubs are not yet looked at with so many links to go.
func (o *bounds) lazy(left int) bool { return left > 1 && left == o.reach-1 }

// ofToken is the bound of a token that is no hub, by its few links.
func (s *Search) ofToken(t, left int) (best float64) {
	o, links := s.bounds, s.Graph.All(t)
	brief, hubs, _ := s.Graph.Bounds(t, math.MaxInt)
	for i := range brief[:hubs] {
		best = max(best, float64(brief[i].Ratio*o.hub[left-1][brief[i].Rank]))
	}
	for i := hubs; i < len(links); i++ {
		best = max(best, links[i].Ratio*float64(o.other[links[i].To][left-1]))
	}
	return best
}
