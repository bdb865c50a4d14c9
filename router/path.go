package router

import (
	"errors"

	"braid/market"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

// margin is far above what floats lose on a path, so that bounds never cut
// what integers would have kept.
const margin = 1e-9

// layer holds the best ways to reach each token in a given number of hops.
type layer struct {
	at      []pair
	touched []int

	// best is the most that a unit of a token can bring when as many hops
	// are left; 0 when they do not lead to the last token.
	best []float64
}

// label is a way to have amount of a token. Two are kept for each token that
// differ in the token before it: with up to four hops a path can only cross
// itself there, so the best path that does not is always found.
type label struct {
	amount u256.Int
	rough  float64 // amount as a float, for bounds
	gas    uint64
	edge   *market.Edge
	from   int // the token before, and which of its two labels
	slot   int
	set    bool
}

type pair [2]label

// hop is one edge of a path, and what enters it.
type hop struct {
	*market.Edge
	from   int
	amount u256.Int
}

// way is a path.
type way []hop

func (f *finder) forget() {
	for k := range f.layers {
		l := &f.layers[k]
		for _, t := range l.touched {
			l.at[t] = pair{}
		}
		l.touched = l.touched[:0]
	}
}

// search is the path that pays most for amount, net of gas, and more than
// floor; on top of the flow that the net already carries: a used pool pays
// what it pays beyond its flow, and nothing may turn the flow round.
func (f *finder) search(amount u256.Int, floor float64) (way, bool) {
	f.forget()
	f.bound()
	f.floor = floor
	f.tooSmall, f.tooLarge = false, false
	start := &f.layers[0]
	start.at[f.in][0] = label{amount: amount, rough: amount.Float(), set: true}
	start.touched = append(start.touched, f.in)
	for k := range f.hops {
		for _, t := range f.layers[k].touched {
			if t != f.out {
				f.extend(k, t)
			}
		}
	}
	best := 0
	for k := 1; k <= f.hops; k++ {
		l := &f.layers[k].at[f.out][0]
		if !l.set || l.rough <= floor {
			continue
		}
		b := &f.layers[best].at[f.out][0]
		if best == 0 || f.net.beats(l.amount, l.gas, b.amount, b.gas) {
			best = k
		}
	}
	if best == 0 {
		return nil, false
	}
	return f.trace(best), true
}

// extend leads the labels of a token one hop on.
func (f *finder) extend(k, t int) {
	labels := &f.layers[k].at[t]
	next := &f.layers[k+1]
	left := f.hops - k - 1
	best := f.layers[left].best
	// With one hop left after this one nothing can be crossed any more, and
	// second best is of no use.
	second := left > 1
	fan := f.fan(t)
	for i := range fan {
		e := &fan[i]
		if best[e.To] == 0 || labels[0].rough*e.rate*best[e.To] < f.floor*(1-margin) || !f.net.allows(e.Edge) {
			continue
		}
		slot := 0
		for slot < 2 && labels[slot].set && !f.fits(k, t, slot, e.Edge) {
			slot++
		}
		if slot == 2 || !labels[slot].set {
			continue
		}
		from, at := &labels[slot], &next.at[e.To]
		if from.rough*e.rate < at.least(t, second)*(1-margin) {
			continue
		}
		q, err := f.net.quote(f.pools[e.Pool], e.Edge, from.amount)
		if err != nil {
			f.tooSmall = f.tooSmall || errors.Is(err, venue.ErrTooSmall)
			f.tooLarge = f.tooLarge || errors.Is(err, venue.ErrTooLarge)
			continue
		}
		if !at[0].set {
			next.touched = append(next.touched, e.To)
		}
		at.offer(label{amount: q.Out, rough: q.Out.Float(), gas: from.gas + q.Gas, edge: e.Edge, from: t, slot: slot, set: true})
		if e.To == f.out {
			f.floor = max(f.floor, at[0].rough-f.net.gasCost*float64(at[0].gas))
		}
	}
}

// least is what an offer from a token must pass to be kept.
func (at *pair) least(from int, second bool) float64 {
	if second && at[0].from != from {
		return at[1].rough
	}
	return at[0].rough
}

// offer keeps the two best labels that come from different tokens.
func (at *pair) offer(l label) {
	switch {
	case !at[0].set:
		at[0] = l
	case l.amount.Gt(at[0].amount):
		if at[0].from != l.from {
			at[1] = at[0]
		}
		at[0] = l
	case l.from != at[0].from && (!at[1].set || l.amount.Gt(at[1].amount)):
		at[1] = l
	}
}

// fits says whether a label's path may go on through an edge: it meets no
// token and no pool again, and closes no circle with the flow at hand.
func (f *finder) fits(k, t, slot int, e *market.Edge) bool {
	for ; ; k-- {
		if t == e.To || f.net.leads(e.To, t) {
			return false
		}
		if k == 0 {
			return true
		}
		l := &f.layers[k].at[t][slot]
		if l.edge.Pool == e.Pool {
			return false
		}
		t, slot = l.from, l.slot
	}
}

func (f *finder) trace(k int) way {
	l := &f.layers[k].at[f.out][0]
	w := make(way, k)
	for ; k > 0; k-- {
		before := &f.layers[k-1].at[l.from][l.slot]
		w[k-1] = hop{Edge: l.edge, from: l.from, amount: before.amount}
		l = before
	}
	return w
}

func (w way) steps(pools []venue.Pool) []plan.Step {
	steps := make([]plan.Step, len(w))
	for i, h := range w {
		steps[i] = plan.Step{Pool: pools[h.Pool], In: h.In, Out: h.Out}
	}
	return steps
}
