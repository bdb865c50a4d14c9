package balancer

import "braid/u256"

// one is 1 as an 18-decimal fixed point number.
var one = u256.From(1e18)

// checked is Solidity's arithmetic. Where the contract would revert, because a
// number overflowed, fell below zero or was divided by zero, the results that
// follow mean nothing and broken says so.
type checked struct{ broken bool }

func (c *checked) add(a, b u256.Int) u256.Int {
	n, over := a.AddOver(b)
	c.broken = c.broken || over
	return n
}

func (c *checked) sub(a, b u256.Int) u256.Int {
	c.broken = c.broken || a.Lt(b)
	return a.Sub(b)
}

func (c *checked) mul(a, b u256.Int) u256.Int {
	n, over := a.MulOver(b)
	c.broken = c.broken || over
	return n
}

func (c *checked) div(a, b u256.Int) u256.Int {
	c.broken = c.broken || b.IsZero()
	return a.Div(b)
}

func (c *checked) divUpRaw(a, b u256.Int) u256.Int {
	c.broken = c.broken || b.IsZero()
	if a.IsZero() {
		return a
	}
	return a.Sub(u256.One).Div(b).Add(u256.One)
}

func (c *checked) mulDown(a, b u256.Int) u256.Int { return c.mul(a, b).Div(one) }
func (c *checked) mulUp(a, b u256.Int) u256.Int   { return c.divUpRaw(c.mul(a, b), one) }
func (c *checked) divDown(a, b u256.Int) u256.Int { return c.div(c.mul(a, one), b) }
func (c *checked) divUp(a, b u256.Int) u256.Int   { return c.divUpRaw(c.mul(a, one), b) }
