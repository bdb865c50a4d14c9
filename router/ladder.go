package router

import (
	"braid/router/flow"
	"braid/router/path"
)

// ladder is for an order that is too large for its best path: at the price of the last
// unit nothing of it is worth anything, every path seems to gain, and prices are too far
// from any balance to be found. The network begins with a part of the order that leaves
// half of the path's price, and grows while the part is doubled.
func (p *problem) ladder(g *growing) {
	n := &p.net
	amount := n.Amount
	part := partOf(n)
	if part == 1 {
		return
	}
	hops, signs := p.Best(part*amount, g.avoid)
	g.signs = g.signs.Or(signs)
	if hops == nil {
		return
	}
	limit := n.MaxEdges
	p.resetNetwork()
	n.MaxEdges = limit
	for n.Begin(part*amount, hops); n.Amount < amount; n.Share() {
		p.growth(g, path.Growth{Chunk: path.FirstChunk, Rounds: looks})
		n.Amount = min(2*n.Amount, amount)
	}
}

// partOf is the part of the order, a power of 1/2, for which the path of a network pays
// enough of its first price for the last unit.
func partOf(n *flow.Network) float64 {
	for part := 1.; part > leastPart; part /= 2 {
		x, rest := part*n.Amount, 1.
		for i := range n.Edges {
			e := &n.Edges[i]
			y, price, _ := e.Supply.Pay(x)
			rest *= price / e.Supply.Spot()
			x = y
		}
		if rest >= leastRest {
			return part
		}
	}
	return leastPart
}
