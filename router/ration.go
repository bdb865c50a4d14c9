package router

import (
	"cmp"
	"slices"
)

// Where there are more legs than places in a plan, each pays a toll: as much
// as leaves so many that earn it. Added to what solve makes least,
//
//	places*toll + sum over legs of max(0, profit - toll)
//
// in place of the profits, it is still convex and bounds every plan of so many
// steps. The values at its minimum tell which legs are worth a place, whatever
// the others do; those of a net that uses all legs do not. The corner of max
// is rounded off, as far as blur on both sides of it.

const (
	coarse    = 1e-3 // as rough and fine
	blurred   = 1.   // of the toll, while the net grows
	sharp     = 1. / 4
	leastToll = 1e-6 // of the order
	slip      = 0.02 // of the places
)

// settle shares anew after legs have joined. From when they are many more than
// the places there is a toll, and legs that earn nothing leave. Where very deep
// pools make its corners too sharp to find the values, there is none.
func (n *net) settle() {
	if n.stiff || n.toll == 0 && (n.places == 0 || n.live() <= n.seats()) {
		n.order()
		n.resolve()
		n.clean()
		return
	}
	if n.toll == 0 {
		n.plain = n.paid
		n.keep(&n.start)
		n.keep(&n.last)
		n.newton.grow(len(n.nodes))
		n.evaluate()
		n.toll = n.firstToll()
	}
	n.toll = max(n.toll, n.leastToll())
	n.blur = blurred * n.toll
	if !n.minimise(coarse) {
		n.revert(&n.last)
		n.stiff, n.toll = true, 0
		n.paid = n.solve(rough)
		n.clean()
		return
	}
	for i := range n.legs {
		l := &n.legs[i]
		l.off = l.off || l.profit <= n.gasCost*l.gas
	}
	n.count()
	n.compact()
	n.keep(&n.last)
}

// astray is how many times the order a leg carries at most when values are
// looked for again.
const astray = 64

// resolve solves after legs have joined, which can only pay more. Where it
// pays less, or no more and ends far from any values, a deep pool or order book
// between tokens whose values were apart has led them astray: it would trade
// many times the order. They are found again with legs that carry less.
func (n *net) resolve() {
	before := n.paid
	n.values = n.values[:0]
	for i := range n.nodes {
		n.values = append(n.values, n.nodes[i].v)
	}
	found := n.minimise(rough)
	if n.paid = n.push(); n.paid > before*(1+rough) || found && n.paid >= before*(1-rough) {
		return
	}
	for i := range n.nodes {
		t := &n.nodes[i]
		t.v = n.values[i]
		t.most = astray * n.amount * n.values[source] / t.v
	}
	n.minimise(rough)
	for i := range n.nodes {
		n.nodes[i].most = 0
	}
	n.paid = n.solve(rough)
}

// clean forgets legs without flow. They would keep others from leading the
// other way, and nothing holds the value of a token that none reaches: paths
// from there seem to gain what they do not.
func (n *net) clean() {
	idle := false
	for i := range n.legs {
		if l := &n.legs[i]; l.x == 0 {
			l.off, idle = true, true
		}
	}
	if idle {
		n.trim()
		n.compact()
	}
}

// seats are more than the places by what prune, which knows better than a toll,
// takes out again.
func (n *net) seats() int { return n.places*3/2 + 16 }

// firstToll is one that as many legs can pay as there are places.
func (n *net) firstToll() float64 {
	profits := n.newton.v[:0]
	for i := range n.legs {
		if l := &n.legs[i]; !l.off {
			profits = append(profits, l.profit)
		}
	}
	slices.Sort(profits)
	return max(profits[len(profits)-n.places-1], n.leastToll())
}

// leastToll keeps the corner of max from becoming too sharp where the places
// are nearly enough.
func (n *net) leastToll() float64 { return leastToll * n.amount * n.nodes[source].v }

// fits says whether the legs that pay the toll are about as many as places, or
// fewer at the least toll.
func (n *net) fits() bool {
	over := -n.newton.tollSlope / n.toll
	return over <= slip*float64(n.places) && (over >= -slip*float64(n.places) || n.toll <= n.leastToll()*1.01)
}

// choose ends the toll and leaves the legs with the most profit seated.
func (n *net) choose() {
	if n.toll == 0 || n.live() <= n.seats() {
		n.toll = 0
		return
	}
	n.blur = sharp * n.toll
	if !n.minimise(coarse) {
		n.revert(&n.last)
	}
	n.toll = 0
	n.newton.grow(len(n.nodes))
	n.evaluate()
	order := make([]int, 0, len(n.legs))
	for i := range n.legs {
		if !n.legs[i].off {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(n.legs[b].profit, n.legs[a].profit), a-b)
	})
	for _, i := range order[min(len(order), n.seats()):] {
		n.legs[i].off = true
	}
}

// charge is what a leg adds to the sum under the toll. The leg trades by the
// weight with which it earns it.
func (n *net) charge(l *leg) (sum, weight float64) {
	w, toll := &n.newton, n.toll*(1+l.extra)
	earned := l.profit - toll - n.gasCost*l.gas
	switch {
	case earned <= -n.blur:
		return 0, 0
	case earned >= n.blur:
		w.tollSlope -= toll
		return earned, 1
	}
	weight = (earned + n.blur) / (2 * n.blur)
	l.bend = 1 / (2 * n.blur)
	w.tollSlope -= weight * toll
	w.tollBend += l.bend * toll * toll
	return (earned + n.blur) * weight / 2, weight
}

// directToll lets the toll join the direction: its row and column border the
// matrix.
func (n *net) directToll() {
	w := &n.newton
	clear(w.border)
	for i := range n.legs {
		if l := &n.legs[i]; !l.off && l.bend > 0 {
			toll := n.toll * (1 + l.extra)
			w.border[l.from] += l.bend * toll * l.x * n.nodes[l.from].v
			w.border[l.to] -= l.bend * toll * l.y * n.nodes[l.to].v
		}
	}
	slope, bend := w.tollSlope, w.tollBend+1e-9*n.toll*float64(n.places)
	copy(w.give, w.border)
	w.divide(w.give)
	for t := range w.border {
		slope += w.border[t] * w.step[t]
		bend -= w.border[t] * w.give[t]
	}
	if bend <= 0 {
		return
	}
	w.tollStep = min(1, max(-0.5, n.leastToll()/n.toll-1, -slope/bend))
	for t := range w.step {
		w.step[t] -= w.tollStep * w.give[t]
	}
}
