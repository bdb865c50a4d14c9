package api

import (
	"context"
	"errors"
	"fmt"
	"math"

	"braid/plan"
	"braid/router"
	"braid/u256"
)

// looseBps is the gap from which a bound is withheld. Where nothing stands in
// its way the bound comes within a few basis points of the plan; at 1 % and
// more it says nothing about the plan any more, only about itself.
const looseBps = 100

// bound shows what no plan pays more than and how far this one stays behind
// it, or says why that would tell nothing.
func (t *trade) bound(ctx context.Context, m *metaBody) error {
	bound, err := t.desk.bound(ctx, &t.ask)
	switch {
	case errors.Is(err, router.ErrNoRoute):
		m.BoundReason = "No bound was found for this amount."
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		m.BoundReason = "The bound could not be computed in the time that one request may take; ask again to get it."
		return nil
	case err != nil:
		return err
	}
	if bound.Lt(t.plan.AmountOut) { // by what floats lose
		bound = t.plan.AmountOut
	}
	behind := bound.Sub(t.plan.AmountOut)
	gap := math.Round(1e8*behind.Float()/bound.Float()) / 1e4
	if gap >= looseBps {
		m.BoundReason = t.loose(behind, u256.MustDecimal(m.GasCostWei))
		return nil
	}
	m.BoundAmountOut, m.OptimalityGapBps = bound.String(), &gap
	return nil
}

// loose says why the bound lies far above the plan. All but the last reason can
// be read off the plan.
func (t *trade) loose(behind, gasWei u256.Int) string {
	const more = "The proved bound is 1 % or more above this quote, "
	most := t.MaxSteps
	if most == 0 {
		most = router.DefaultMaxSteps
	}
	worth, gas := t.worth(behind), gasWei.Float()*t.desk.USD(t.desk.Chain().WrappedNative)
	switch {
	case least(&t.plan).Lt(u256.From(10_000 / looseBps)):
		return more + "because amounts of so few raw units are rounded by as much."
	case worth > 0 && worth < gas:
		return more + "because it leaves gas aside: the difference is worth less than the gas of this swap."
	case len(t.plan.Steps) >= most:
		return more + fmt.Sprintf("because it holds for any number of steps, and a route may have %d.", most)
	}
	return more + "which tells little: it counts arbitrage between pools that are priced out of line, and no single swap can take all of that."
}

// worth of some of the output in USD, by the price of either token; 0 if
// neither has one.
func (t *trade) worth(out u256.Int) float64 {
	if price := t.desk.USD(t.plan.TokenOut); price > 0 {
		return out.Float() * price
	}
	return out.Float() / t.plan.AmountOut.Float() * t.plan.AmountIn.Float() * t.desk.USD(t.plan.TokenIn)
}

// least is the smallest amount that enters or leaves a step.
func least(p *plan.Plan) u256.Int {
	n := p.AmountIn
	for i := range p.Steps {
		for _, m := range []u256.Int{p.Steps[i].AmountIn, p.Steps[i].AmountOut} {
			if m.Lt(n) {
				n = m
			}
		}
	}
	return n
}
