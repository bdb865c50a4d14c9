package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/router"
	"braid/u256"
)

// desk is one snapshot and what has been found out about it. It is left with
// the snapshot, so nothing on it can be out of date.
type snapshotCache struct {
	*market.Snapshot
	semaphore    chan struct{} // of the server
	listedTokens func() []listedToken
	sourceBodies func() []sourceBody
	tokenBodies  func() []marketTokenBody

	plans        resultCache[searchKey, plan.Plan]
	bounds       resultCache[searchKey, u256.Int]
	maxAmounts   resultCache[searchKey, u256.Int] // the largest amounts that can be routed
	minAmounts   resultCache[searchKey, u256.Int]
	depths       resultCache[searchKey, []depthPoint]
	alternatives resultCache[searchKey, alternatives]
}

// question is what a search depends on beside the snapshot and the settings.
type searchKey struct {
	in, out  common.Address
	amount   u256.Int
	excluded string // source ids in order
}

func (req *request) searchKey() searchKey {
	return searchKey{req.TokenIn, req.TokenOut, req.AmountIn, strings.Join(slices.Sorted(slices.Values(req.excludedIDs)), ",")}
}

// desk of a snapshot. One that is not the newest is not kept.
func (s *server) cacheOf(snap *market.Snapshot) *snapshotCache {
	c := s.cache.Load()
	if c != nil && c.Snapshot == snap {
		return c
	}
	fresh := &snapshotCache{Snapshot: snap, semaphore: s.semaphore}
	fresh.listedTokens = sync.OnceValue(func() []listedToken { return listTokens(snap) })
	fresh.sourceBodies = sync.OnceValue(func() []sourceBody { return s.sourceBodies(fresh) })
	fresh.tokenBodies = sync.OnceValue(func() []marketTokenBody { return marketTokens(fresh) })
	if s.Head() == snap && !s.cache.CompareAndSwap(c, fresh) {
		if c = s.cache.Load(); c.Snapshot == snap {
			return c
		}
	}
	return fresh
}

// search waits until a core is free and works on it. A search is not
// interrupted, its effort being bounded.
func search[V any](ctx context.Context, c *snapshotCache, do func() (V, error)) (none V, _ error) {
	select {
	case c.semaphore <- struct{}{}:
		defer func() { <-c.semaphore }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return none, err
	}
	return do()
}

// find is the best plan, or why there is none and what would do instead.
func (c *snapshotCache) find(ctx context.Context, req *request) (plan.Plan, error) {
	p, err := c.plan(ctx, req)
	if err != nil {
		return p, c.addHints(ctx, req, err)
	}
	return p, nil
}

func (c *snapshotCache) plan(ctx context.Context, req *request) (plan.Plan, error) {
	return c.plans.get(ctx, req.searchKey(), func(ctx context.Context) (plan.Plan, error) {
		return search(ctx, c, func() (plan.Plan, error) { return router.Find(c.Snapshot, req.Order) })
	})
}

// explain adds what would have worked instead.
func (c *snapshotCache) addHints(ctx context.Context, req *request, err error) error {
	p := asProblem(err)
	var again error
	switch p.code {
	case noRoute:
		again = c.explainNoRoute(ctx, req, p)
	case insufficientLiquidity:
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

// withLimit adds a limit to a sentence, if there is one.
func withLimit(detail, limit, format string) string {
	if limit == "" {
		return detail
	}
	return detail + ": " + fmt.Sprintf(format, limit)
}

// obstacle says what stands in the way of a route: what the caller excluded, or
// the operator's rule for tokens in mid-route.
func (c *snapshotCache) explainNoRoute(ctx context.Context, req *request, p *problem) (err error) {
	open := *req
	open.excludedIDs, open.Exclude = nil, nil
	if len(req.excludedIDs) > 0 {
		if _, err = c.plan(ctx, &open); !errors.Is(err, router.ErrNoRoute) {
			p.detail, p.hints.ExcludedSources = "only excluded sources join the tokens; exclude fewer", req.excludedIDs
			return err
		}
	}
	if open.VerifiedHops {
		open.VerifiedHops = false
		var path plan.Plan
		if path, err = c.alternative(ctx, router.Single, open.Order); len(path.Steps) > 0 {
			p.detail = "only unverified tokens lead from one token to the other, and this service does not route through them; choose other tokens"
		}
	}
	return err
}

// limit of what can be routed between the tokens; empty if nothing can.
func (c *snapshotCache) amountLimit(ctx context.Context, req *request, kept *resultCache[searchKey, u256.Int], of func(*market.Snapshot, router.Order) (u256.Int, bool)) (string, error) {
	q := req.searchKey()
	q.amount = u256.Zero
	n, err := kept.get(ctx, q, func(ctx context.Context) (u256.Int, error) {
		return search(ctx, c, func() (u256.Int, error) { return orNoRoute(of(c.Snapshot, req.Order)) })
	})
	if err != nil {
		return "", err
	}
	return n.String(), nil
}

// bound is what no plan pays more than; router.ErrNoRoute where none is found.
func (c *snapshotCache) bound(ctx context.Context, req *request) (u256.Int, error) {
	return c.bounds.get(ctx, req.searchKey(), func(ctx context.Context) (u256.Int, error) {
		return search(ctx, c, func() (u256.Int, error) { return orNoRoute(router.Bound(c.Snapshot, req.Order)) })
	})
}

func orNoRoute(n u256.Int, ok bool) (u256.Int, error) {
	if !ok {
		return n, router.ErrNoRoute
	}
	return n, nil
}
