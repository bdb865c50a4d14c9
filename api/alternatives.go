package api

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/router"
	"braid/venue"
)

// whyBody is what include=why adds, to show what the search gained: the best plan
// with one source alone, the best plan of one path without a split, and the best
// single pool.
type whyBody struct {
	Venue *alternativeBody `json:"venue,omitempty"`
	Path  *alternativeBody `json:"path,omitempty"`
	Pool  *alternativeBody `json:"pool,omitempty"`
}

// alternativeBody is what another plan pays, and how much more the quoted one
// does: in 1/10000 of the alternative's amount out, and in USD.
type alternativeBody struct {
	AmountOut string     `json:"amountOut"`
	GainBps   float64    `json:"gainBps"`
	GainUsd   string     `json:"gainUsd"`
	Sources   []string   `json:"sources"`
	Pools     []venue.ID `json:"pools"`
}

// alternatives are the plans of a whyBody; one that does not exist has no steps.
type alternatives struct{ venue, path, pool plan.Plan }

// why compares the quote with its alternatives.
func (q *quote) why(ctx context.Context) (*whyBody, error) {
	r, err := q.cache.alternatives.get(ctx, q.searchKey(), func(ctx context.Context) (alternatives, error) { return q.cache.findAlternatives(ctx, &q.request) })
	if err != nil {
		return nil, err
	}
	return &whyBody{Venue: q.compare(&r.venue), Path: q.compare(&r.path), Pool: q.compare(&r.pool)}, nil
}

// findAlternatives searches for the plans of a whyBody. A source can fill an order
// alone only if it has pools of both tokens.
func (c *snapshotCache) findAlternatives(ctx context.Context, req *request) (r alternatives, err error) {
	direct := req.Order
	direct.MaxHops = 1
	if r.pool, err = c.alternative(ctx, router.Single, direct); err != nil {
		return r, err
	}
	if r.path, err = c.alternative(ctx, router.Single, req.Order); err != nil {
		return r, err
	}
	in, out := c.sourcesOf(req.TokenIn), c.sourcesOf(req.TokenOut)
	for _, id := range in {
		if req.Exclude[id] || !slices.Contains(out, id) {
			continue
		}
		alone := req.Order
		alone.Exclude = map[string]bool{}
		for _, row := range c.Graph().Sources {
			alone.Exclude[row.ID] = row.ID != id
		}
		p, err := c.alternative(ctx, router.Find, alone)
		if err != nil {
			return r, err
		}
		if p.AmountOut.Gt(r.venue.AmountOut) {
			r.venue = p
		}
	}
	return r, nil
}

// alternative is a plan, or one without steps if there is none.
func (c *snapshotCache) alternative(ctx context.Context, find func(*market.Snapshot, router.Order) (plan.Plan, error), o router.Order) (plan.Plan, error) {
	p, err := search(ctx, func() (plan.Plan, error) { return find(c.Snapshot, o) })
	if errors.Is(err, router.ErrNoRoute) || isOutsideLimits(err) {
		return plan.Plan{}, nil
	}
	return p, err
}

// sourcesOf are the ids of the sources with a pool of the token, sorted.
func (c *snapshotCache) sourcesOf(a common.Address) (ids []string) {
	token, _ := c.Token(a)
	for e := range c.Edges(token) {
		ids = append(ids, c.Pools()[e.Pool].Info().Source.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// compare is an alternative and what the quote pays more; nil if it has no steps.
func (q *quote) compare(p *plan.Plan) *alternativeBody {
	if len(p.Steps) == 0 {
		return nil
	}
	ours, theirs := q.plan.AmountOut, p.AmountOut
	more, sign := ours.Sub(theirs), ""
	if ours.Lt(theirs) {
		more, sign = theirs.Sub(ours), "-"
	}
	bps := math.Round(1e8*more.Float()/theirs.Float()) / 1e4
	if sign != "" {
		bps = -bps
	}
	usd := formatUSD(more, q.cache.USD(q.TokenOut))
	if usd != unknownPrice {
		usd = sign + usd
	}
	b := &alternativeBody{AmountOut: theirs.String(), GainBps: bps, GainUsd: usd}
	for i := range p.Steps {
		info := p.Steps[i].Pool.Info()
		b.Pools = append(b.Pools, info.ID)
		if !slices.Contains(b.Sources, info.Source.ID) {
			b.Sources = append(b.Sources, info.Source.ID)
		}
	}
	return b
}
