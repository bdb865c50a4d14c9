package ticks

// Ranges calls do for each range of constant liquidity that a swap passes,
// nearest first. In floats and raw units: the range pays
// price*d/(1 + bend*d) for an input of d, up to d = length. price is net of
// the fee, length includes it.
func (c *Curve) Ranges(at Point, do func(price, bend, length float64)) {
	keep := 1 - float64(c.fee)/pips
	entries, i := c.book.entries, c.book.at(at.Tick)
	root := at.Price.Float() / 0x1p96
	for !c.atLimit(at.Price) {
		liquidity := 0.0
		if i >= 0 {
			liquidity = entries[i].active.Float()
		}
		next := i
		if !c.down {
			next++
		}
		if next < 0 || next == len(entries) {
			return
		}
		end := entries[next].price.Float() / 0x1p96
		if liquidity > 0 {
			if c.down {
				do(keep*root*root, keep*root/liquidity, liquidity*(1/end-1/root)/keep)
			} else {
				do(keep/(root*root), keep/(liquidity*root), liquidity*(end-root)/keep)
			}
		}
		root = end
		if c.down {
			i--
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
	return len(c.book.entries) - 1 - i
}
