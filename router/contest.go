package router

import (
	"braid/plan"
	"braid/u256"
)

const (
	// clearly is how much more a split has to pay for the single path not to
	// matter.
	clearly = 1e-3
	// blur is the part by which a supply may be too low.
	blur = 1e-5
)

// contest looks for a path that pays more than the given one in the pools' own
// integers, with their own gas. Floats choose among paths that hardly differ
// as rounding has it: where a token is counted in thousands, a unit is ten
// basis points.
func (f *finder) contest(o *Order, best plan.Plan) plan.Plan {
	f.net.forget()
	f.net.reset(f)
	start := o.AmountIn.Float() * f.g.Worth[f.in]
	floor := (best.AmountOut.Float() - f.net.gasCost*float64(best.Gas)) * f.g.Worth[f.out]
	f.outlook.bulk = start >= surely
	f.aimAtLast(0)
	c, ok := f.search(o.AmountIn.Float(), sweep{finder: f, alone: true, exact: true, need: floor, reach: f.hops})
	if !ok {
		return best
	}
	p, err := f.carry(o, o.AmountIn, f.trace(&c))
	if err == nil && f.net.beats(p.AmountOut, p.Gas, best.AmountOut, best.Gas) {
		return p
	}
	return best
}

// quote has a label paid by the pool itself.
func (w *sweep) quote(next, from *label) bool {
	q, err := w.pools[next.arc.Pool].Quote(int(next.arc.In), int(next.arc.Out), u256.FromFloat(from.amount))
	next.amount, next.gas = q.Out.Float(), from.gas+float64(q.Gas)
	return err == nil
}
