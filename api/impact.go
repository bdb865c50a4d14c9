package api

import (
	"context"
	"fmt"
	"math"

	"github.com/ethereum/go-ethereum/common"

	"braid/plan"
	"braid/router"
)

// pairKey is two tokens of an order.
type pairKey struct{ in, out common.Address }

// rate is the market's rate for a pair; router.ErrNoRoute where there is none.
func (c *snapshotCache) rate(ctx context.Context, pair pairKey) (router.Rate, error) {
	return c.rates.get(ctx, pair, func(ctx context.Context) (router.Rate, error) {
		return search(ctx, func() (router.Rate, error) { return router.RateOf(c.Snapshot, pair.in, pair.out, c.verifiedHops) })
	})
}

// impact is the price impact of a plan against the market's rate, in 1/10000. Where that
// is not known, because the caller may use tokens or amounts that others may not, it is
// the impact against the prices of the plan's own pools.
func (c *snapshotCache) impact(ctx context.Context, p *plan.Plan) (int, error) {
	r, err := c.rate(ctx, pairKey{p.TokenIn, p.TokenOut})
	if ctx.Err() != nil {
		return 0, err
	}
	if err != nil {
		return p.ImpactBps(), nil
	}
	out, _ := c.Token(p.TokenOut)
	return r.ImpactBps(p, c.GasIn(out)), nil
}

// outOfLineBps is how much more an output must be worth than its input, in 1/10000 of
// that, for a warning. Prices of single pools differ from reference prices by some
// percent at times.
const outOfLineBps = 500

// warn says what the caller may not expect: that the USD value of an amount is not
// known, or that the market pays much more than reference prices say.
func (q *quote) warn(w *response) {
	in := q.plan.AmountIn.Float() * q.cache.USD(q.plan.TokenIn)
	out := q.plan.AmountOut.Float() * q.cache.USD(q.plan.TokenOut)
	switch {
	case !(in > 0 && out > 0) || math.IsInf(in+out, 1):
		w.warn("USD_PRICE_UNAVAILABLE")
	case out >= in*(1+outOfLineBps/1e4):
		w.warn(fmt.Sprintf("OUT_OF_LINE;bps=%.0f", 1e4*(out/in-1)))
	}
}
