package router

import (
	"math"

	"braid/router/choose"
	"braid/router/flow"
	"braid/router/path"
)

// fewSteps chooses anew among all links that may be among the best few, where the steps
// bind or the links are few.
func (p *problem) few(g *growing) {
	links := p.candidates(g)
	if p.MaxSteps > choosable || links == nil {
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
		Links: links, Known: known, Net: before, Price: price, MaxHops: p.MaxHops, K: p.MaxSteps, Effort: chooseEffort,
	})
	if !found {
		n.Revert(&p.pruned)
		return
	}
	if net, _ := n.Prune(p.MaxSteps); net < before {
		n.Revert(&p.pruned)
	}
}

// candidates are the links to choose from.
func (p *problem) candidates(g *growing) (links []flow.Hop) {
	if len(p.Graph.Links) > choose.MaxLinks {
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
