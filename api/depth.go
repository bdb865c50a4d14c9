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

var depthParameters = []string{"tokenIn", "tokenOut", "amount", "excludeSources", "includeSources", "onlyVerified", "maxSteps", "maxHops", "chainId"}

// depthBody is the JSON of /depth; the points are sorted by amount in.
type depthBody struct {
	TokenIn  string       `json:"tokenIn"`
	TokenOut string       `json:"tokenOut"`
	Points   []depthPoint `json:"points"`
}

// depthPoint is what an amount in pays, in raw units, by a plan of its own.
type depthPoint struct {
	AmountIn       string `json:"amountIn"`
	AmountOut      string `json:"amountOut"`
	PriceImpactBps int    `json:"priceImpactBps"`
}

// depth is the endpoint /depth: what the market pays for amounts from where the
// price hardly moves to where it has fallen by maxDepthImpactBps.
func (s *server) depth(w *response) error {
	req, err := s.parseDepth(w)
	if err != nil {
		return err
	}
	ctx, end := s.budget(w)
	defer end()
	c, err := s.admit(ctx, w, func(c *snapshotCache) bool { return c.depths.has(req.searchKey()) })
	if err != nil {
		return err
	}
	if err := c.checkTokens(req); err != nil {
		return err
	}
	points, err := c.depths.get(ctx, req.searchKey(), func(ctx context.Context) ([]depthPoint, error) {
		search := depthSearch{ctx, c, req}
		return search.points()
	})
	if err != nil {
		return err
	}
	return w.writeUncached(depthBody{lowerHex(req.TokenIn), lowerHex(req.TokenOut), points})
}

// parseDepth reads the parameters of /depth. The amount is optional; 0: not given.
func (s *server) parseDepth(w *response) (request, error) {
	q := readQuery(w, depthParameters)
	req := s.parsePair(q)
	if _, given := q.optional("amount"); given {
		req.AmountIn = q.amount("amount")
	}
	return req, q.err()
}

const (
	depthPoints       = 24   // amounts of a chart, about; also what a request costs, in quotes
	maxDepthImpactBps = 3000 // fall of the price, in 1/10000, at which a chart ends
	startUSD          = 10   // value of the lowest amount in USD, about
	strideBits        = 4    // factor between the amounts tried to find the range, as a power of 2
	bisections        = 3    // steps that narrow the upper end of the range within one such factor
)

// depthSearch computes the points of one request. The amounts are a geometric
// series over the range that amountRange finds, and each has a plan of its own.
type depthSearch struct {
	ctx context.Context
	*snapshotCache
	request request
}

// points are sorted by amount in, and their amounts out do not fall.
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
		// A higher amount never pays less: where its plan does, the point is left out.
		if !p.AmountOut.Lt(last) {
			last = p.AmountOut
			impact, err := s.impact(s.ctx, &p)
			if err != nil {
				return nil, err
			}
			points = append(points, depthPoint{amount.String(), last.String(), impact})
		}
	}
	return points, nil
}

// planFor is the best plan for an amount in.
func (s *depthSearch) planFor(amount u256.Int) (plan.Plan, error) {
	o := s.request.Order
	o.AmountIn = amount
	return search(s.ctx, func() (plan.Plan, error) { return router.Find(s.Snapshot, o) })
}

// startAmount is the amount in that the search begins with: of the value startUSD,
// or if the token has no price, the amount of the request, or else one token.
func (s *depthSearch) startAmount() u256.Int {
	i, _ := s.Token(s.request.TokenIn)
	price, amount := s.Price(i).USD, s.request.AmountIn
	switch {
	case price > 0:
		amount = u256.FromFloat(startUSD / price)
	case amount.IsZero():
		amount = u256.FromFloat(math.Pow10(min(int(s.Tokens()[i].Decimals), 36)))
	}
	if amount.IsZero() {
		amount = u256.One
	}
	return amount
}

// amountRange finds the lowest and the highest amount of the chart. The highest is
// the first one tried that is too deep (see isTooDeep), narrowed by bisection.
func (s *depthSearch) amountRange() (lo, hi u256.Int, err error) {
	start, err := s.startPlan()
	lo, hi = start.AmountIn, start.AmountIn
	past := u256.Zero // the lowest amount known to be too deep; 0: none yet
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

// startPlan is the plan for an amount near startAmount whose price impact is at
// most a tenth of maxDepthImpactBps, or for the lowest amount that can be swapped.
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

// narrow moves one end of the interval (within, past) to an amount: past if the
// amount is too deep, otherwise within.
func (s *depthSearch) narrow(start plan.Plan, within, past, amount u256.Int) (u256.Int, u256.Int, error) {
	tooDeep, err := s.isTooDeep(start, amount)
	if tooDeep {
		return within, amount, err
	}
	return amount, past, err
}

// isOutsideLimits says whether an error means that the amount is too high or too
// low to be swapped.
func isOutsideLimits(err error) bool {
	return errors.Is(err, venue.ErrTooLarge) || errors.Is(err, venue.ErrTooSmall)
}

// isTooDeep says whether an amount cannot be swapped, or pays a price that is
// maxDepthImpactBps or more below that of the start. The plan's own impact is not
// enough: it is relative to the spot prices of the pools used, and those of worse
// pools are lower.
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

// amounts are a geometric series from lo to hi, rounded to three digits, and the
// amount of the request; sorted, each once. Floats may choose which amounts are
// shown: each of them is then quoted in integers.
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

// roundDown keeps the first three decimal digits.
func roundDown(n u256.Int) u256.Int {
	unit := u256.One
	for ten := u256.From(10); !n.Div(unit).Lt(u256.From(1000)); {
		unit = unit.Mul(ten)
	}
	return n.Div(unit).Mul(unit)
}
