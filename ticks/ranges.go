package ticks

// Ranges are the pieces of constant liquidity that a swap meets, nearest
// first, as floats: the price of the first unit net of the fee, by how much a
// unit bends it, and how much comes in, with the fee, until the range ends.
func (c *Curve) Ranges(at Point, do func(price, bend, length float64)) {
	keep := 1 - float64(c.fee)/pips
	marks, i := c.book.marks, c.book.at(at.Tick)
	root := at.Price.Float() / 0x1p96
	for !c.done(at.Price) {
		liquidity := 0.0
		if i >= 0 {
			liquidity = marks[i].above.Float()
		}
		next := i
		if !c.down {
			next++
		}
		if next < 0 || next == len(marks) {
			return
		}
		end := marks[next].price.Float() / 0x1p96
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

// Ahead is how many ranges a swap meets at most.
func (c *Curve) Ahead(at Point) int {
	i := c.book.at(at.Tick)
	if c.down {
		return i + 1
	}
	return len(c.book.marks) - 1 - i
}
