package api

import (
	"context"
	"errors"
	"math"
	"slices"

	"braid/plan"
	"braid/router"
	"braid/u256"
	"braid/venue"
)

var depthParameters = []string{"tokenIn", "tokenOut", "amount", "excludeSources", "chainId"}

type depthBody struct {
	TokenIn  string  `json:"tokenIn"`
	TokenOut string  `json:"tokenOut"`
	Points   []point `json:"points"`
}

// point is what an amount pays, by a plan of its own.
type point struct {
	AmountIn       string `json:"amountIn"`
	AmountOut      string `json:"amountOut"`
	PriceImpactBps int    `json:"priceImpactBps"`
}

// depth shows what the market pays for amounts from little to a lot.
func (s *server) depth(x *exchange) error {
	q := read(x, depthParameters)
	a := s.askPair(q)
	if _, given := q.optional("amount"); given {
		a.AmountIn = q.amount("amount")
	}
	if err := q.err(); err != nil {
		return err
	}
	d, err := s.newest(x)
	if err != nil {
		return err
	}
	if err := unknownTokens(d.Snapshot, a); err != nil {
		return err
	}
	ctx, cancel := s.budget(x)
	defer cancel()
	points, err := d.ladders.get(ctx, a.question(), func(ctx context.Context) ([]point, error) {
		l := ladder{ctx, d, a}
		return l.points()
	})
	if err != nil {
		return err
	}
	return x.fresh(depthBody{lower(a.TokenIn), lower(a.TokenOut), points})
}

const (
	rungs    = 24
	deepBps  = 3000 // the impact at which a ladder ends
	firstUSD = 10   // what its least amount is worth, about
	stride   = 4    // bits between the amounts that look for its ends
	halvings = 3    // of a stride, to find the upper end
)

// ladder is a series of amounts, each some part larger than the one before,
// from where the price is hardly moved to where it falls by a third or the
// market ends. It searches anew for each.
type ladder struct {
	ctx context.Context
	*desk
	ask ask
}

func (l *ladder) points() ([]point, error) {
	lo, hi, err := l.ends()
	if err != nil {
		return nil, l.explain(l.ctx, &l.ask, err)
	}
	var points []point
	var last u256.Int
	for _, amount := range l.amounts(lo, hi) {
		p, err := l.at(amount)
		if beyond(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// More never pays less: where a plan says so, the one before is better.
		if !p.AmountOut.Lt(last) {
			last = p.AmountOut
			points = append(points, point{amount.String(), last.String(), p.ImpactBps()})
		}
	}
	return points, nil
}

func (l *ladder) at(amount u256.Int) (plan.Plan, error) {
	o := l.ask.Order
	o.AmountIn = amount
	return search(l.ctx, l.desk, func() (plan.Plan, error) { return router.Find(l.Snapshot, o) })
}

// first is about what the least amount should be: worth a few dollars, or else
// what was asked for, or else one token.
func (l *ladder) first() u256.Int {
	i, _ := l.Token(l.ask.TokenIn)
	worth, amount := l.Price(i).USD, l.ask.AmountIn
	switch {
	case worth > 0:
		amount = u256.FromFloat(firstUSD / worth)
	case amount.IsZero():
		amount = u256.FromFloat(math.Pow10(min(int(l.Tokens()[i].Decimals), 36)))
	}
	if amount.IsZero() {
		amount = u256.One
	}
	return amount
}

// ends looks for the amounts between which the market is worth seeing.
func (l *ladder) ends() (lo, hi u256.Int, err error) {
	start, err := l.foot()
	lo, hi = start.AmountIn, start.AmountIn
	past := u256.Zero // the least amount known to be too much
	for err == nil && past.IsZero() && hi.BitLen()+stride <= 256 {
		hi, past, err = l.move(start, hi, past, hi.Lsh(stride))
	}
	for i := 0; i < halvings && err == nil && !past.IsZero(); i++ {
		hi, past, err = l.move(start, hi, past, u256.FromFloat(math.Sqrt(hi.Float())*math.Sqrt(past.Float())))
	}
	if !past.IsZero() {
		hi = past
	}
	return lo, hi, err
}

// foot is the plan for an amount near the first one that the market takes
// without being moved much, or for the least it takes.
func (l *ladder) foot() (plan.Plan, error) {
	amount := l.first()
	p, err := l.at(amount)
	for errors.Is(err, venue.ErrTooSmall) && amount.BitLen()+stride <= 256 {
		amount = amount.Lsh(stride)
		p, err = l.at(amount)
	}
	for errors.Is(err, venue.ErrTooLarge) || err == nil && p.ImpactBps() > deepBps/10 {
		amount = amount.Rsh(stride)
		less, below := l.at(amount)
		if errors.Is(below, venue.ErrTooSmall) {
			break
		}
		p, err = less, below
	}
	return p, err
}

// move takes one of the ends, between which the price falls by a third, to an
// amount.
func (l *ladder) move(start plan.Plan, within, past, amount u256.Int) (u256.Int, u256.Int, error) {
	deep, err := l.deep(start, amount)
	if deep {
		return within, amount, err
	}
	return amount, past, err
}

// beyond says whether an amount is outside what the market takes.
func beyond(err error) bool {
	return errors.Is(err, venue.ErrTooLarge) || errors.Is(err, venue.ErrTooSmall)
}

// deep says whether an amount is too much, or moves the price by a third from
// what the start pays. A plan that takes to worse pools hides that in an
// impact which is counted from their own prices.
func (l *ladder) deep(start plan.Plan, amount u256.Int) (bool, error) {
	p, err := l.at(amount)
	if beyond(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	rate := p.AmountOut.Float() / amount.Float()
	return p.ImpactBps() >= deepBps || rate < (1-deepBps/10000.)*start.AmountOut.Float()/start.AmountIn.Float(), nil
}

// amounts are round numbers and the one that was asked for, in order and each
// once. Which numbers is our choice, so floats may choose.
func (l *ladder) amounts(lo, hi u256.Int) []u256.Int {
	amounts := make([]u256.Int, 0, rungs+1)
	ratio := math.Log(hi.Float()/lo.Float()) / (rungs - 1)
	for i := range rungs {
		amounts = append(amounts, round(u256.FromFloat(lo.Float()*math.Exp(ratio*float64(i)))))
	}
	if n := l.ask.AmountIn; !n.IsZero() {
		amounts = append(amounts, n)
	}
	slices.SortFunc(amounts, u256.Int.Cmp)
	return slices.Compact(amounts)
}

// round keeps three digits.
func round(n u256.Int) u256.Int {
	unit := u256.One
	for ten := u256.From(10); !n.Div(unit).Lt(u256.From(1000)); {
		unit = unit.Mul(ten)
	}
	return n.Div(unit).Mul(unit)
}
