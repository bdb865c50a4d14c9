package ticks

import (
	"math/big"

	"braid/u256"
)

// Range is a position: liquidity between two ticks.
type Range struct {
	Lower, Upper int32
	Liquidity    u256.Int
}

// widths are how far the ranges of a Spread reach, in ticks to each side: a
// price moves by 3%, 13%, 80% and a hundredfold. Each takes an equal part, so
// liquidity is deep near the price and thin far out.
var widths = [...]int32{300, 1200, 6000, 46_000}

// Spread is how a market maker with two amounts would fill a new pool: at the
// price at which they are worth the same, in ranges around it.
func Spread(spacing int32, amount0, amount1 u256.Int) (price u256.Int, ranges []Range) {
	ratio := new(big.Int).Lsh(amount1.Big(), 192)
	price = u256.FromBig(ratio.Sqrt(ratio.Div(ratio, amount0.Big())))
	tick := GetTickAtSqrtRatio(price)
	parts := u256.From(uint64(len(widths)))
	for _, width := range widths {
		below, above := max(tick-width, MinTick+spacing), min(tick+width, MaxTick-spacing)
		r := Range{Lower: below - below%spacing, Upper: above - above%spacing}
		if r.Lower >= tick {
			r.Lower -= spacing
		}
		if r.Upper <= tick {
			r.Upper += spacing
		}
		r.Liquidity = getLiquidityForAmounts(price, r, amount0.Div(parts), amount1.Div(parts))
		ranges = append(ranges, r)
	}
	return price, ranges
}

// getLiquidityForAmounts is LiquidityAmounts' of the periphery, for a price
// inside the range.
func getLiquidityForAmounts(price u256.Int, r Range, amount0, amount1 u256.Int) u256.Int {
	lower, upper := GetSqrtRatioAtTick(r.Lower), GetSqrtRatioAtTick(r.Upper)
	mid, _ := price.MulDiv(upper, q96)
	of0, _ := amount0.MulDiv(mid, upper.Sub(price))
	of1, _ := amount1.MulDiv(q96, price.Sub(lower))
	return u256.Min(of0, of1)
}
