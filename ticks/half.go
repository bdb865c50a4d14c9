package ticks

import (
	"math"
	"math/bits"

	"braid/u256"
)

// half is an integer modulo 2^128, which no liquidity exceeds: half the memory
// of an u256.Int.
type half struct{ hi, lo uint64 }

// halfOf is a number modulo 2^128.
func halfOf(n u256.Int) half {
	limbs := n.Limbs()
	return half{limbs[1], limbs[0]}
}

func (a half) full() u256.Int { return u256.FromLimbs([4]uint64{a.lo, a.hi}) }

func (a half) add(b half) half {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return half{hi, lo}
}

// mul is the product of two halves, which has two.
func (a half) mul(b half) (hi, lo half) {
	h00, l00 := bits.Mul64(a.lo, b.lo)
	h01, l01 := bits.Mul64(a.lo, b.hi)
	h10, l10 := bits.Mul64(a.hi, b.lo)
	h11, l11 := bits.Mul64(a.hi, b.hi)
	mid, c1 := bits.Add64(h00, l01, 0)
	mid, c2 := bits.Add64(mid, l10, 0)
	low, c1 := bits.Add64(h01, l11, c1)
	low, c2 = bits.Add64(low, h10, c2)
	return half{h11 + c1 + c2, low}, half{mid, l00}
}

func (a half) isZero() bool { return a.lo|a.hi == 0 }

// float is the Float of an u256.Int: above 2^64 it is rounded down.
func (a half) float() float64 {
	if a.hi == 0 {
		return float64(a.lo)
	}
	n := bits.Len64(a.hi)
	return math.Ldexp(float64((a.hi<<(64-n)|a.lo>>n)>>11), n+11)
}

func (a half) less(b half) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func minHalf(a, b half) half {
	if b.less(a) {
		return b
	}
	return a
}

func maxHalf(a, b half) half {
	if a.less(b) {
		return b
	}
	return a
}

// wide is a u256.Int that the compiler keeps in registers.
type wide struct{ w0, w1, w2, w3 uint64 } // the lowest first

func wideOf(n u256.Int) wide {
	l := n.Limbs()
	return wide{l[0], l[1], l[2], l[3]}
}

func (a wide) full() u256.Int { return u256.FromLimbs([4]uint64{a.w0, a.w1, a.w2, a.w3}) }

func (a wide) add(b wide) (n wide) {
	var carry uint64
	n.w0, carry = bits.Add64(a.w0, b.w0, 0)
	n.w1, carry = bits.Add64(a.w1, b.w1, carry)
	n.w2, carry = bits.Add64(a.w2, b.w2, carry)
	n.w3, _ = bits.Add64(a.w3, b.w3, carry)
	return n
}

func (a wide) sub(b wide) (n wide) {
	var borrow uint64
	n.w0, borrow = bits.Sub64(a.w0, b.w0, 0)
	n.w1, borrow = bits.Sub64(a.w1, b.w1, borrow)
	n.w2, borrow = bits.Sub64(a.w2, b.w2, borrow)
	n.w3, _ = bits.Sub64(a.w3, b.w3, borrow)
	return n
}

func (a wide) less(b wide) bool {
	_, borrow := bits.Sub64(a.w0, b.w0, 0)
	_, borrow = bits.Sub64(a.w1, b.w1, borrow)
	_, borrow = bits.Sub64(a.w2, b.w2, borrow)
	_, borrow = bits.Sub64(a.w3, b.w3, borrow)
	return borrow != 0
}
