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
const maxGapBps = 100

// bound shows what no plan pays more than and how far this one stays behind
// it, or says why that would tell nothing.
func (q *quote) addBound(ctx context.Context, m *metaBody) error {
	bound, err := q.cache.bound(ctx, &q.request)
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
	if bound.Lt(q.plan.AmountOut) { // by what floats lose
		bound = q.plan.AmountOut
	}
	behind := bound.Sub(q.plan.AmountOut)
	gap := math.Round(1e8*behind.Float()/bound.Float()) / 1e4
	if gap >= maxGapBps {
		m.BoundReason = q.looseReason(behind, u256.MustDecimal(m.GasCostWei))
		return nil
	}
	m.BoundAmountOut, m.OptimalityGapBps = bound.String(), &gap
	return nil
}

// loose says why the bound lies far above the plan. All but the last reason can
// be read off the plan.
func (q *quote) looseReason(behind, gasWei u256.Int) string {
	const more = "The proved bound is 1 % or more above this quote, "
	most := q.MaxSteps
	if most == 0 {
		most = router.DefaultMaxSteps
	}
	worth, gas := q.usdValue(behind), gasWei.Float()*q.cache.USD(q.cache.Chain().WrappedNative)
	switch {
	case smallestAmount(&q.plan).Lt(u256.From(10_000 / maxGapBps)):
		return more + "because amounts of so few raw units are rounded by as much."
	case worth > 0 && worth < gas:
		return more + "because it leaves gas aside: the difference is worth less than the gas of this swap."
	case len(q.plan.Steps) >= most:
		return more + fmt.Sprintf("because it holds for any number of steps, and a route may have %d.", most)
	}
	return more + "which tells little: it counts arbitrage between pools that are priced out of line, and no single swap can take all of that."
}

// worth of some of the output in USD, by the price of either token; 0 if
// neither has one.
func (q *quote) usdValue(out u256.Int) float64 {
	if price := q.cache.USD(q.plan.TokenOut); price > 0 {
		return out.Float() * price
	}
	return out.Float() / q.plan.AmountOut.Float() * q.plan.AmountIn.Float() * q.cache.USD(q.plan.TokenIn)
}

// least is the smallest amount that enters or leaves a step.
func smallestAmount(p *plan.Plan) u256.Int {
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
