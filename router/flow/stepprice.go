package flow

import (
	"cmp"
	"slices"
)

// Where there are more edges than K, each pays a step price lambda: as much as leaves
// about K that earn it. With
//
//	K*lambda + sum over edges of max(0, profit - lambda - gas)
//
// in place of the profits, what Minimise makes least is still convex, and bounds every
// plan of K steps. The prices at its minimum tell which edges are worth a step, whatever
// the others do; those of a network that uses all edges do not. The corner of max is
// rounded off within Smoothing of it.

// rationing is how Settle came to the network at hand.
type rationing struct {
	output    float64    // of the last network without a step price
	before    float64    // output when the step price began; 0 if it did not
	abandoned bool       // a step price was tried, and no prices could be found with it
	start     Checkpoint // when the step price began
	last      Checkpoint // when prices were last found with it
}

func (r *rationing) reset() { r.output, r.before, r.abandoned = 0, 0, false }

// Unrationed is the output when the step price began; 0 if it did not.
func (n *Network) Unrationed() float64 { return n.before }

// RevertToUnrationed goes back to the network before the step price began.
func (n *Network) RevertToUnrationed() { n.Revert(&n.start) }

// Ration begins a step price, unless none can be found.
func (n *Network) Ration(stepPrice float64) {
	if !n.abandoned {
		n.StepPrice = stepPrice
	}
	n.Keep(&n.last)
}

// Settle shares anew after edges have joined. From when they are many more than K there is
// a step price, and edges that earn nothing leave. Where very deep pools make its corners
// too sharp to find prices, there is none.
func (n *Network) Settle() {
	if n.abandoned || n.StepPrice == 0 && (n.MaxEdges == 0 || n.InUse() <= n.keepable()) {
		n.sort()
		n.resolve()
		n.dropIdle()
		return
	}
	if n.StepPrice == 0 {
		n.before = n.output
		n.Keep(&n.start)
		n.Keep(&n.last)
		n.Evaluate()
		n.StepPrice = n.FirstStepPrice()
	}
	n.StepPrice = max(n.StepPrice, n.leastStepPrice())
	n.Smoothing = wideSmoothing * n.StepPrice
	if !n.Minimise(Coarse) {
		n.Revert(&n.last)
		n.abandoned, n.StepPrice = true, 0
		n.output = n.Solve(Rough)
		n.dropIdle()
		return
	}
	for i := range n.Edges {
		e := &n.Edges[i]
		e.Off = e.Off || e.Profit <= n.GasPrice*e.Gas
	}
	n.count()
	n.Compact()
	n.Keep(&n.last)
}

// resolve solves after edges have joined, which can only pay more. Where it pays less, or
// no more and ends far from any prices, a deep pool or order book between tokens whose
// prices were apart has led them astray: it would trade many times the order. They are
// found again with edges that carry less.
func (n *Network) resolve() {
	before := n.output
	n.savePrices()
	found := n.Minimise(Rough)
	if n.output = n.push(); n.output > before*(1+Rough) || found && n.output >= before*(1-Rough) {
		return
	}
	for i := range n.Nodes {
		o := &n.Nodes[i]
		o.Price = n.prices[i]
		o.Cap = maxCarried * n.Amount * n.prices[Source] / o.Price
	}
	n.Minimise(Rough)
	for i := range n.Nodes {
		n.Nodes[i].Cap = 0
	}
	n.output = n.Solve(Rough)
}

// dropIdle forgets edges without flow. They would keep others from leading the other way,
// and nothing holds the price of a node that no flow reaches: paths from there seem to
// gain what they do not.
func (n *Network) dropIdle() {
	idle := false
	for i := range n.Edges {
		if e := &n.Edges[i]; e.X == 0 {
			e.Off, idle = true, true
		}
	}
	if idle {
		n.Trim()
		n.Compact()
	}
}

// keepable is how many edges stay for Prune to choose K of.
func (n *Network) keepable() int { return n.MaxEdges + n.MaxEdges/sparePart + spareEdges }

// FirstStepPrice is a step price that K edges can pay. There must be more.
func (n *Network) FirstStepPrice() float64 {
	profits := n.newton.prices[:0]
	for i := range n.Edges {
		if e := &n.Edges[i]; !e.Off {
			profits = append(profits, e.Profit)
		}
	}
	slices.Sort(profits)
	return max(profits[len(profits)-n.MaxEdges-1], n.leastStepPrice())
}

func (n *Network) leastStepPrice() float64 { return leastStepPrice * n.Amount * n.Nodes[Source].Price }

// aboutK says whether the edges that pay the step price are about K, or fewer at the least
// step price.
func (n *Network) aboutK() bool {
	over := -n.newton.stepPriceGradient / n.StepPrice
	return over <= slip*float64(n.MaxEdges) && (over >= -slip*float64(n.MaxEdges) || n.StepPrice <= n.leastStepPrice()*1.01)
}

// Choose ends the step price and leaves the edges with the most profit, some more than K.
func (n *Network) Choose() {
	if n.StepPrice == 0 || n.InUse() <= n.keepable() {
		n.StepPrice = 0
		return
	}
	n.Smoothing = narrowSmoothing * n.StepPrice
	if !n.Minimise(Coarse) {
		n.Revert(&n.last)
	}
	n.StepPrice = 0
	n.Evaluate()
	order := make([]int, 0, len(n.Edges))
	for i := range n.Edges {
		if !n.Edges[i].Off {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(n.Edges[b].Profit, n.Edges[a].Profit), a-b)
	})
	for _, i := range order[min(len(order), n.keepable()):] {
		n.Edges[i].Off = true
	}
}

// Charge is what an edge adds to the sum under the step price, and the weight, from 0 to
// 1, by which it trades: 1 where it earns the price by Smoothing more.
func (n *Network) Charge(e *Edge) (sum, weight float64) {
	w, price := &n.newton, n.StepPrice*(1+e.LinkPrice)
	earned := e.Profit - price - n.GasPrice*e.Gas
	switch {
	case earned <= -n.Smoothing:
		return 0, 0
	case earned >= n.Smoothing:
		w.stepPriceGradient -= price
		return earned, 1
	}
	weight = (earned + n.Smoothing) / (2 * n.Smoothing)
	e.weightSlope = 1 / (2 * n.Smoothing)
	w.stepPriceGradient -= weight * price
	w.stepPriceCurvature += e.weightSlope * price * price
	return (earned + n.Smoothing) * weight / 2, weight
}

// directStepPrice lets the step price join the direction: its row and column border the
// matrix.
func (n *Network) directStepPrice() {
	w := &n.newton
	clear(w.border)
	for i := range n.Edges {
		if e := &n.Edges[i]; !e.Off && e.weightSlope > 0 {
			price := n.StepPrice * (1 + e.LinkPrice)
			w.border[e.From] += e.weightSlope * price * e.X * n.Nodes[e.From].Price
			w.border[e.To] -= e.weightSlope * price * e.Y * n.Nodes[e.To].Price
		}
	}
	gradient, curvature := w.stepPriceGradient, w.stepPriceCurvature+stepPriceDamping*n.StepPrice*float64(n.MaxEdges)
	copy(w.response, w.border)
	w.divide(w.response)
	for t := range w.border {
		gradient += w.border[t] * w.step[t]
		curvature -= w.border[t] * w.response[t]
	}
	if curvature <= 0 {
		return
	}
	w.stepPriceStep = min(maxRise, max(maxFall, n.leastStepPrice()/n.StepPrice-1, -gradient/curvature))
	for t := range w.step {
		w.step[t] -= w.stepPriceStep * w.response[t]
	}
}
