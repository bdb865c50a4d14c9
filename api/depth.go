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
	TokenIn  string       `json:"tokenIn"`
	TokenOut string       `json:"tokenOut"`
	Points   []depthPoint `json:"points"`
}

// point is what an amount pays, by a plan of its own.
type depthPoint struct {
	AmountIn       string `json:"amountIn"`
	AmountOut      string `json:"amountOut"`
	PriceImpactBps int    `json:"priceImpactBps"`
}

// depth shows what the market pays for amounts from little to a lot.
func (s *server) depth(w *response) error {
	q := readQuery(w, depthParameters)
	req := s.parsePair(q)
	if _, given := q.optional("amount"); given {
		req.AmountIn = q.amount("amount")
	}
	if err := q.err(); err != nil {
		return err
	}
	c, err := s.headFor(w)
	if err != nil {
		return err
	}
	if err := checkTokens(c.Snapshot, req); err != nil {
		return err
	}
	ctx, cancel := s.budget(w)
	defer cancel()
	points, err := c.depths.get(ctx, req.searchKey(), func(ctx context.Context) ([]depthPoint, error) {
		l := depthSearch{ctx, c, req}
		return l.points()
	})
	if err != nil {
		return err
	}
	return w.writeUncached(depthBody{lowerHex(req.TokenIn), lowerHex(req.TokenOut), points})
}

const (
	depthPoints       = 24
	maxDepthImpactBps = 3000 // the impact at which a ladder ends
	startUSD          = 10   // what its least amount is worth, about
	strideBits        = 4    // bits between the amounts that look for its ends
	bisections        = 3    // of a stride, to find the upper end
)

// ladder is a series of amounts, each some part larger than the one before,
// from where the price is hardly moved to where it falls by a third or the
// market ends. It searches anew for each.
type depthSearch struct {
	ctx context.Context
	*snapshotCache
	request request
}

func (s *depthSearch) points() ([]depthPoint, error) {
	lo, hi, err := s.amountRange()
	if err != nil {
		return nil, s.addHints(s.ctx, &s.request, err)
	}
	var points []depthPoint
	var last u256.Int
	for _, amount := range s.amounts(lo, hi) {
		p, err := s.planFor(amount)
		if isOutsideLimits(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		// More never pays less: where a plan says so, the one before is better.
		if !p.AmountOut.Lt(last) {
			last = p.AmountOut
			points = append(points, depthPoint{amount.String(), last.String(), p.ImpactBps()})
		}
	}
	return points, nil
}

func (s *depthSearch) planFor(amount u256.Int) (plan.Plan, error) {
	o := s.request.Order
	o.AmountIn = amount
	return search(s.ctx, s.snapshotCache, func() (plan.Plan, error) { return router.Find(s.Snapshot, o) })
}

// first is about what the least amount should be: worth a few dollars, or else
// what was asked for, or else one token.
func (s *depthSearch) startAmount() u256.Int {
	i, _ := s.Token(s.request.TokenIn)
	worth, amount := s.Price(i).USD, s.request.AmountIn
	switch {
	case worth > 0:
		amount = u256.FromFloat(startUSD / worth)
	case amount.IsZero():
		amount = u256.FromFloat(math.Pow10(min(int(s.Tokens()[i].Decimals), 36)))
	}
	if amount.IsZero() {
		amount = u256.One
	}
	return amount
}

// ends looks for the amounts between which the market is worth seeing.
func (s *depthSearch) amountRange() (lo, hi u256.Int, err error) {
	start, err := s.startPlan()
	lo, hi = start.AmountIn, start.AmountIn
	past := u256.Zero // the least amount known to be too much
	for err == nil && past.IsZero() && hi.BitLen()+strideBits <= 256 {
		hi, past, err = s.narrow(start, hi, past, hi.Lsh(strideBits))
	}
	for i := 0; i < bisections && err == nil && !past.IsZero(); i++ {
		hi, past, err = s.narrow(start, hi, past, u256.FromFloat(math.Sqrt(hi.Float())*math.Sqrt(past.Float())))
	}
	if !past.IsZero() {
		hi = past
	}
	return lo, hi, err
}

// foot is the plan for an amount near the first one that the market takes
// without being moved much, or for the least it takes.
func (s *depthSearch) startPlan() (plan.Plan, error) {
	amount := s.startAmount()
	p, err := s.planFor(amount)
	for errors.Is(err, venue.ErrTooSmall) && amount.BitLen()+strideBits <= 256 {
		amount = amount.Lsh(strideBits)
		p, err = s.planFor(amount)
	}
	for errors.Is(err, venue.ErrTooLarge) || err == nil && p.ImpactBps() > maxDepthImpactBps/10 {
		amount = amount.Rsh(strideBits)
		less, below := s.planFor(amount)
		if errors.Is(below, venue.ErrTooSmall) {
			break
		}
		p, err = less, below
	}
	return p, err
}

// move takes one of the ends, between which the price falls by a third, to an
// amount.
func (s *depthSearch) narrow(start plan.Plan, within, past, amount u256.Int) (u256.Int, u256.Int, error) {
	deep, err := s.isTooDeep(start, amount)
	if deep {
		return within, amount, err
	}
	return amount, past, err
}

// beyond says whether an amount is outside what the market takes.
func isOutsideLimits(err error) bool {
	return errors.Is(err, venue.ErrTooLarge) || errors.Is(err, venue.ErrTooSmall)
}

// deep says whether an amount is too much, or moves the price by a third from
// what the start pays. A plan that takes to worse pools hides that in an
// impact which is counted from their own prices.
func (s *depthSearch) isTooDeep(start plan.Plan, amount u256.Int) (bool, error) {
	p, err := s.planFor(amount)
	if isOutsideLimits(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	rate := p.AmountOut.Float() / amount.Float()
	return p.ImpactBps() >= maxDepthImpactBps || rate < (1-maxDepthImpactBps/10000.)*start.AmountOut.Float()/start.AmountIn.Float(), nil
}

// amounts are round numbers and the one that was asked for, in order and each
// once. Which numbers is our choice, so floats may choose.
func (s *depthSearch) amounts(lo, hi u256.Int) []u256.Int {
	amounts := make([]u256.Int, 0, depthPoints+1)
	ratio := math.Log(hi.Float()/lo.Float()) / (depthPoints - 1)
	for i := range depthPoints {
		amounts = append(amounts, roundDown(u256.FromFloat(lo.Float()*math.Exp(ratio*float64(i)))))
	}
	if n := s.request.AmountIn; !n.IsZero() {
		amounts = append(amounts, n)
	}
	slices.SortFunc(amounts, u256.Int.Cmp)
	return slices.Compact(amounts)
}

// round keeps three digits.
func roundDown(n u256.Int) u256.Int {
	unit := u256.One
	for ten := u256.From(10); !n.Div(unit).Lt(u256.From(1000)); {
		unit = unit.Mul(ten)
	}
	return n.Div(unit).Mul(unit)
}
