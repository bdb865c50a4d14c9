package bound

import (
	"math"

	"braid/router/flow"
	"braid/router/graph"
	"braid/router/path"
	"braid/u256"
)

// Steps is Any for plans of up to K steps. If every step pays a step price lambda, of any
// height, none of those plans pays more than
//
//	amount*v[first] + K*lambda + sum over pools of max(0, profit - lambda)
//
// This alone lets deep pools be used in part, for a part of the step price. But a plan
// sells what it buys: a step into a token can pay for one that leaves it, and one that
// leaves it for one that leads there. So a link price is lambda, more by what is paid for
// others, less by what all those pay that may need such a step. The link prices of a plan
// are no more than lambda a step, and the sum stays convex in them.
func Steps(s *path.Search, n *flow.Network, amount u256.Int) (u256.Int, bool) {
	b, ok := newCertificate(s, n, amount)
	if !ok {
		return u256.Zero, false
	}
	if b.tooMany() {
		b.ration()
	}
	return b.bound(), true
}

// linkPrices are what edges pay for each other, as parts of the step price.
type linkPrices struct {
	onward, back   []float64 // by edge: for one that goes on, for one that leads there
	outOf, into    []float64 // by node: the sums of that, from which its edges have less to pay
	leaves, enters []float64 // by node: the weights of the edges in use
	weight         []float64 // by edge: how far it is in use
}

// tooMany begins a step price if more edges leave something than there may be steps.
func (b *certificate) tooMany() bool {
	n := b.net
	n.MaxEdges, n.GasPrice = b.MaxSteps, 0
	profitable := 0
	for i := range n.Edges {
		if n.Edges[i].Profit > 0 {
			profitable++
		}
	}
	if profitable <= n.MaxEdges {
		return false
	}
	n.StepPrice = n.FirstStepPrice()
	return true
}

// ration finds prices, step price and link prices that make the sum less than it is
// without.
func (b *certificate) ration() {
	free := b.best
	b.best, b.net.Smoothing = math.Inf(1), wide*b.net.StepPrice
	b.look()
	b.refine()
	for {
		b.shareStepPrice()
		b.look()
		b.links = linkPrices{}
		if b.effort >= maxEffort || !b.widen() {
			break
		}
	}
	b.best = min(b.best, free)
}

// shareStepPrice finds the link prices: down the slope of the sum by longer and longer
// moves, until one goes too far.
func (b *certificate) shareStepPrice() {
	n, f := b.net, &b.links
	for _, a := range []*[]float64{&f.onward, &f.back, &f.weight} {
		*a = make([]float64, len(n.Edges))
	}
	for _, a := range []*[]float64{&f.outOf, &f.into, &f.leaves, &f.enters} {
		*a = make([]float64, len(n.Nodes))
	}
	best, stepPrice := math.Inf(1), n.StepPrice
	var onward, back []float64
	revert := func() {
		n.StepPrice, n.Smoothing = stepPrice, narrow*stepPrice
		n.Restore()
		copy(f.onward, onward)
		copy(f.back, back)
	}
	for round, move := 0, firstMove; round < linkRounds && move > lastMove && b.effort < maxEffort; round++ {
		n.Smoothing = narrow * n.StepPrice
		b.solve(flow.Coarse)
		if sum := n.Evaluate(); sum < best {
			best, stepPrice = sum, n.StepPrice
			n.Save()
			onward, back = append(onward[:0], f.onward...), append(back[:0], f.back...)
			move *= longer
		} else {
			revert()
			move /= shorter
		}
		b.moveLinkPrices(move)
		b.setLinkPrices()
	}
	revert()
	b.setLinkPrices()
	n.Smoothing = sharp * n.StepPrice
	b.solve(flow.Coarse)
}

// moveLinkPrices lets edges pay more for others that are in use less than themselves, and
// less for those that are in use more.
func (b *certificate) moveLinkPrices(move float64) {
	n, f := b.net, &b.links
	clear(f.leaves)
	clear(f.enters)
	for i := range n.Edges {
		e := &n.Edges[i]
		_, f.weight[i] = n.Charge(e)
		f.leaves[e.From] += f.weight[i]
		f.enters[e.To] += f.weight[i]
	}
	for i := range n.Edges {
		e := &n.Edges[i]
		if e.To > flow.Sink {
			f.onward[i] = max(0, f.onward[i]+move*(f.weight[i]-f.leaves[e.To]))
		}
		if e.From > flow.Sink {
			f.back[i] = max(0, f.back[i]+move*(f.weight[i]-f.enters[e.From]))
		}
	}
}

// setLinkPrices sets the link prices of all edges. For one edge no more is paid than a
// step price.
func (b *certificate) setLinkPrices() {
	n, f := b.net, &b.links
	clear(f.outOf)
	clear(f.into)
	for i := range n.Edges {
		e := &n.Edges[i]
		f.outOf[e.To] += f.onward[i]
		f.into[e.From] += f.back[i]
	}
	for i := range n.Edges {
		e := &n.Edges[i]
		f.onward[i] /= max(1, f.outOf[e.To])
		f.back[i] /= max(1, f.into[e.From])
	}
	for t := range n.Nodes {
		f.outOf[t], f.into[t] = min(1, f.outOf[t]), min(1, f.into[t])
	}
	for i := range n.Edges {
		e := &n.Edges[i]
		e.LinkPrice = f.onward[i] + f.back[i] - f.outOf[e.From] - f.into[e.To]
	}
}

// linkPrice is what a link pays that is no edge.
func (b *certificate) linkPrice(a *graph.Link, from int) float64 {
	part := 1.
	if i := b.net.NodeOf(from); i >= 0 && len(b.links.outOf) > 0 {
		part -= b.links.outOf[i]
	}
	if i := b.net.NodeOf(int(a.To)); i >= 0 && len(b.links.into) > 0 {
		part -= b.links.into[i]
	}
	return part * b.net.StepPrice
}
