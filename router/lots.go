package router

import (
	"errors"
	"slices"

	"braid/market"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

// Some pools trade in lots: what is left of an amount beyond the last one is
// lost. The floats do not know that. Where a step of a plan would lose some,
// it takes no more than its lots need and another step takes the rest.

const (
	// lump is the part of an amount, in bits, that makes no difference to a
	// pool that trades in lots.
	lump = 21
	// maxLumps is how many steps of a plan are looked after.
	maxLumps = 8
)

// even is the plan without what its steps lose to lots, as far as that pays.
func (f *finder) even(p plan.Plan) plan.Plan {
	looked := 0
	for i := 0; i < len(p.Steps) && looked < maxLumps; i++ {
		s := &p.Steps[i]
		if !lumpy(s, s.AmountIn.Sub(s.AmountIn.Rsh(lump))) {
			continue
		}
		looked++
		steps, ok := f.spare(&p, i)
		if !ok {
			continue
		}
		next, err := plan.Run(p.TokenIn, p.TokenOut, p.AmountIn, steps)
		if err == nil && f.net.beats(next.AmountOut, next.Gas, p.AmountOut, p.Gas) {
			p = next
		}
	}
	return p
}

// lumpy says whether a step would make no less of a smaller amount.
func lumpy(s *plan.Step, amount u256.Int) bool {
	q, err := s.Pool.Quote(s.In, s.Out, amount)
	return err == nil && q.Out == s.AmountOut
}

// least is the least amount of which a step makes what it does, or more by a
// small part of what it can spare.
func least(s *plan.Step) u256.Int {
	lo, hi := u256.Zero, s.AmountIn
	for gap := hi; gap.Gt(s.AmountIn.Sub(hi).Rsh(5).Add(u256.One)); gap = hi.Sub(lo) {
		if mid := lo.Add(gap.Rsh(1)); lumpy(s, mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// spare are the steps of a plan with one that takes no more than it needs. It
// goes before those that take the same token; if there are none, a pool
// beside it takes the rest.
func (f *finder) spare(p *plan.Plan, i int) ([]plan.Step, bool) {
	s := p.Steps[i]
	token, enough := s.TokenIn(), least(&s)
	rest := s.AmountIn.Sub(enough)
	s.AmountIn = enough
	first := slices.IndexFunc(p.Steps, func(other plan.Step) bool { return other.TokenIn() == token })
	steps := slices.Delete(slices.Clone(p.Steps), i, i+1)
	others := slices.ContainsFunc(steps, func(other plan.Step) bool { return other.TokenIn() == token })
	if !others {
		beside, ok := f.beside(p, &s, rest)
		if !ok || len(p.Steps) >= f.maxSteps {
			return nil, false
		}
		steps = slices.Insert(steps, first, beside)
	}
	steps = slices.Insert(steps, first, s)
	held, last := u256.Zero, first
	for k := range p.Steps {
		if t := &p.Steps[k]; t.TokenIn() == token {
			held = held.Add(t.AmountIn)
		}
	}
	for k := range steps {
		if steps[k].TokenIn() == token {
			last = k
		}
	}
	for k := first; k < last; k++ {
		if t := &steps[k]; t.TokenIn() == token {
			t.Share = plan.ShareOf(t.AmountIn.Add(held.Rsh(31)).Add(u256.One), held)
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

// beside is the step that makes most of an amount between the tokens of
// another, through a pool that is not in use.
func (f *finder) beside(p *plan.Plan, s *plan.Step, amount u256.Int) (best plan.Step, ok bool) {
	f.parallel(p, s, func(a *market.Arc) {
		q, err := f.pools[a.Pool].Quote(int(a.In), int(a.Out), amount)
		if err == nil && (!ok || q.Out.Gt(best.AmountOut)) {
			best, ok = plan.Step{Pool: f.pools[a.Pool], In: int(a.In), Out: int(a.Out), AmountIn: amount, AmountOut: q.Out}, true
		}
	})
	return best, ok
}

// lossy is the part that a pool pays less than its float, for a leg to be
// doubted.
const lossy = 1e-4

// dropLossy takes out legs whose pools pay far less than floats say, closes
// their arcs, and says whether there were any.
func (f *finder) dropLossy() (dropped bool) {
	n := &f.net
	for i := range n.legs {
		l := &n.legs[i]
		if l.off {
			continue
		}
		q, err := l.quote()
		if l.off = err != nil || q.Out.Float() < l.y*(1-lossy)-1; l.off {
			f.closed = append(f.closed, l.arc)
			dropped, f.lots = true, true
		}
	}
	if dropped {
		n.shed(fine)
	}
	return dropped
}

// again searches without the arcs that are closed, if any are: what would
// have come in their places did not join while they seemed to pay.
func (f *finder) again(o *Order, path []hop) (plan.Plan, bool) {
	if len(f.closed) == 0 {
		return plan.Plan{}, false
	}
	defer f.open()
	f.net.forget()
	f.net.reset(f)
	f.net.effort = 0
	if slices.ContainsFunc(path, func(h hop) bool { return slices.Contains(f.closed, h.Arc) }) {
		var ok bool
		if path, ok = f.alone(o.AmountIn.Float()); !ok {
			return plan.Plan{}, false
		}
	}
	return f.spread(o, path)
}

// open lets all arcs be used.
func (f *finder) open() {
	clear(f.closed)
	f.closed = f.closed[:0]
}

// dropBad takes out and closes the legs whose pools refuse their parts; if
// there are none, it takes out the leg that carries least.
func (f *finder) dropBad() {
	n, bad := &f.net, false
	for i := range n.legs {
		if l := &n.legs[i]; !l.off {
			if _, err := l.quote(); errors.Is(err, venue.ErrTooSmall) {
				l.off, bad, f.lots = true, true, true
				f.closed = append(f.closed, l.arc)
			}
		}
	}
	if bad {
		n.shed(fine)
	} else {
		n.dropLeast()
	}
}

// quote is what the pool itself makes of what enters a leg.
func (l *leg) quote() (venue.Quote, error) {
	return l.pool.Quote(int(l.arc.In), int(l.arc.Out), u256.FromFloat(l.x))
}
