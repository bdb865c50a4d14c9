package router

import (
	"braid/router/flow"
	"braid/router/path"
)

// A network leads one way between any two of its nodes, and through a pool one way only:
// what came first bars what would lead the other way. Where the barred path would gain,
// what bars it may have to leave.

// displace takes out what bars the best barred path, lets others join anew, and goes back
// if that pays less.
func (p *problem) displace(g *growing) {
	n := &p.net
	open := len(g.avoid.Directions)
	defer func() { g.avoid.Directions = g.avoid.Directions[:open] }()
	for range displacements {
		barred := g.barred
		if !(barred.Gain > path.LeastBarred(n)) || barred.Gain < clearGain*profitOf(n, barred.Path) || p.budget.Spent() {
			return
		}
		g.barred.Gain = 0
		before := n.Net()
		n.Compact()
		n.Keep(&p.displaced)
		chunk, ok := p.putInPlace(g, barred.Path)
		if !ok || n.Net()+barred.Gain*joiningGain < before {
			n.Revert(&p.displaced)
			return
		}
		p.growth(g, path.Growth{Chunk: chunk, Long: true})
		n.Choose()
		if net, _ := n.Prune(p.MaxSteps); net < before || n.InUse() > p.MaxSteps {
			n.Revert(&p.displaced)
			return
		}
	}
}

// putInPlace puts a path in the place of what bars it, and gives the chunk for which
// others are to join.
func (p *problem) putInPlace(g *growing, hops []flow.Hop) (chunk float64, ok bool) {
	n := &p.net
	for i := range n.Edges {
		if e := &n.Edges[i]; bars(n, e, hops) {
			e.Off = true
			g.avoid.Directions = append(g.avoid.Directions, e.Direction)
		}
	}
	n.Trim()
	if n.InUse() == 0 {
		return path.WholeChunk, p.restart(g)
	}
	n.Compact()
	chunk = path.WholeChunk
	if n.NodeOf(hops[0].From) >= 0 && n.NodeOf(hops[len(hops)-1].To) >= 0 && n.Insert(hops) {
		chunk = path.FirstChunk
	}
	n.Solve(flow.Rough)
	return chunk, true
}

// restart begins the network anew without what is to be avoided.
func (p *problem) restart(g *growing) bool {
	n := &p.net
	limit := n.MaxEdges
	p.resetNetwork()
	hops, signs := p.Best(n.Amount, g.avoid)
	if g.signs = g.signs.Or(signs); hops != nil {
		n.Insert(hops)
		n.Solve(flow.Rough)
	}
	n.MaxEdges = limit
	return hops != nil
}

// bars says whether an edge bars a path: it uses one of its pools, or leads from its end
// to its beginning.
func bars(n *flow.Network, e *flow.Edge, hops []flow.Hop) bool {
	for i := range hops {
		if hops[i].Pool == e.Pool {
			return true
		}
	}
	first, last := n.NodeOf(hops[0].From), n.NodeOf(hops[len(hops)-1].To)
	return first >= 0 && last >= 0 && (e.From == last || n.Leads(last, e.From)) && (e.To == first || n.Leads(e.To, first))
}

// profitOf is about what the edges that bar a path earn.
func profitOf(n *flow.Network, hops []flow.Hop) (sum float64) {
	for i := range n.Edges {
		if e := &n.Edges[i]; !e.Off && bars(n, e, hops) {
			sum += e.Profit
		}
	}
	return sum
}
