package exact

import (
	"slices"

	"braid/plan"
	"braid/router/graph"
	"braid/router/path"
	"braid/u256"
)

// Some pools trade in lots: what is left of an amount beyond the last one is lost. The
// floats do not know that. Where a step of a plan would lose some, it takes no more than
// its lots need and another step takes the rest.

// Lots is the plan without what its steps lose to lots, as far as that pays.
func Lots(p *path.Problem, best plan.Plan) plan.Plan {
	mended := 0
	for i := 0; i < len(best.Steps) && mended < maxLots; i++ {
		s := &best.Steps[i]
		if !sameFor(s, s.AmountIn.Sub(s.AmountIn.Rsh(lotBits))) {
			continue
		}
		mended++
		steps, ok := spare(p, &best, i)
		if !ok {
			continue
		}
		next, err := run(p, best.AmountIn, steps)
		if err == nil && Better(&next, &best, p.GasPrice) {
			best = next
		}
	}
	return best
}

// sameFor says whether a step would make no less of a smaller amount.
func sameFor(s *plan.Step, amount u256.Int) bool {
	q, err := s.Pool.Quote(s.In, s.Out, amount)
	return err == nil && q.Out == s.AmountOut
}

// least is the least amount of which a step makes what it does, or more by a small part of
// what it can spare.
func least(s *plan.Step) u256.Int {
	lo, hi := u256.Zero, s.AmountIn
	for gap := hi; gap.Gt(s.AmountIn.Sub(hi).Rsh(lotPrecision).Add(u256.One)); gap = hi.Sub(lo) {
		if mid := lo.Add(gap.Rsh(1)); sameFor(s, mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// spare are the steps of a plan with one that takes no more than it needs. It goes before
// those that take the same token; if there are none, a parallel pool takes the rest.
func spare(p *path.Problem, of *plan.Plan, i int) ([]plan.Step, bool) {
	s := of.Steps[i]
	token, enough := s.TokenIn(), least(&s)
	rest := s.AmountIn.Sub(enough)
	s.AmountIn = enough
	takes := func(other plan.Step) bool { return other.TokenIn() == token }
	first := slices.IndexFunc(of.Steps, takes)
	steps := slices.Delete(slices.Clone(of.Steps), i, i+1)
	if !slices.ContainsFunc(steps, takes) {
		other, ok := bestParallel(p, of, &s, rest)
		if !ok || len(of.Steps) >= p.MaxSteps {
			return nil, false
		}
		steps = slices.Insert(steps, first, other)
	}
	steps = slices.Insert(steps, first, s)
	held, last := u256.Zero, first
	for k := range of.Steps {
		if t := &of.Steps[k]; takes(*t) {
			held = held.Add(t.AmountIn)
		}
	}
	for k := range steps {
		if takes(steps[k]) {
			last = k
		}
	}
	for k := first; k < last; k++ {
		if t := &steps[k]; takes(*t) {
			t.Share = plan.ShareOf(t.AmountIn.Add(held.Rsh(shareBits)).Add(u256.One), held)
			part, ok := t.Share.Of(held)
			if !ok {
				return nil, false
			}
			held = held.Sub(part)
		}
	}
	steps[last].Share = plan.All
	return steps, true
}

// bestParallel is the step that makes most of an amount between the tokens of another,
// through a pool that is not in use.
func bestParallel(p *path.Problem, of *plan.Plan, s *plan.Step, amount u256.Int) (best plan.Step, ok bool) {
	parallel(p, of, s, func(a *graph.Link) {
		q, err := p.Pools[a.Pool].Quote(int(a.In), int(a.Out), amount)
		if err == nil && (!ok || q.Out.Gt(best.AmountOut)) {
			best, ok = stepOf(p, path.DirectionOf(a)), true
			best.AmountIn, best.AmountOut = amount, q.Out
		}
	})
	return best, ok
}
