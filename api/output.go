package api

import (
	"context"

	"braid/calldata"
	"braid/plan"
	"braid/router"
	"braid/u256"
	"braid/venue"
)

// Requests for an amount out: the amount in is the least one that pays it.

// parseAmount reads amount, or amountOut in its place.
func (q *query) parseAmount(req *request) {
	if _, given := q.values["amountOut"]; !given {
		req.exactIn = q.amount("amount")
		return
	}
	if _, given := q.optional("amount"); given {
		q.reject("amount", ambiguousAmount, "is given with amountOut; give one of them: amount is what to sell, amountOut what to buy")
	}
	if _, given := q.optional("minAmountOut"); given {
		q.reject("minAmountOut", ambiguousAmount, "is given with amountOut, which is the least to be paid itself; leave it out")
	}
	req.exactOut = q.amount("amountOut")
}

// outputNeeded is what the pools must pay for a request with amountOut: the amount
// itself, or with slippage the amount of which that is left after it; before a fee of
// the output.
func (req *request) outputNeeded(slippageBps uint64) (u256.Int, error) {
	need, over := req.exactOut.MulDiv(u256.From(MaxSlippageBps), u256.From(MaxSlippageBps-slippageBps))
	if over {
		return need, venue.ErrTooLarge
	}
	if minimumOut(need, u256.Zero, slippageBps).Lt(req.exactOut) { // it was rounded down
		need = need.Add(u256.One)
	}
	return req.beforeFee(calldata.FeeOut, need)
}

// findOutput is the plan with the least amount in that pays what a request needs.
func (c *snapshotCache) findOutput(ctx context.Context, req *request, slippageBps uint64) (plan.Plan, error) {
	need, err := req.outputNeeded(slippageBps)
	if err != nil {
		return plan.Plan{}, err
	}
	return c.outputs.get(ctx, req.outputKey(need), func(ctx context.Context) (plan.Plan, error) {
		return search(ctx, func() (plan.Plan, error) { return router.FindOutput(c.Snapshot, req.Order, need) })
	})
}

// outputKey is searchKey for an amount out.
func (req *request) outputKey(out u256.Int) searchKey {
	key := req.searchKey()
	key.amount = out
	return key
}

// hasPlan says whether the plan for a request is cached, or being searched for.
func (c *snapshotCache) hasPlan(req *request) bool {
	if req.exactOut.IsZero() {
		return c.plans.has(req.searchKey())
	}
	need, err := req.outputNeeded(req.coveredBps)
	return err == nil && c.outputs.has(req.outputKey(need))
}

// maxAmountOut is about the most that can be bought, after a fee; empty if it is not
// known.
func (c *snapshotCache) maxAmountOut(ctx context.Context, req *request) (string, error) {
	most := *req
	limit, err := c.amountLimit(ctx, req, &c.maxAmounts, router.MaxIn)
	if err != nil {
		return "", err
	}
	most.AmountIn = u256.MustDecimal(limit)
	p, err := c.plan(ctx, &most)
	if err != nil {
		return "", err
	}
	out := minimumOut(req.afterFee(calldata.FeeOut, p.AmountOut), u256.Zero, req.coveredBps)
	return out.String(), nil
}

// leastAmountIn is what a request with amountOut would take without slippage, with the
// fee of the input; empty for other requests.
func (q *quote) leastAmountIn(ctx context.Context) (string, error) {
	if q.exactOut.IsZero() {
		return "", nil
	}
	p, err := q.cache.findOutput(ctx, &q.request, 0)
	if err != nil {
		return "", err
	}
	amount, err := q.beforeFee(calldata.FeeIn, p.AmountIn)
	return amount.String(), err
}
