package api

import (
	"context"
	"errors"
	"fmt"

	"braid/calldata"
	"braid/market"
	"braid/plan"
	"braid/router"
	"braid/u256"
)

// search runs do when it is the turn of the context, unless the context ends
// first. A search that runs is not interrupted: its work is bounded.
func search[V any](ctx context.Context, do func() (V, error)) (none V, _ error) {
	t := turnOf(ctx)
	if err := t.acquire(ctx); err != nil {
		return none, err
	}
	defer t.release()
	return do()
}

// find is the best plan for a request, or a problem with hints. For a request with
// amountOut it sets the amount in.
func (c *snapshotCache) find(ctx context.Context, req *request) (plan.Plan, error) {
	var p plan.Plan
	var err error
	if req.exactOut.IsZero() {
		p, err = c.plan(ctx, req)
	} else {
		p, err = c.findOutput(ctx, req, req.coveredBps)
	}
	if err != nil {
		return p, c.addHints(ctx, req, err)
	}
	req.AmountIn = p.AmountIn
	return p, nil
}

// plan is the best plan for a request, or the router's error.
func (c *snapshotCache) plan(ctx context.Context, req *request) (plan.Plan, error) {
	return c.plans.get(ctx, req.searchKey(), func(ctx context.Context) (plan.Plan, error) {
		return search(ctx, func() (plan.Plan, error) { return router.Find(c.Snapshot, req.Order) })
	})
}

// addHints turns an error of the router into a problem that says which amount or
// which sources would work. It returns the context's error if that ends first.
func (c *snapshotCache) addHints(ctx context.Context, req *request, err error) error {
	p := asProblem(err)
	var again error
	switch p.code {
	case noRoute:
		again = c.explainNoRoute(ctx, req, p)
		c.addUntried(req, p)
	case insufficientLiquidity:
		if !req.exactOut.IsZero() {
			p.hints.MaxAmountOut, again = c.maxAmountOut(ctx, req)
			p.detail = withLimit("the pools between the tokens cannot pay so much; ask for less", p.hints.MaxAmountOut, "about %s is the most")
			break
		}
		p.hints.MaxAmountIn, again = c.amountLimit(ctx, req, &c.maxAmounts, router.MaxIn)
		p.detail = withLimit(p.detail, p.hints.MaxAmountIn, "about %s is the most")
	case amountTooSmall:
		p.hints.MinAmountIn, again = c.amountLimit(ctx, req, &c.minAmounts, router.MinIn)
		p.detail = withLimit(p.detail, p.hints.MinAmountIn, "%s is the least")
	default:
		return err
	}
	if ctx.Err() != nil {
		return again
	}
	return p
}

// addUntried says in the problem how many pools of the pair no trial has told of yet.
func (c *snapshotCache) addUntried(req *request, p *problem) {
	if c.untried == nil {
		return
	}
	if p.hints.Untried = c.untried(req.TokenIn, req.TokenOut); p.hints.Untried > 0 {
		p.detail = "no pool of the tokens is proved yet; ask again in a minute"
	}
}

// withLimit adds a limit to a detail, if there is one.
func withLimit(detail, limit, format string) string {
	if limit == "" {
		return detail
	}
	return detail + ": " + fmt.Sprintf(format, limit)
}

// explainNoRoute says in the problem why there is no route, if the reason is that
// the caller wants shorter ones, excluded sources or did not include them, or that only verified tokens
// are allowed between the first and the last.
func (c *snapshotCache) explainNoRoute(ctx context.Context, req *request, p *problem) (err error) {
	open := *req
	if req.shaped {
		open.MaxHops, open.MaxSteps = 0, 0
		var path plan.Plan
		if path, err = c.alternative(ctx, router.Single, open.Order); len(path.Steps) > 0 {
			p.detail = fmt.Sprintf("no route is so short: the best path has %d steps; raise maxHops and maxSteps to that", len(path.Steps))
			return err
		}
	}
	open.Exclude = nil
	if len(req.Exclude) > 0 {
		if _, err = c.plan(ctx, &open); !errors.Is(err, router.ErrNoRoute) {
			p.detail, p.hints.ExcludedSources = "only excluded sources join the tokens; exclude fewer", req.excludedIDs
			if len(req.includedIDs) > 0 {
				p.detail = "only sources that are excluded or not included join the tokens; include more"
			}
			return err
		}
	}
	if open.VerifiedHops {
		open.VerifiedHops = false
		var path plan.Plan
		if path, err = c.alternative(ctx, router.Single, open.Order); len(path.Steps) > 0 {
			p.detail = "only unverified tokens lead from one token to the other, and this service does not route through them; choose other tokens"
			if req.onlyVerified {
				p.detail = "only unverified tokens lead from one token to the other; leave out onlyVerified, or choose other tokens"
			}
		}
	}
	return err
}

// amountLimit is the highest or lowest amount in that can be routed between the
// tokens, as compute finds it; empty if there is none.
func (c *snapshotCache) amountLimit(ctx context.Context, req *request, cached *resultCache[searchKey, u256.Int], compute func(*market.Snapshot, router.Order) (u256.Int, bool)) (string, error) {
	q := req.searchKey()
	q.amount = u256.Zero
	n, err := cached.get(ctx, q, func(ctx context.Context) (u256.Int, error) {
		return search(ctx, func() (u256.Int, error) { return orNoRoute(compute(c.Snapshot, req.Order)) })
	})
	if err == nil {
		n, err = req.beforeFee(calldata.FeeIn, n)
	}
	if err != nil {
		return "", err
	}
	return n.String(), nil
}

// bound is an amount out, in raw units, that no plan for the request exceeds;
// router.ErrNoRoute where none is found.
func (c *snapshotCache) bound(ctx context.Context, req *request) (u256.Int, error) {
	return c.bounds.get(ctx, req.searchKey(), func(ctx context.Context) (u256.Int, error) {
		return search(ctx, func() (u256.Int, error) { return orNoRoute(router.Bound(c.Snapshot, req.Order)) })
	})
}

// orNoRoute turns a missing result into router.ErrNoRoute.
func orNoRoute(n u256.Int, ok bool) (u256.Int, error) {
	if !ok {
		return n, router.ErrNoRoute
	}
	return n, nil
}
