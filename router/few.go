package router

import (
	"math"
	"slices"

	"braid/router/choose"
	"braid/router/flow"
	"braid/router/path"
)

// few chooses anew among all links that may be among the best, where the steps are few.
func (p *problem) few(g *growing) {
	links := p.candidates(g)
	if len(links) == 0 {
		return
	}
	n := &p.net
	n.Compact()
	n.Keep(&p.pruned)
	before := n.Net()
	if n.InUse() > p.MaxSteps {
		before = -math.MaxFloat64 // one path is left, and it is too long
	}
	known := make([]flow.Direction, len(n.Edges))
	for i := range n.Edges {
		known[i] = n.Edges[i].Direction
	}
	price := func(token int) float64 {
		if at := n.NodeOf(token); at >= 0 && n.Nodes[at].Price > 0 {
			return n.Nodes[at].Price
		}
		return p.Graph.Ref[token] / p.Graph.Ref[p.Out]
	}
	found := choose.Best(n, len(p.Snapshot.Tokens()), len(p.Pools), choose.Problem{
		Links: links, Known: known, Net: before, Price: price, MaxHops: p.MaxHops, K: min(p.MaxSteps, len(p.Pools)), Exact: p.small(),
	})
	if !found {
		n.Revert(&p.pruned)
		return
	}
	if net, _ := n.Prune(p.MaxSteps); net < before {
		n.Revert(&p.pruned)
	}
}

// collect notes the links of a network, for few to choose from.
func (p *problem) collect(g *growing) {
	n := &p.net
	if p.MaxSteps > choosable || p.small() {
		return
	}
	for i := range n.Edges {
		e := &n.Edges[i]
		if len(g.links) < choose.MaxLinks && !slices.ContainsFunc(g.links, func(h flow.Hop) bool { return h.Direction == e.Direction }) {
			g.links = append(g.links, flow.Hop{Direction: e.Direction, From: n.Nodes[e.From].Token, To: n.Nodes[e.To].Token, Supply: e.Supply})
		}
	}
}

// small says whether all links of the market are candidates.
func (p *problem) small() bool { return len(p.Graph.Links) <= smallMarket }

// candidates are the links to choose from: all of a small market, or those that were ever
// in the network where the steps bind.
func (p *problem) candidates(g *growing) (links []flow.Hop) {
	switch {
	case !p.small() && g.full:
		return g.links
	case !p.small():
		return nil
	}
	for from := range p.Snapshot.Tokens() {
		all := p.Graph.All(from)
		for k := range all {
			a := &all[k]
			if from != p.Out && int(a.To) != p.In && !p.Excluded[a.Source] && p.Usable(from) && p.Usable(int(a.To)) {
				links = append(links, flow.Hop{Direction: path.DirectionOf(a), From: from, To: int(a.To), Supply: a.Supply})
			}
		}
	}
	return links
}
