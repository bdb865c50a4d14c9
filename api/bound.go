package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"braid/plan"
	"braid/router"
	"braid/u256"
)

// addBound adds the bound and the gap to it, or the reason why they are not shown.
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
	if bound.Lt(q.plan.AmountOut) { // by rounding of floats
		bound = q.plan.AmountOut
	}
	difference := bound.Sub(q.plan.AmountOut)
	gap := math.Round(1e8*difference.Float()/bound.Float()) / 1e4
	if gap >= router.LooseBps {
		m.BoundReason = q.looseReason(difference, u256.MustDecimal(m.GasCostWei))
		return nil
	}
	m.BoundAmountOut, m.OptimalityGapBps = bound.String(), &gap
	return nil
}

// looseReason says why the bound is far above the plan. The last reason is what is
// left when none of the others, which are seen in the plan, is true. difference is
// in raw units of the output.
func (q *quote) looseReason(difference, gasWei u256.Int) string {
	const loose = "The proved bound is 1 % or more above this quote, "
	if q.MaxHops > 0 {
		return loose + fmt.Sprintf("because it holds for any length of chains, and by maxHops a route has at most %d steps one after the other.", q.MaxHops)
	}
	maxSteps := cmp.Or(q.MaxSteps, router.DefaultMaxSteps)
	differenceUSD, gasUSD := q.usdValue(difference), gasWei.Float()*q.cache.USD(q.cache.Chain().WrappedNative)
	switch {
	case smallestAmount(&q.plan).Lt(u256.From(10_000 / router.LooseBps)):
		return loose + "because amounts of so few raw units are rounded by as much."
	case differenceUSD > 0 && differenceUSD < gasUSD:
		return loose + "because it leaves gas aside: the difference is worth less than the gas of this swap."
	case len(q.plan.Steps) >= maxSteps:
		return loose + fmt.Sprintf("because it holds for any number of steps, and a route may have %d.", maxSteps)
	}
	// The pools disagree: a plan could take some of what brings them into line, no plan all.
	return fmt.Sprintf("market holds arbitrage worth %.0f bps of this order", 1e4*difference.Float()/q.plan.AmountOut.Float())
}

// usdValue is the value of an amount of the output token in USD, by the price of
// either token; 0 if neither has one.
func (q *quote) usdValue(out u256.Int) float64 {
	if price := q.cache.USD(q.plan.TokenOut); price > 0 {
		return out.Float() * price
	}
	return out.Float() / q.plan.AmountOut.Float() * q.plan.AmountIn.Float() * q.cache.USD(q.plan.TokenIn)
}

// smallestAmount is the lowest amount in or out of all steps, in raw units.
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
