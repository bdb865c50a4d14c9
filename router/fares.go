package router

import (
	"math"
	"slices"

	"braid/market"
	"braid/u256"
)

// BoundSteps is Bound for plans of up to o.MaxSteps steps. If every step pays
// a toll, whatever its height, none of those plans pays more than
//
//	amount*v[first] + steps*toll + sum over pools of max(0, profit - toll)
//
// This alone lets deep pools be used in part, for a part of the toll. But a
// plan sells what it buys: a step into a token can pay for one that leaves it,
// and one that leaves it for one that leads there. So a fare is the toll, more
// by what is paid for others, less by what all those pay that may need such a
// step. The fares of a plan are no more than a toll a step, and the sum stays
// convex in them.
func BoundSteps(s *market.Snapshot, o Order) (u256.Int, bool) {
	b, ok := newAppraisal(s, o)
	if !ok {
		return u256.Zero, false
	}
	defer b.release()
	if b.tooMany() {
		b.ration()
	}
	return b.bound(), true
}

const (
	fareRounds = 40
	firstFare  = 0.3 // of the toll, for a step in use that has none to go on
	lastFare   = 1e-3
	crisp      = 1. / 64 // as blurred and sharp
)

// fares are what legs pay for each other, as parts of the toll.
type fares struct {
	onward, back   []float64 // by leg: for one that goes on, for one that leads there
	outOf, into    []float64 // by node: the sums of that, from which its legs have less to pay
	leaves, enters []float64 // by node: how many legs are in use
	weight         []float64 // by leg: how far it is
}

// tooMany begins a toll if more legs leave something than there may be steps.
func (b *appraisal) tooMany() bool {
	n := &b.net
	n.places, n.gasCost = b.maxSteps, 0
	profits := n.newton.v[:0]
	for i := range n.legs {
		if l := &n.legs[i]; l.profit > 0 {
			profits = append(profits, l.profit)
		}
	}
	if len(profits) <= n.places {
		return false
	}
	slices.Sort(profits)
	n.toll = max(profits[len(profits)-n.places-1], n.leastToll())
	return true
}

// ration finds values, toll and fares that make the sum less than it is
// without.
func (b *appraisal) ration() {
	free := b.best
	b.best, b.net.blur = math.Inf(1), blurred*b.net.toll
	b.look()
	b.refine()
	for {
		b.share()
		b.look()
		b.fares = fares{}
		if b.effort >= maxEffort || !b.widen() {
			break
		}
	}
	b.best = min(b.best, free)
}

// share finds the fares: down the slope of the sum by longer and longer steps,
// until one goes too far.
func (b *appraisal) share() {
	n, f := &b.net, &b.fares
	for _, a := range []*[]float64{&f.onward, &f.back, &f.weight} {
		*a = make([]float64, len(n.legs))
	}
	for _, a := range []*[]float64{&f.outOf, &f.into, &f.leaves, &f.enters} {
		*a = make([]float64, len(n.nodes))
	}
	best, toll := math.Inf(1), n.toll
	var onward, back []float64
	revert := func() {
		n.toll, n.blur = toll, sharp*toll
		n.restore()
		copy(f.onward, onward)
		copy(f.back, back)
	}
	for round, step := 0, firstFare; round < fareRounds && step > lastFare && b.effort < maxEffort; round++ {
		n.blur = sharp * n.toll
		b.solve(coarse)
		if sum := n.evaluate(); sum < best {
			best, toll = sum, n.toll
			n.save()
			onward, back = append(onward[:0], f.onward...), append(back[:0], f.back...)
			step *= 1.3
		} else {
			revert()
			step /= 3
		}
		b.raise(step)
		b.charge()
	}
	revert()
	b.charge()
	n.blur = crisp * n.toll
	b.solve(coarse)
}

// raise lets legs pay more for others that are in use less than themselves,
// and less for those that are in use more.
func (b *appraisal) raise(step float64) {
	n, f := &b.net, &b.fares
	clear(f.leaves)
	clear(f.enters)
	for i := range n.legs {
		l := &n.legs[i]
		_, f.weight[i] = n.charge(l)
		f.leaves[l.from] += f.weight[i]
		f.enters[l.to] += f.weight[i]
	}
	for i := range n.legs {
		l := &n.legs[i]
		if l.to > sink {
			f.onward[i] = max(0, f.onward[i]+step*(f.weight[i]-f.leaves[l.to]))
		}
		if l.from > sink {
			f.back[i] = max(0, f.back[i]+step*(f.weight[i]-f.enters[l.from]))
		}
	}
}

// charge sets the fares of all legs. For one leg no more is paid than a toll.
func (b *appraisal) charge() {
	n, f := &b.net, &b.fares
	clear(f.outOf)
	clear(f.into)
	for i := range n.legs {
		l := &n.legs[i]
		f.outOf[l.to] += f.onward[i]
		f.into[l.from] += f.back[i]
	}
	for i := range n.legs {
		l := &n.legs[i]
		f.onward[i] /= max(1, f.outOf[l.to])
		f.back[i] /= max(1, f.into[l.from])
	}
	for t := range n.nodes {
		f.outOf[t], f.into[t] = min(1, f.outOf[t]), min(1, f.into[t])
	}
	for i := range n.legs {
		l := &n.legs[i]
		l.extra = f.onward[i] + f.back[i] - f.outOf[l.from] - f.into[l.to]
	}
}

// fare is what an arc pays that is no leg.
func (b *appraisal) fare(a *market.Arc, from int) float64 {
	part := 1.
	if i := b.net.nodeOf[from]; i > 0 && len(b.fares.outOf) > 0 {
		part -= b.fares.outOf[i-1]
	}
	if i := b.net.nodeOf[a.To]; i > 0 && len(b.fares.into) > 0 {
		part -= b.fares.into[i-1]
	}
	return part * b.net.toll
}
