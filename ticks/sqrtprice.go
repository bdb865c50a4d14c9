package ticks

import (
	"math"
	"math/bits"

	"braid/u256"
)

var q96 = u256.One.Lsh(96)

// GetAmount0Delta is the amount of token0 between two prices, a <= b:
// liquidity * (1/sqrt(a) - 1/sqrt(b)).
func GetAmount0Delta(a, b, liquidity u256.Int, roundUp bool) u256.Int {
	n, d := liquidity.Lsh(96), b.Sub(a)
	if roundUp {
		return divRoundingUp(mulDivRoundingUp(n, d, b), a)
	}
	q, _ := n.MulDiv(d, b)
	return q.Div(a)
}

// GetAmount1Delta is the amount of token1 between two prices, a <= b:
// liquidity * (sqrt(b) - sqrt(a)).
func GetAmount1Delta(a, b, liquidity u256.Int, roundUp bool) u256.Int {
	return getAmount1Delta(b.Sub(a), halfOf(liquidity), roundUp)
}

// getAmount1Delta is GetAmount1Delta by the difference of the prices.
func getAmount1Delta(d u256.Int, liquidity half, roundUp bool) u256.Int {
	l := d.Limbs()
	if l[2] != 0 {
		if roundUp {
			return mulDivRoundingUp(liquidity.full(), d, q96)
		}
		q, _ := liquidity.full().MulDiv(d, q96)
		return q
	}
	hi, lo := liquidity.mul(half{l[1], l[0]})
	q := u256.FromLimbs([4]uint64{hi.lo<<32 | lo.hi>>32, hi.hi<<32 | hi.lo>>32, hi.hi >> 32})
	if roundUp && (lo.lo != 0 || uint32(lo.hi) != 0) {
		q = q.Add(u256.One)
	}
	return q
}

// inverseOf is 2^288/price, rounded down: below 2^256 for every price of a
// pool.
func inverseOf(price u256.Int) u256.Int {
	q, _ := u256.One.Lsh(192).MulDiv(q96, price)
	return q
}

// amount0Of is GetAmount0Delta by the difference of the inverses of its prices,
// without a division; false if that does not tell it.
//
// The amount is liquidity*(2^96/a - 2^96/b). Each inverse is 2^192 times such a
// quotient and less than 1 too small, so d times the liquidity, which is below
// 2^128, is off by less than 2^128: by less than 1 in units of 2^-64 of the
// amount. Rounding down to that unit loses less than 1 more. The fraction of
// the amount, in this unit, tells whether that matters.
func amount0Of(d u256.Int, liquidity half, roundUp bool) (amount u256.Int, sure bool) {
	l := d.Limbs()
	hi, lo := liquidity.mul(half{l[3], l[2]})
	rest, _ := liquidity.mul(half{l[1], l[0]})
	sum := lo.add(rest)
	if sum.less(rest) {
		hi = hi.add(half{0, 1})
	}
	none := hi.hi|hi.lo|sum.hi == 0
	if sum.lo < 2 && !none || sum.lo > math.MaxUint64-2 {
		return u256.Zero, false
	}
	amount = u256.FromLimbs([4]uint64{sum.hi, hi.lo, hi.hi})
	if roundUp {
		amount = amount.Add(u256.One)
	}
	return amount, true
}

// addFee is what must come in for in to be left after a fee in pips:
// in*pips/(pips-fee), rounded up. in is below 2^192.
func addFee(in u256.Int, feePips uint64) u256.Int {
	if feePips == 0 {
		return in
	}
	left := pips - feePips
	l := in.Limbs()
	if l[2]|l[3] != 0 {
		return divRoundingUp(in.Mul(u256.From(pips)), u256.From(left))
	}
	carry, low := bits.Mul64(l[0], pips)
	top, mid := bits.Mul64(l[1], pips)
	mid, over := bits.Add64(mid, carry, 0)
	top += over
	l[2] = top / left
	l[1], top = bits.Div64(top%left, mid, left)
	l[0], top = bits.Div64(top, low, left)
	if top != 0 {
		return u256.FromLimbs(l).Add(u256.One)
	}
	return u256.FromLimbs(l)
}

// GetNextSqrtPriceFromInput is the price after amount came in. It is rounded
// so that the price never passes the one the amount would reach exactly.
func GetNextSqrtPriceFromInput(price, liquidity, amount u256.Int, zeroForOne bool) u256.Int {
	if zeroForOne {
		return getNextSqrtPriceFromAmount0RoundingUp(price, liquidity, amount)
	}
	return getNextSqrtPriceFromAmount1RoundingDown(price, liquidity, amount)
}

// Two formulas, because the better one may overflow.
func getNextSqrtPriceFromAmount0RoundingUp(price, liquidity, amount u256.Int) u256.Int {
	if amount.IsZero() {
		return price
	}
	n := liquidity.Lsh(96)
	if product, over := amount.MulOver(price); !over {
		if d, over := n.AddOver(product); !over {
			return mulDivRoundingUp(n, price, d)
		}
	}
	return divRoundingUp(n, n.Div(price).Add(amount))
}

func getNextSqrtPriceFromAmount1RoundingDown(price, liquidity, amount u256.Int) u256.Int {
	if amount.BitLen() <= 160 {
		return price.Add(amount.Lsh(96).Div(liquidity))
	}
	q, _ := amount.MulDiv(q96, liquidity)
	return price.Add(q)
}

// mulDivRoundingUp is ceil(a*b/d). The remainder is below d, so the low words
// of the products tell it.
func mulDivRoundingUp(a, b, d u256.Int) u256.Int {
	q, _ := a.MulDiv(b, d)
	if a.Mul(b) != q.Mul(d) {
		q = q.Add(u256.One)
	}
	return q
}

func divRoundingUp(a, d u256.Int) u256.Int {
	q := a.Div(d)
	if q.Mul(d) != a {
		q = q.Add(u256.One)
	}
	return q
}
