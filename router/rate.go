package router

import (
	"math"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/u256"
)

const (
	// rateUSD is the value, in dollars, of the order by which the rate of a pair is found:
	// small enough to move prices of usual pools by less than a basis point, and large
	// enough that pools with dust in them do not matter.
	rateUSD = 100
	// rateImpactBps is how much an order of that value may move prices: the rate would hide
	// what it is there to show. A 16th of it is tried then, rateTries times in all.
	rateImpactBps, rateTries = 100, 4
	// rateDepth is the part of the market's depth, as a divisor, that serves where the first
	// token has no price or no such order is small enough.
	rateDepth = 1000
)

// Rate is what the market pays for a small order of a pair.
type Rate struct {
	PerUnit float64 // raw units of the last token for one of the first, gas aside
	Gas     uint64  // of the path that pays it

	rounding float64 // raw units of the last token that rounding may take on that path
}

// RateOf is the rate of the best single path for an order worth $100, or less in a market
// that is shallow, or else for a thousandth of the market's depth. It is a function of pair and snapshot alone, so that the price impacts
// of all orders of a pair can be compared.
func RateOf(s *market.Snapshot, in, out common.Address, verifiedHops bool) (Rate, error) {
	o := Order{TokenIn: in, TokenOut: out, VerifiedHops: verifiedHops}
	p, err := newProblem(s, o, false)
	if err != nil {
		return Rate{}, err
	}
	defer p.release()
	p.GasPrice = 0
	if price := s.Price(p.In).USD; price > 0 {
		amount := u256.FromFloat(rateUSD / price)
		for range rateTries {
			if r, impact, err := p.rate(amount); err == nil && impact <= rateImpactBps {
				return r, nil
			}
			amount = amount.Rsh(stride)
		}
	}
	depth, ok := p.depth()
	if !ok {
		return Rate{}, ErrNoRoute
	}
	r, _, err := p.rate(depth.Div(u256.From(rateDepth)))
	if err != nil { // a thousandth is too little to be swapped
		r, _, err = p.rate(depth)
	}
	return r, err
}

// depth is about the least amount for which the best path pays half of what it pays for
// the largest: of many pools there is no amount that they would not take.
func (p *problem) depth() (u256.Int, bool) {
	lo, hi, ok := p.passing()
	if !ok {
		return u256.Zero, false
	}
	most, _, _, _ := p.single(hi)
	from, to := lo.BitLen(), hi.BitLen() // the least power of two lies between
	for from < to {
		mid := (from + to) / 2
		if paid, _, _, err := p.single(u256.One.Lsh(uint(mid - 1))); err == nil && !paid.AmountOut.Lt(most.AmountOut.Rsh(1)) {
			to = mid
		} else {
			from = mid + 1
		}
	}
	return u256.One.Lsh(uint(to - 1)), true
}

// rate is what the best path pays for an amount, and how much less that is than at the
// prices of its pools, in basis points.
func (p *problem) rate(amount u256.Int) (Rate, int, error) {
	best, _, _, err := p.single(amount)
	if err != nil {
		return Rate{}, 0, err
	}
	_, rounding := best.Ideal()
	return Rate{best.AmountOut.Float() / best.AmountIn.Float(), best.Gas, rounding}, best.ImpactBps(), nil
}

// ImpactBps is the price impact of a plan in basis points: how much less it pays than the
// rate says. What rounding may take does not count, on the plan's way or on that of the
// rate, and gas that the plan saves against the latter counts as paid: an order that takes
// a path of a worse price for these reasons has no impact. gasPrice is that of a unit in
// raw units of the last token.
func (r Rate) ImpactBps(p *plan.Plan, gasPrice float64) int {
	const whole = 10_000
	ideal := r.PerUnit * p.AmountIn.Float()
	_, rounding := p.Ideal()
	paid := p.AmountOut.Float() + max(rounding, r.rounding)
	if p.Gas < r.Gas {
		paid += gasPrice * float64(r.Gas-p.Gas)
	}
	if !(paid < ideal) {
		return 0
	}
	return min(whole, int(math.Round(whole*(1-paid/ideal))))
}
