package router

import (
	"errors"

	"braid/market"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

// Limits of FindOutput.
const (
	// tightness is the part of an amount in, as a power of 2, by which it may be above
	// the least one: 2^-20 is about 10^-6.
	tightness = 20
	// precision is the same for one plan, whose shares are kept: 2^-26 is about 10^-8.
	precision = 26
	// maxSearches bounds the searches of one order. Orders on generated markets took 2
	// (retail) to 4 (large) on average.
	maxSearches = 24
	// maxRuns bounds how often one plan is carried out with another amount.
	maxRuns = 48
	// minGrowth and maxGrowth are factors by which an amount is raised while no amount
	// pays enough: little at first, because far beyond the depth of pools more may pay
	// less, for want of time to search.
	minGrowth, maxGrowth = 1.1, 64
	// firstGuess is the amount in, as a power of 2, that is tried for tokens without a
	// price and without a way back.
	firstGuess = 40
)

// FindOutput is the plan with the least amount in that pays at least out: Find has no
// plan that pays as much for an amount lower by a millionth and one raw unit, but for
// what was not found within maxSearches. AmountIn of the order is not read.
//
// A search costs far more than carrying a plan out. So each plan that is found is
// first carried out, with its shares, at the amount at which it just pays enough; the
// next search is just below that.
func FindOutput(s *market.Snapshot, o Order, out u256.Int) (plan.Plan, error) {
	t := target{s: s, o: o, out: out, growth: minGrowth}
	return t.find(t.guess())
}

// target is the search for an amount in.
type target struct {
	s   *market.Snapshot
	o   Order
	out u256.Int

	lo   u256.Int  // pays too little, or cannot be swapped because it is so little
	best plan.Plan // pays enough; no steps: none is known
	most u256.Int  // the most that an amount paid
	past u256.Int  // cannot be swapped because it is so much, or pays less than lower ones; 0: none is known

	growth float64 // factor by which lo was raised last, while nothing pays enough
}

// find searches from an amount on.
func (t *target) find(amount u256.Int) (plan.Plan, error) {
	for range maxSearches {
		t.o.AmountIn = amount
		p, err := Find(t.s, t.o)
		switch {
		case errors.Is(err, venue.ErrTooSmall):
			t.lo, t.growth = larger(t.lo, amount), maxGrowth
		case errors.Is(err, venue.ErrTooLarge), err == nil && t.best.Steps == nil && p.AmountOut.Lt(t.most):
			t.past = amount
		case err != nil:
			return plan.Plan{}, err
		default:
			t.most = larger(t.most, p.AmountOut)
			t.fit(p)
		}
		var more bool
		if amount, more = t.next(amount); !more {
			break
		}
	}
	if t.best.Steps == nil {
		return plan.Plan{}, venue.ErrTooLarge
	}
	return t.best, nil
}

// next is the amount to search with next; false if the best is good enough, or no
// amount that can be swapped pays enough.
func (t *target) next(last u256.Int) (u256.Int, bool) {
	if t.best.Steps != nil {
		below := t.best.AmountIn.Sub(t.best.AmountIn.Rsh(tightness)).Sub(u256.One)
		return below, below.Gt(t.lo)
	}
	if !t.past.IsZero() { // between the two, in the middle of their bits
		mid := u256.One.Lsh(uint(t.lo.BitLen()+t.past.BitLen()) / 2)
		if closest := t.lo.Add(t.past).Rsh(1); !mid.Gt(t.lo) || !mid.Lt(t.past) {
			mid = closest
		}
		return mid, mid.Gt(t.lo) && mid.Lt(t.past)
	}
	t.growth = min(t.growth*t.growth, maxGrowth)
	more := scaled(t.lo, t.growth)
	return more, more.Gt(t.lo)
}

// guess is the amount that out is worth by the prices of the tokens, or else what the
// market pays for out.
func (t *target) guess() u256.Int {
	in, out := t.s.USD(t.o.TokenIn), t.s.USD(t.o.TokenOut)
	if amount := u256.FromFloat(t.out.Float() * out / in); in > 0 && out > 0 && !amount.IsZero() {
		return amount
	}
	back := t.o
	back.TokenIn, back.TokenOut, back.AmountIn = t.o.TokenOut, t.o.TokenIn, t.out
	if p, err := Find(t.s, back); err == nil && !p.AmountOut.IsZero() {
		return p.AmountOut
	}
	return u256.One.Lsh(firstGuess)
}

// fit carries a plan out with the least amount at which it pays enough, and keeps it
// if that is less than the best. A plan that pays too little moves the lower end.
func (t *target) fit(p plan.Plan) {
	f := fitted{p: &p, out: t.out, lo: t.lo}
	if f.take(p) {
		f.run(scaled(p.AmountIn, t.out.Float()/p.AmountOut.Float())) // by a concave supply, a little more than enough
	} else {
		t.lo = larger(t.lo, p.AmountIn)
		f.rise(t.past)
	}
	if f.hi.Steps == nil {
		return
	}
	f.close()
	if t.best.Steps == nil || f.hi.AmountIn.Lt(t.best.AmountIn) {
		t.best = f.hi
	}
}

// fitted is the search for the least amount with which the steps of one plan pay
// enough: by secants, with bisection where those are slow, as at the steps of an order
// book.
type fitted struct {
	p    *plan.Plan
	out  u256.Int
	runs int
	lo   u256.Int   // pays too little
	hi   plan.Plan  // pays enough; no steps: none is known
	last [2]outcome // the last two amounts that were tried
}

// outcome is an amount and what it pays more than is asked for.
type outcome struct{ in, more float64 }

// take moves an end to a plan that was carried out, and says whether it pays enough.
func (f *fitted) take(q plan.Plan) bool {
	f.last = [2]outcome{f.last[1], {q.AmountIn.Float(), q.AmountOut.Float() - f.out.Float()}}
	if !q.AmountOut.Lt(f.out) {
		f.hi = q
		return true
	}
	f.lo = larger(f.lo, q.AmountIn)
	return false
}

// run carries the steps out with an amount and moves an end to it. It says whether
// they pay enough.
func (f *fitted) run(amount u256.Int) bool {
	f.runs++
	q, err := plan.Run(f.p.TokenIn, f.p.TokenOut, amount, f.p.Steps)
	if err != nil {
		q = plan.Plan{AmountIn: amount}
	}
	return f.take(q)
}

// rise looks for an amount that is enough above the plan's own, up to 64 times as much
// and below past.
func (f *fitted) rise(past u256.Int) {
	for ratio := f.out.Float() / max(f.p.AmountOut.Float(), 1); ratio < 64; ratio *= ratio {
		ratio += 1e-4 // by a concave supply, the ratio alone is not enough
		amount := scaled(f.p.AmountIn, ratio).Add(u256.One)
		if !past.IsZero() && !amount.Lt(past) || f.run(amount) {
			return
		}
	}
}

// close moves the ends together.
func (f *fitted) close() {
	for slow := 0; f.runs < maxRuns; {
		width, unit := f.hi.AmountIn.Sub(f.lo), larger(f.hi.AmountIn.Rsh(precision), u256.One)
		if !width.Gt(unit) {
			return
		}
		a, b := f.last[0], f.last[1]
		mid := u256.FromFloat(b.in - b.more*(b.in-a.in)/(b.more-a.more)) // not a number: 0
		if slow >= 3 {
			mid = f.lo.Add(width.Rsh(1))
		}
		mid = larger(mid, f.lo.Add(unit))
		if last := f.hi.AmountIn.Sub(unit); mid.Gt(last) {
			mid = last
		}
		f.run(mid)
		if slow++; !f.hi.AmountIn.Sub(f.lo).Gt(width.Rsh(1)) {
			slow = 0
		}
	}
}

func larger(a, b u256.Int) u256.Int {
	if a.Lt(b) {
		return b
	}
	return a
}

// scaled is an amount times a factor, within the precision of floats.
func scaled(amount u256.Int, factor float64) u256.Int { return u256.FromFloat(amount.Float() * factor) }
