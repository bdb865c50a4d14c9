package ticks

import (
	"math/bits"

	"braid/u256"
)

// The amounts of a full step, for tables of thousands of steps: the same as
// those of SqrtPriceMath and SwapMath, without long divisions.

// inverseOf is 2^224/price, rounded down: below 2^192 for every price of a
// pool.
func inverseOf(price u256.Int) u256.Int { return q224.Div(price) }

var q224 = u256.One.Lsh(224)

// amount0Of is GetAmount0Delta by the difference d of the inverses of its
// prices; false if that does not tell it.
//
// The amount is liquidity*(2^96/a - 2^96/b). Each inverse is 2^128 times such a
// quotient and less than 1 too small, so the amount times 2^128 is within
// liquidity of d times liquidity: the fraction of the latter tells whether that
// matters.
func amount0Of(d wide, liquidity half, roundUp bool) (amount wide, sure bool) {
	hi, fraction := liquidity.mul(half{d.w1, d.w0})
	top, mid := liquidity.mul(half{d.w3, d.w2})
	sum := mid.add(hi)
	if sum.less(hi) {
		top = top.add(half{0, 1})
	}
	amount = wide{sum.lo, sum.hi, top.lo, top.hi}
	over := fraction.add(liquidity).less(fraction)
	if over || fraction.less(liquidity) && amount != (wide{}) {
		return wide{}, false
	}
	if roundUp {
		amount = amount.add(wide{w0: 1})
	}
	return amount, true
}

// amount1Of is GetAmount1Delta by the difference d of its prices.
func amount1Of(d wide, liquidity half, roundUp bool) wide {
	if d.w2 != 0 {
		if roundUp {
			return wideOf(mulDivRoundingUp(liquidity.full(), d.full(), q96))
		}
		q, _ := liquidity.full().MulDiv(d.full(), q96)
		return wideOf(q)
	}
	hi, lo := liquidity.mul(half{d.w1, d.w0})
	q := wide{hi.lo<<32 | lo.hi>>32, hi.hi<<32 | hi.lo>>32, hi.hi >> 32, 0}
	if roundUp && (lo.lo != 0 || uint32(lo.hi) != 0) {
		q = q.add(wide{w0: 1})
	}
	return q
}

// addFee is what must come in for in to be left after a fee in pips:
// in*pips/(pips-fee), rounded up. in is below 2^192.
func addFee(in wide, feePips uint64) wide {
	left := pips - feePips
	if in.w2|in.w3 != 0 {
		return wideOf(divRoundingUp(in.full().Mul(u256.From(pips)), u256.From(left)))
	}
	carry, low := bits.Mul64(in.w0, pips)
	top, mid := bits.Mul64(in.w1, pips)
	mid, over := bits.Add64(mid, carry, 0)
	top += over
	in.w2 = top / left
	in.w1, top = bits.Div64(top%left, mid, left)
	in.w0, top = bits.Div64(top, low, left)
	if top != 0 {
		in = in.add(wide{w0: 1})
	}
	return in
}

// edge is a price with its inverse.
type edge struct{ price, inverse wide }

// fullStep is what a step between two prices takes in, with the fee, and pays,
// in raw units.
func (c *Curve) fullStep(from, to *edge, liquidity half) (in, out wide) {
	if liquidity.isZero() || from.price == to.price {
		return wide{}, wide{}
	}
	low, high := from, to
	if c.down {
		low, high = to, from
	}
	amount0, sure := amount0Of(low.inverse.sub(high.inverse), liquidity, c.down)
	if !sure {
		amount0 = wideOf(GetAmount0Delta(low.price.full(), high.price.full(), liquidity.full(), c.down))
	}
	amount1 := amount1Of(high.price.sub(low.price), liquidity, !c.down)
	if c.down {
		return addFee(amount0, c.fee), amount1
	}
	return addFee(amount1, c.fee), amount0
}
