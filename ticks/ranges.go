package ticks

// Ranges calls do for each range of constant liquidity that a swap passes,
// nearest first. In floats and raw units: the range pays
// price*d/(1 + bend*d) for an input of d, up to d = length. price is net of
// the fee, length includes it.
func (c *Curve) Ranges(at Point, do func(price, bend, length float64)) {
	keep := 1 - float64(c.fee)/pips
	r, i := c.book.find(at.Tick)
	n, root := c.book.size(), at.Price.Float()/0x1p96
	for !c.atLimit(at.Price) {
		liquidity := r.liquidity(i).float()
		next := i
		if !c.down {
			next++
		}
		if next < 0 || next == n {
			return
		}
		c.book.seek(&r, next)
		end := r.at(next).price.Float() / 0x1p96
		if liquidity > 0 {
			if c.down {
				do(keep*root*root, keep*root/liquidity, liquidity*(1/end-1/root)/keep)
			} else {
				do(keep/(root*root), keep/(liquidity*root), liquidity*(end-root)/keep)
			}
		}
		root = end
		if c.down {
			if i--; i >= 0 {
				c.book.seek(&r, i)
			}
		} else {
			i++
		}
	}
}

// MaxRanges is how many ranges a swap passes at most.
func (c *Curve) MaxRanges(at Point) int {
	i := c.book.at(at.Tick)
	if c.down {
		return i + 1
	}
	return c.book.size() - 1 - i
}
