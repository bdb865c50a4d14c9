package balancer

import (
	"braid/u256"
	"braid/venue"
)

var maxInRatio = u256.From(30e16)

// weightedOut is onSwap of WeightedPool: what a pool pays for an amount, both
// scaled to 18 decimals.
func (p *Pool) weightedOut(in, out int, amountIn u256.Int) (u256.Int, error) {
	f := p.form
	balanceIn, balanceOut := p.live[in].Add(u256.One), p.live[out]
	if balanceIn.Lt(f.least[in]) || balanceOut.IsZero() {
		return u256.Zero, venue.ErrEmpty
	}
	var c checked
	if amountIn.Gt(c.mulDown(balanceIn, maxInRatio)) {
		return u256.Zero, venue.ErrTooLarge
	}
	base := c.divUp(balanceIn, c.add(balanceIn, amountIn))
	power := powUp(base, c.divDown(f.weight[in], f.weight[out]))
	var amountOut u256.Int
	if power.Lt(one) {
		amountOut = c.mulDown(balanceOut, one.Sub(power))
	}
	if left := c.sub(balanceOut, amountOut); c.broken || left.Lt(f.least[out]) {
		return u256.Zero, venue.ErrTooLarge
	}
	return amountOut, nil
}

// weightedSpot is the price at which weightedOut begins.
func (p *Pool) weightedSpot(in, out int) float64 {
	f := p.form
	if p.live[in].IsZero() || p.live[out].IsZero() {
		return 0
	}
	return p.live[out].Float() / f.weight[out].Float() * f.weight[in].Float() / p.live[in].Float()
}
