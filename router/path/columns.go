package path

import (
	"cmp"
	"slices"

	"braid/router/flow"
	"braid/router/graph"
)

// Column is a path that may join a network: from one of its nodes to another, or to the
// last token, and what it would gain.
type Column struct {
	gain  float64
	out   float64 // of it alone
	gas   float64
	link  *graph.Link // the last
	token int32       // which it leaves, with the label that led there
	hops  int
	slot  int8
}

// Barred is the best path that cannot join a network, because it would close a cycle or
// use a pool the other way.
type Barred struct {
	Gain float64
	Path []flow.Hop
}

// LeastBarred is what a barred path must gain to be noted.
func LeastBarred(n *flow.Network) float64 { return barredGain * n.Amount * n.Nodes[flow.Source].Price }

// look is for which paths to look between the nodes of a network.
type look struct {
	chunk     float64 // what each path carries, in units of the last token
	long      bool    // of all hops, whatever the network
	fromFirst bool    // only from the first token
	skip      []int   // tokens that paths do not begin at
	avoid     Avoid
}

// price finds paths from the nodes of a network to others that pay more for a chunk than
// the network does at its own prices; the best first. It also gives what the look came
// across, and the tokens from which paths lead back with a gain.
func (s *Search) price(n *flow.Network, l look, barred *Barred) ([]Column, Signs, []int) {
	s.forget()
	s.columns = s.columns[:0]
	ref := s.Graph.Ref[s.Out]
	for i := range n.Nodes {
		t, v := n.Nodes[i].Token, n.Nodes[i].Price
		if i == flow.Source || !(v > 0) {
			s.toNodes.end(t, 0)
		} else {
			s.toNodes.end(t, v*ref/s.Graph.Ref[t])
		}
		if v > 0 && (i == flow.Source || i != flow.Sink && !l.fromFirst && !slices.Contains(l.skip, t)) {
			*s.layers[0].at(t) = labelSet{{amount: l.chunk / v, origin: int32(i), from: -1, before: -1}}
		}
	}
	w := sweep{Search: s, net: n, chunk: l.chunk, need: l.chunk * ref, least: joinGain * n.Value() * ref, reach: s.MaxHops, avoid: l.avoid, stepPrice: n.StepPrice, barred: barred}
	if len(n.Nodes) > SmallNetwork && !l.long {
		w.reach = min(s.MaxHops, nearHops)
	}
	if n.StepPrice > 0 && n.MaxEdges > ManySteps {
		w.reach = min(w.reach, fewHops)
	}
	s.use(&s.toNodes, made{w.reach, sizeOf(w.need), s.leastIfImpact(w.need)})
	w.run()
	slices.SortStableFunc(s.columns, func(a, b Column) int { return cmp.Compare(b.gain, a.gain) })
	return s.columns, w.signs, w.cycles
}

// trace is the path of a column.
func (s *Search) trace(c *Column) []flow.Hop {
	path := make([]flow.Hop, c.hops)
	link, t, slot := c.link, c.token, c.slot
	for k := c.hops - 1; ; k-- {
		l := &s.layers[k].labels[s.layers[k].slot[t]-1][slot]
		path[k] = flow.Hop{Direction: DirectionOf(link), From: int(t), To: int(link.To), Supply: link.Supply, Amount: l.amount}
		if k == 0 {
			return path
		}
		link, t, slot = l.link, l.from, l.slot
	}
}
