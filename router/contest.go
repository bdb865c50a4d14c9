package router

import (
	"math"
	"slices"

	"braid/market"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

const (
	// clearly is how much more a split has to pay for the single path not to
	// matter.
	clearly = 1e-3
	// blur is the part by which a supply may be too low.
	blur = 1e-5
	// quoting costs as much as so many evaluations of curves.
	quoting = 16
)

// contest looks for a path that pays more than the given one in the pools' own
// integers, with their own gas. Floats choose among paths that hardly differ
// as rounding has it: where a token is counted in thousands, a unit is ten
// basis points.
func (f *finder) contest(o *Order, best plan.Plan) plan.Plan {
	floor := (best.AmountOut.Float() - f.net.gasCost*float64(best.Gas)) * f.g.Worth[f.out]
	if p, _, err := f.exactly(o, floor); err == nil && f.net.beats(p.AmountOut, p.Gas, best.AmountOut, best.Gas) {
		best = p
	}
	return f.swapPools(best)
}

// exactly is the path that pays most in the pools' own integers, of those that
// reach a worth.
func (f *finder) exactly(o *Order, floor float64) (plan.Plan, []hop, error) {
	f.net.forget()
	f.net.reset(f)
	path, ok := f.exactPath(o.AmountIn, floor, false)
	if !ok {
		return plan.Plan{}, nil, errNoPath
	}
	p, err := f.carry(o, o.AmountIn, path)
	return p, path, err
}

// exactPath is the path that pays most for an amount in the pools' own
// integers, of those that reach a worth, without the pools in use.
func (f *finder) exactPath(amount u256.Int, floor float64, brief bool) ([]hop, bool) {
	f.aimAtLast(sized(floor), f.fewest((floor-f.g.Worth[f.out])*(1-2*blur)))
	c, ok := f.search(amount.Float(), sweep{finder: f, alone: true, exact: true, need: floor, reach: f.hops, brief: brief})
	if !ok {
		return nil, false
	}
	return f.trace(&c), true
}

// swapPools lets pools beside those of a path take their places, one by one.
// On its way a sweep weighs gas at the worth of the token at hand, which is
// not quite what that token brings in the end.
func (f *finder) swapPools(p plan.Plan) plan.Plan {
	for i := range p.Steps {
		s := &p.Steps[i]
		f.parallel(&p, s, func(a *market.Arc) {
			y, _ := a.Pay(s.AmountIn.Float())
			if y < s.AmountOut.Float()*(1-clearly) {
				return
			}
			steps := slices.Clone(p.Steps)
			steps[i] = plan.Step{Pool: f.pools[a.Pool], In: int(a.In), Out: int(a.Out)}
			next, err := plan.Run(p.TokenIn, p.TokenOut, p.AmountIn, steps)
			if err == nil && f.net.beats(next.AmountOut, next.Gas, p.AmountOut, p.Gas) {
				p = next
			}
		})
	}
	return p
}

// parallel shows the arcs that lead as a step does, through pools that are not
// in use.
func (f *finder) parallel(p *plan.Plan, s *plan.Step, show func(*market.Arc)) {
	from, _ := f.s.Token(s.TokenIn())
	to, _ := f.s.Token(s.TokenOut())
	f.between(from, to, func(a *market.Arc) {
		if !uses(p, f.pools[a.Pool]) {
			show(a)
		}
	})
}

// between shows the arcs from one token to another that a plan may use.
func (f *finder) between(from, to int, show func(*market.Arc)) {
	if !f.g.Connected(to) {
		f.g.Into(to, func(t int, a *market.Arc) {
			if t == from && !f.banned[a.Source] {
				show(a)
			}
		})
		return
	}
	ways, fan, start := f.g.Ways(from, math.MaxInt)
	for i := range ways[:fan] {
		if a := &f.g.Arcs[start+i]; int(ways[i].To) == to && !f.banned[a.Source] {
			show(a)
		}
	}
}

func uses(p *plan.Plan, pool venue.Pool) bool {
	return slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Pool == pool })
}

// quote has a label paid by the pool itself.
func (w *sweep) quote(next, from *label) bool {
	w.net.effort += quoting
	q, err := w.pools[next.arc.Pool].Quote(int(next.arc.In), int(next.arc.Out), u256.FromFloat(from.amount))
	next.amount, next.gas = q.Out.Float(), from.gas+float64(q.Gas)
	return err == nil
}
