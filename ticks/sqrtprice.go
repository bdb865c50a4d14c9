package ticks

import "braid/u256"

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
// liquidity * (sqrt(b) - sqrt(a)). The liquidity is below 2^128.
func GetAmount1Delta(a, b, liquidity u256.Int, roundUp bool) u256.Int {
	return amount1Of(wideOf(b).sub(wideOf(a)), halfOf(liquidity), roundUp).full()
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
