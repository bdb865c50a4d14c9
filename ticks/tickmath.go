package ticks

import (
	"math"
	"math/bits"

	"braid/u256"
)

// MinTick and MaxTick are the first and the last tick of TickMath.
const (
	MinTick = -887272
	MaxTick = 887272
)

// MinSqrtRatio and MaxSqrtRatio are the sqrt prices of MinTick and MaxTick, as
// Q64.96. No swap ends beyond MinLimit and MaxLimit: they are the price limits
// that our calls carry, as every router's do.
var (
	MinSqrtRatio = u256.From(4295128739)
	MaxSqrtRatio = u256.MustDecimal("1461446703485210103287273052203988822378723970342")

	MinLimit = MinSqrtRatio.Add(u256.One)
	MaxLimit = MaxSqrtRatio.Sub(u256.One)
)

// factors[i] is 2^128 / sqrt(1.0001)^(2^i), high word first.
var factors = [20][2]uint64{
	{0xfffcb933bd6fad37, 0xaa2d162d1a594001},
	{0xfff97272373d4132, 0x59a46990580e213a},
	{0xfff2e50f5f656932, 0xef12357cf3c7fdcc},
	{0xffe5caca7e10e4e6, 0x1c3624eaa0941cd0},
	{0xffcb9843d60f6159, 0xc9db58835c926644},
	{0xff973b41fa98c081, 0x472e6896dfb254c0},
	{0xff2ea16466c96a38, 0x43ec78b326b52861},
	{0xfe5dee046a99a2a8, 0x11c461f1969c3053},
	{0xfcbe86c7900a88ae, 0xdcffc83b479aa3a4},
	{0xf987a7253ac41317, 0x6f2b074cf7815e54},
	{0xf3392b0822b70005, 0x940c7a398e4b70f3},
	{0xe7159475a2c29b74, 0x43b29c7fa6e889d9},
	{0xd097f3bdfd2022b8, 0x845ad8f792aa5825},
	{0xa9f746462d870fdf, 0x8a65dc1f90e061e5},
	{0x70d869a156d2a1b8, 0x90bb3df62baf32f7},
	{0x31be135f97d08fd9, 0x81231505542fcfa6},
	{0x09aa508b5b7a84e1, 0xc677de54f3e99bc9},
	{0x005d6af8dedb8119, 0x6699c329225ee604},
	{0x00002216e584f5fa, 0x1ea926041bedfe98},
	{0x00000000048a1703, 0x91f7dc42444e8fa2},
}

// GetSqrtRatioAtTick is sqrt(1.0001^tick) as a Q64.96, rounded up. The tick
// must lie between MinTick and MaxTick.
func GetSqrtRatioAtTick(tick int32) u256.Int {
	ratio := u256.One.Lsh(128)
	rest := uint32(max(tick, -tick))
	if rest != 0 {
		low := bits.TrailingZeros32(rest)
		hi, lo := factors[low][0], factors[low][1]
		for rest &= rest - 1; rest != 0; rest &= rest - 1 {
			f := &factors[bits.TrailingZeros32(rest)]
			hi, lo = mulHigh(hi, lo, f[0], f[1])
		}
		ratio = u256.From(hi).Lsh(64).Add(u256.From(lo))
	}
	if tick > 0 {
		ratio = u256.Max.Div(ratio)
	}
	price := ratio.Rsh(32)
	if uint32(ratio.Uint64()) != 0 {
		price = price.Add(u256.One)
	}
	return price
}

// mulHigh is the upper half of the product of two 128-bit numbers.
func mulHigh(a1, a0, b1, b0 uint64) (hi, lo uint64) {
	h00, _ := bits.Mul64(a0, b0)
	h10, l10 := bits.Mul64(a1, b0)
	h01, l01 := bits.Mul64(a0, b1)
	hi, lo = bits.Mul64(a1, b1)
	sum, c1 := bits.Add64(h00, l10, 0)
	_, c2 := bits.Add64(sum, l01, 0)
	lo, c := bits.Add64(lo, h10, c1)
	hi += c
	lo, c = bits.Add64(lo, h01, c2)
	return hi + c, lo
}

// GetTickAtSqrtRatio is the greatest tick whose price is at most the given
// one, which must be at least MinSqrtRatio and below MaxSqrtRatio. Floats guess
// the tick; its neighbours' exact prices decide.
func GetTickAtSqrtRatio(price u256.Int) int32 {
	tick := int32(math.Floor(2 * math.Log(price.Float()/0x1p96) / math.Log(1.0001)))
	tick = min(max(tick, MinTick), MaxTick-1)
	for tick > MinTick && GetSqrtRatioAtTick(tick).Gt(price) {
		tick--
	}
	for tick < MaxTick-1 && !GetSqrtRatioAtTick(tick+1).Gt(price) {
		tick++
	}
	return tick
}
