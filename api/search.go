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
type desk struct {
	*market.Snapshot
	slots   chan struct{} // of the server
	listing func() []listed
	venues  func() []sourceBody
	assets  func() []assetBody

	plans   memo[question, plan.Plan]
	bounds  memo[question, u256.Int]
	most    memo[question, u256.Int] // the largest amounts that can be routed
	least   memo[question, u256.Int]
	ladders memo[question, []point]
	rivals  memo[question, rivals]
}

// question is what a search depends on beside the snapshot and the settings.
type question struct {
	in, out common.Address
	amount  u256.Int
	without string // source ids in order
}

func (a *ask) question() question {
	return question{a.TokenIn, a.TokenOut, a.AmountIn, strings.Join(slices.Sorted(slices.Values(a.excluded)), ",")}
}

// desk of a snapshot. One that is not the newest is not kept.
func (s *server) desk(snap *market.Snapshot) *desk {
	d := s.current.Load()
	if d != nil && d.Snapshot == snap {
		return d
	}
	fresh := &desk{Snapshot: snap, slots: s.slots}
	fresh.listing = sync.OnceValue(func() []listed { return list(snap) })
	fresh.venues = sync.OnceValue(func() []sourceBody { return s.venues(fresh) })
	fresh.assets = sync.OnceValue(func() []assetBody { return assets(fresh) })
	if s.Head() == snap && !s.current.CompareAndSwap(d, fresh) {
		if d = s.current.Load(); d.Snapshot == snap {
			return d
		}
	}
	return fresh
}

// search waits until a core is free and works on it. A search is not
// interrupted, its effort being bounded.
func search[V any](ctx context.Context, d *desk, do func() (V, error)) (none V, _ error) {
	select {
	case d.slots <- struct{}{}:
		defer func() { <-d.slots }()
	case <-ctx.Done():
	}
	if err := ctx.Err(); err != nil {
		return none, err
	}
	return do()
}

// find is the best plan, or why there is none and what would do instead.
func (d *desk) find(ctx context.Context, a *ask) (plan.Plan, error) {
	p, err := d.plan(ctx, a)
	if err != nil {
		return p, d.explain(ctx, a, err)
	}
	return p, nil
}

func (d *desk) plan(ctx context.Context, a *ask) (plan.Plan, error) {
	return d.plans.get(ctx, a.question(), func(ctx context.Context) (plan.Plan, error) {
		return search(ctx, d, func() (plan.Plan, error) { return router.Find(d.Snapshot, a.Order) })
	})
}

// explain adds what would have worked instead.
func (d *desk) explain(ctx context.Context, a *ask, err error) error {
	p := asProblem(err)
	var again error
	switch p.code {
	case noRoute:
		again = d.obstacle(ctx, a, p)
	case insufficientLiquidity:
		p.hints.MaxAmountIn, again = d.limit(ctx, a, &d.most, router.MaxIn)
		p.detail = withLimit(p.detail, p.hints.MaxAmountIn, "about %s is the most")
	case amountTooSmall:
		p.hints.MinAmountIn, again = d.limit(ctx, a, &d.least, router.MinIn)
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
func (d *desk) obstacle(ctx context.Context, a *ask, p *problem) (err error) {
	open := *a
	open.excluded, open.Exclude = nil, nil
	if len(a.excluded) > 0 {
		if _, err = d.plan(ctx, &open); !errors.Is(err, router.ErrNoRoute) {
			p.detail, p.hints.ExcludedSources = "only excluded sources join the tokens; exclude fewer", a.excluded
			return err
		}
	}
	if open.VerifiedHops {
		open.VerifiedHops = false
		var path plan.Plan
		if path, err = d.rival(ctx, router.Single, open.Order); len(path.Steps) > 0 {
			p.detail = "only unverified tokens lead from one token to the other, and this service does not route through them; choose other tokens"
		}
	}
	return err
}

// limit of what can be routed between the tokens; empty if nothing can.
func (d *desk) limit(ctx context.Context, a *ask, kept *memo[question, u256.Int], of func(*market.Snapshot, router.Order) (u256.Int, bool)) (string, error) {
	q := a.question()
	q.amount = u256.Zero
	n, err := kept.get(ctx, q, func(ctx context.Context) (u256.Int, error) {
		return search(ctx, d, func() (u256.Int, error) { return found(of(d.Snapshot, a.Order)) })
	})
	if err != nil {
		return "", err
	}
	return n.String(), nil
}

// bound is what no plan pays more than; router.ErrNoRoute where none is found.
func (d *desk) bound(ctx context.Context, a *ask) (u256.Int, error) {
	return d.bounds.get(ctx, a.question(), func(ctx context.Context) (u256.Int, error) {
		return search(ctx, d, func() (u256.Int, error) { return found(router.Bound(d.Snapshot, a.Order)) })
	})
}

func found(n u256.Int, ok bool) (u256.Int, error) {
	if !ok {
		return n, router.ErrNoRoute
	}
	return n, nil
}
