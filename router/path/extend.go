package path

import (
	"math"

	"braid/router/flow"
	"braid/router/graph"
)

// extendBounds lets the bounds reach so many links, one after the other.
func (s *Search) extendBounds(reach int) {
	o := s.bounds
	for ; o.reach < reach; o.reach++ {
		k, seen := o.reach, len(o.seen)
		if o.lazy(k - 1) {
			s.extendHubs(k - 1)
		}
		s.noteBehind(k)
		copy(o.hub[k], o.hub[k-1])
		for _, t := range o.seen {
			o.other[t][k] = o.other[t][k-1]
		}
		s.throughOthers(k, o.seen[:seen])
	}
	o.max = [flow.MaxHops]float64{}
	for k := range o.reach {
		most := largest(o.hub[k])
		for _, t := range o.seen {
			most = max(most, o.other[t][k])
		}
		for _, e := range o.ends {
			most = max(most, e.pays)
		}
		o.max[k] = float64(most)
	}
	if k := o.reach - 1; o.lazy(k) {
		o.max[k] = max(o.max[k], float64(o.largest*largest(s.Graph.Core.MaxRatio[o.size])))
	}
}

// fromEnd offers what is paid at an end to the tokens before it.
func (s *Search) fromEnd(e end) {
	// If it is no hub, no token's links to hubs show those that lead there.
	if o := s.bounds; !s.Graph.IsHub(e.token) {
		s.Graph.Into(e.token, func(from int, a *graph.Link) { o.into = append(o.into, fromLink{from, a}) })
	}
	if e.token == s.Out && s.bounds.least > 0 {
		s.fromLast(e)
		return
	}
	brief, _, _ := s.Graph.Bounds(e.token, graph.MaxBack)
	s.offerBack(brief, 1, e.pays)
}

// noteBehind notes what lies behind the links of tokens that have k to go.
func (s *Search) noteBehind(k int) {
	o := s.bounds
	o.before, o.last = append(o.before[:0], o.hub[k-2]...), append(o.last[:0], o.hub[k-1]...)
	if rank := s.Graph.Core.Rank[s.Out]; rank >= 0 && o.least > 0 {
		o.before[rank], o.last[rank] = 0, 0
	}
	o.largest = largest(o.last)
}

// extendHubs gives hubs one link more to go, to hubs, or two by way of another token.
func (s *Search) extendHubs(k int) {
	o, core := s.bounds, s.Graph.Core
	for rank, pays := range o.hub[k] {
		o.hub[k][rank] = s.oneMore(rank, pays)
	}
	s.Budget.Used += (core.Links.Len() + core.Detours.Len()) / linksPerEvaluation
}

// oneMore is what a hub can become with one link more to go, or pays if that is more.
func (s *Search) oneMore(rank int, pays float32) float32 {
	o, core := s.bounds, s.Graph.Core
	if o.blocked[rank] || core.MaxRatio[o.size][rank]*o.largest <= pays {
		return pays
	}
	pays = maxOver(pays, core.Links.From(rank, o.size), o.last, o.largest)
	return maxOver(pays, core.Detours.From(rank, o.size), o.before, o.largest)
}

// maxOver is the best that links between hubs lead to, or best if that is more. None leads
// to more than most. Bits of floats that are not negative are in their order, so that the
// greater is chosen without a branch.
func maxOver(best float32, links []graph.HubLink, pays []float32, most float32) float32 {
	for len(links) > 0 && links[0].Ratio*most > best {
		n := min(len(links), batch)
		high := math.Float32bits(best)
		for _, r := range links[:n] {
			if b := math.Float32bits(r.Ratio * pays[r.To]); b > high {
				high = b
			}
		}
		best, links = math.Float32frombits(high), links[n:]
	}
	return best
}

// largest is the greatest of floats that are not negative.
func largest(all []float32) float32 {
	high := uint32(0)
	for _, p := range all {
		if b := math.Float32bits(p); b > high {
			high = b
		}
	}
	return math.Float32frombits(high)
}

// throughOthers gives one link more to go where either token is no hub; some were seen.
func (s *Search) throughOthers(k int, seen []int32) {
	o := s.bounds
	for _, t := range seen {
		if row := &o.other[t]; row[k-1] > row[k-2] {
			brief, _, _ := s.Graph.Bounds(int(t), graph.MaxBack)
			s.offerBack(brief, k, row[k-1])
		}
	}
	for _, rank := range s.Graph.Core.Gateways {
		if pays := o.hub[k-1][rank]; pays > o.hub[k-2][rank] {
			brief, hubs, _ := s.Graph.Bounds(int(s.Graph.Core.Tokens[rank]), graph.MaxBack)
			s.offerBack(brief[hubs:], k, pays)
		}
	}
}

// offerBack offers what a token can become to those before it.
func (s *Search) offerBack(brief []graph.LinkBound, k int, pays float32) {
	s.Budget.Used += len(brief) / linksPerEvaluation
	w := float32(graph.Sizes[s.bounds.size])
	for i := range brief {
		s.improve(int(brief[i].To), k, pays*brief[i].Back/(1+w*brief[i].BackImpact))
	}
}

// fromLast is offerBack from the last token, for paths that carry at least so much. Its
// links then count for that alone.
func (s *Search) fromLast(e end) {
	least := s.bounds.least
	s.Graph.Into(s.Out, func(from int, a *graph.Link) {
		if y, _ := a.Pay(least / s.Graph.Ref[from]); y > 0 && !s.Excluded[a.Source] {
			s.improve(from, 1, e.pays*float32(y*s.Graph.Ref[s.Out]/least))
		}
	})
}

func (s *Search) improve(t, k int, pays float32) {
	o := s.bounds
	if rank := s.Graph.Core.Rank[t]; rank >= 0 {
		if !o.blocked[rank] {
			o.hub[k][rank] = max(o.hub[k][rank], pays)
		}
		return
	}
	p := &o.other[t][k]
	if pays <= *p || s.endOf[t] > 0 || s.shut(t) {
		return
	}
	if *p == 0 {
		o.seen = append(o.seen, int32(t))
	}
	*p = pays
}
