package balancer

import (
	"braid/u256"
	"braid/venue"
)

const rounds = 255 // that the loops are given to converge

var (
	ampPrecision      = u256.From(1e3)
	maxImbalanceRatio = u256.From(10_000)
)

// stableOut is onSwap of StablePool: what a pool pays for an amount, both
// scaled to 18 decimals.
func (p *Pool) stableOut(in, out int, amountIn u256.Int) (u256.Int, error) {
	if p.invariant.IsZero() {
		return u256.Zero, venue.ErrEmpty
	}
	var c checked
	balances := p.live
	balances[in] = c.add(balances[in], amountIn)
	balance := c.computeBalance(p.amp, balances[:p.form.n], p.invariant, out)
	if c.broken {
		return u256.Zero, venue.ErrTooLarge
	}
	if !balance.Lt(p.live[out]) {
		return u256.Zero, venue.ErrTooSmall
	}
	amountOut := p.live[out].Sub(balance).Sub(u256.One)

	// Balances stay within a ratio of each other, before the swap and after.
	least, most := p.live[0], p.live[0]
	for _, b := range p.live[1:p.form.n] {
		least, most = u256.Min(least, b), larger(most, b)
	}
	least = u256.Min(least, p.live[out].Sub(amountOut))
	most = larger(most, balances[in])
	if !c.div(most, least).Lt(maxImbalanceRatio) || c.broken {
		return u256.Zero, venue.ErrTooLarge
	}
	return amountOut, nil
}

func larger(a, b u256.Int) u256.Int {
	if a.Lt(b) {
		return b
	}
	return a
}

// computeInvariant is the D of the balances.
func (c *checked) computeInvariant(amp u256.Int, balances []u256.Int) u256.Int {
	var sum u256.Int
	for _, b := range balances {
		sum = c.add(sum, b)
	}
	if sum.IsZero() {
		return sum
	}
	n := u256.From(uint64(len(balances)))
	ampTimesTotal := c.mul(amp, n)
	invariant := sum
	for range rounds {
		dp := invariant
		for _, b := range balances {
			dp = c.div(c.mul(dp, invariant), c.mul(b, n))
		}
		before := invariant
		invariant = c.div(
			c.mul(c.add(c.div(c.mul(ampTimesTotal, sum), ampPrecision), c.mul(dp, n)), invariant),
			c.add(c.div(c.mul(c.sub(ampTimesTotal, ampPrecision), invariant), ampPrecision), c.mul(n.Add(u256.One), dp)))
		if c.broken || near(invariant, before) {
			return invariant
		}
	}
	c.broken = true
	return invariant
}

// computeBalance is the balance of one token that keeps the invariant, given
// the others'.
func (c *checked) computeBalance(amp u256.Int, balances []u256.Int, invariant u256.Int, token int) u256.Int {
	n := u256.From(uint64(len(balances)))
	ampTimesTotal := c.mul(amp, n)
	sum := balances[0]
	pd := c.mul(sum, n)
	for _, b := range balances[1:] {
		pd = c.div(c.mul(c.mul(pd, b), n), invariant)
		sum = c.add(sum, b)
	}
	sum = c.sub(sum, balances[token])

	square := c.mul(invariant, invariant)
	k := c.mul(c.divUpRaw(c.mul(square, ampPrecision), c.mul(ampTimesTotal, pd)), balances[token])
	b := c.add(sum, c.div(c.mul(invariant, ampPrecision), ampTimesTotal))
	balance := c.divUpRaw(c.add(square, k), c.add(invariant, b))
	for range rounds {
		before := balance
		balance = c.divUpRaw(c.add(c.mul(balance, balance), k), c.sub(c.add(c.mul(balance, u256.From(2)), b), invariant))
		if c.broken || near(balance, before) {
			return balance
		}
	}
	c.broken = true
	return balance
}

func near(a, b u256.Int) bool {
	if a.Lt(b) {
		a, b = b, a
	}
	return !a.Sub(b).Gt(u256.One)
}

// stableSpot is the price at which stableOut begins: the ratio of the
// invariant's slopes.
func (p *Pool) stableSpot(in, out int) float64 {
	if p.invariant.IsZero() {
		return 0
	}
	n := float64(p.form.n)
	d := p.invariant.Float()
	dp := d
	for _, b := range p.live[:p.form.n] {
		dp *= d / (b.Float() * n)
	}
	total := p.amp.Float() * n / ampPrecision.Float()
	return (total + dp/p.live[in].Float()) / (total + dp/p.live[out].Float())
}
