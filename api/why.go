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

// whyBody is what less effort would have paid: the best plan on one venue
// alone, the best single path, the best single pool.
type whyBody struct {
	Venue *rivalBody `json:"venue,omitempty"`
	Path  *rivalBody `json:"path,omitempty"`
	Pool  *rivalBody `json:"pool,omitempty"`
}

// rivalBody is what another plan pays, and how much more ours does.
type rivalBody struct {
	AmountOut string     `json:"amountOut"`
	GainBps   float64    `json:"gainBps"`
	GainUsd   string     `json:"gainUsd"`
	Sources   []string   `json:"sources"`
	Pools     []venue.ID `json:"pools"`
}

// rivals are the plans of a whyBody; those that do not exist have no steps.
type rivals struct{ venue, path, pool plan.Plan }

func (t *trade) why(ctx context.Context) (*whyBody, error) {
	r, err := t.desk.rivals.get(ctx, t.question(), func(ctx context.Context) (rivals, error) { return t.desk.compete(ctx, &t.ask) })
	if err != nil {
		return nil, err
	}
	return &whyBody{Venue: t.over(&r.venue), Path: t.over(&r.path), Pool: t.over(&r.pool)}, nil
}

// compete plans with less. A venue can do it alone only if it trades both
// tokens.
func (d *desk) compete(ctx context.Context, a *ask) (r rivals, err error) {
	direct := a.Order
	direct.MaxHops = 1
	if r.pool, err = d.rival(ctx, router.Single, direct); err != nil {
		return r, err
	}
	if r.path, err = d.rival(ctx, router.Single, a.Order); err != nil {
		return r, err
	}
	in, out := d.traders(a.TokenIn), d.traders(a.TokenOut)
	for _, id := range in {
		if a.Exclude[id] || !slices.Contains(out, id) {
			continue
		}
		alone := a.Order
		alone.Exclude = map[string]bool{}
		for _, row := range d.Graph().Sources {
			alone.Exclude[row.ID] = row.ID != id
		}
		p, err := d.rival(ctx, router.Find, alone)
		if err != nil {
			return r, err
		}
		if p.AmountOut.Gt(r.venue.AmountOut) {
			r.venue = p
		}
	}
	return r, nil
}

// rival is a plan, or none.
func (d *desk) rival(ctx context.Context, find func(*market.Snapshot, router.Order) (plan.Plan, error), o router.Order) (plan.Plan, error) {
	p, err := search(ctx, d, func() (plan.Plan, error) { return find(d.Snapshot, o) })
	if errors.Is(err, router.ErrNoRoute) || beyond(err) {
		return plan.Plan{}, nil
	}
	return p, err
}

// traders are the sources with a pool of the token, in order.
func (d *desk) traders(a common.Address) (ids []string) {
	token, _ := d.Token(a)
	for e := range d.Edges(token) {
		ids = append(ids, d.Pools()[e.Pool].Info().Source.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// over is a rival against the plan of the trade; nil where there is none.
func (t *trade) over(p *plan.Plan) *rivalBody {
	if len(p.Steps) == 0 {
		return nil
	}
	ours, theirs := t.plan.AmountOut, p.AmountOut
	more, sign := ours.Sub(theirs), ""
	if ours.Lt(theirs) {
		more, sign = theirs.Sub(ours), "-"
	}
	bps := math.Round(1e8*more.Float()/theirs.Float()) / 1e4
	if sign != "" {
		bps = -bps
	}
	usd := usd(more, t.desk.USD(t.TokenOut))
	if usd != unpriced {
		usd = sign + usd
	}
	b := &rivalBody{AmountOut: theirs.String(), GainBps: bps, GainUsd: usd}
	for i := range p.Steps {
		info := p.Steps[i].Pool.Info()
		b.Pools = append(b.Pools, info.ID)
		if !slices.Contains(b.Sources, info.Source.ID) {
			b.Sources = append(b.Sources, info.Source.ID)
		}
	}
	return b
}
