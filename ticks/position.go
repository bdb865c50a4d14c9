package ticks

import (
	"math/big"

	"braid/u256"
)

// Position is liquidity between two ticks.
type Position struct {
	Lower, Upper int32
	Liquidity    u256.Int
}

// widths are how far the positions of Spread reach, in ticks to each side of the
// price: 3%, 13%, 80% and a hundredfold. Each gets an equal part of the amounts,
// so liquidity is deep near the price and thin far from it.
var widths = [...]int32{300, 1200, 6000, 46_000}

// Spread gives a new pool on the local chain its first price and positions: the
// sqrt price (Q64.96) at which both amounts, in raw units, are worth the same,
// and positions around it that take the amounts up.
func Spread(spacing int32, amount0, amount1 u256.Int) (price u256.Int, positions []Position) {
	ratio := new(big.Int).Lsh(amount1.Big(), 192)
	price = u256.FromBig(ratio.Sqrt(ratio.Div(ratio, amount0.Big())))
	tick := GetTickAtSqrtRatio(price)
	parts := u256.From(uint64(len(widths)))
	for _, width := range widths {
		below, above := max(tick-width, MinTick+spacing), min(tick+width, MaxTick-spacing)
		r := Position{Lower: below - below%spacing, Upper: above - above%spacing}
		if r.Lower >= tick {
			r.Lower -= spacing
		}
		if r.Upper <= tick {
			r.Upper += spacing
		}
		r.Liquidity = getLiquidityForAmounts(price, r, amount0.Div(parts), amount1.Div(parts))
		positions = append(positions, r)
	}
	return price, positions
}

// getLiquidityForAmounts is that of LiquidityAmounts in the periphery, for a
// price inside the position.
func getLiquidityForAmounts(price u256.Int, r Position, amount0, amount1 u256.Int) u256.Int {
	lower, upper := GetSqrtRatioAtTick(r.Lower), GetSqrtRatioAtTick(r.Upper)
	mid, _ := price.MulDiv(upper, q96)
	of0, _ := amount0.MulDiv(mid, upper.Sub(price))
	of1, _ := amount1.MulDiv(q96, price.Sub(lower))
	return u256.Min(of0, of1)
}
