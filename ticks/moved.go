package ticks

import "braid/u256"

// Others may trade a pool after it was quoted and before the swap. What the swap
// then costs differs by what lies on its way, which depends on where it begins.

// Weights of what a swap does on its way, in thousands of gas, about: only the
// dearest of several ways is chosen by them.
const (
	weightWord = 10 // of the bitmap
	weightTick = 22 // crossed
	weightFill = 18 // a word of fee growth that is zero before the tick is crossed
)

// maxStarts is how many ticks and edges of words Dearest begins a swap at. Where
// more lie within reach, one swap passes about as many as another.
const maxStarts = 8

// Dearest is the dearest swap of an amount that begins between two points, behind and
// ahead of where the pool stands: where it begins and ends, and what is known then of
// the fee growth. What lies near the start is passed by a swap that begins just before
// it, what lies near the end by one that begins furthest ahead. Where it does not begin
// ahead, others may have traded the other way, so that fees of the output were earned.
// Swaps that liquidity does not suffice for are left out.
func (c *Curve) Dearest(at, behind, ahead Point, amount u256.Int, g FeeGrowth) (from, to Point, then FeeGrowth) {
	most := -1
	try := func(start Point, g FeeGrowth) {
		f := c.Quote(start, amount)
		if w := c.weight(start, f.Point, &g); w > most && f.Left.IsZero() {
			most, from, to, then = w, start, f.Point, g
		}
	}
	traded := g
	if behind != ahead {
		traded.Zero = [2]bool{}
	}
	try(at, traded)
	try(behind, traded)
	try(ahead, g)
	starts := 0
	before := func(tick int32) {
		if starts++; starts > maxStarts {
			return
		}
		start := Point{GetSqrtRatioAtTick(tick), tick}
		if !c.down {
			start.Tick--
		}
		if start.Price.Gt(at.Price) == c.down {
			try(start, traded)
		} else {
			try(start, g)
		}
	}
	spacing, first := c.book.Spacing(), true
	c.Path(behind, ahead, &g, func(word int32) {
		switch {
		case first: // no edge of it lies between the points
			first = false
		case c.down:
			before(word << 8 * spacing)
		default:
			before((word<<8 - 1) * spacing)
		}
	}, func(tick int32, _ [2]bool) { before(tick) })
	return from, to, then
}

// weight is the weight of a swap's way between two points.
func (c *Curve) weight(from, to Point, g *FeeGrowth) (sum int) {
	in := 1
	if c.down {
		in = 0
	}
	c.Path(from, to, g, func(int32) { sum += weightWord }, func(_ int32, nonZero [2]bool) {
		sum += weightTick
		for token, set := range nonZero {
			if !set && (token == in || !g.Zero[token]) {
				sum += weightFill
			}
		}
	})
	return sum
}

// Reach is how far others may move the price of a pool by a trade in either
// direction that takes in or gives back an amount of a swap's input: ahead in the
// direction of the swap, and behind. curves are those of the pool, by the token that
// comes in.
func Reach(curves [2]*Curve, in int, at Point, amount u256.Int) (behind, ahead Point) {
	if amount.IsZero() {
		return at, at
	}
	forth := curves[in].Swap(at, amount)
	return curves[1-in].Swap(at, forth.Out).Point, forth.Point
}
