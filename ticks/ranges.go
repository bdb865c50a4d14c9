package ticks

// Ranges calls do for each range of constant liquidity that a swap passes,
// nearest first, as far as it may go by MaxCrossed. In floats and raw units: the
// range pays price*d/(1 + bend*d) for an input of d, up to d = length. price is
// net of the fee, length includes it.
func (c *Curve) Ranges(at Point, do func(price, bend, length float64)) {
	if c.atLimit(at.Price) {
		return
	}
	keep := 1 - float64(c.fee)/pips
	r, i := c.book.find(at.Tick)
	root := at.Price.Float() / 0x1p96
	for range c.MaxRanges(at) {
		e, active := c.book.nextEntry(&r, i, c.down)
		liquidity, end := active.float(), e.root
		switch {
		case liquidity == 0:
		case c.down:
			do(keep*root*root, keep*root/liquidity, liquidity*(1/end-1/root)/keep)
		default:
			do(keep/(root*root), keep/(liquidity*root), liquidity*(end-root)/keep)
		}
		root = end
		if c.down {
			i--
		} else {
			i++
		}
	}
}

// MaxRanges is how many ranges Ranges calls do for at most.
func (c *Curve) MaxRanges(at Point) int {
	i := c.book.at(at.Tick)
	if !c.down {
		i = c.book.size() - 2 - i
	}
	return min(i, MaxCrossed) + 1
}
