// Package u256 is 256-bit arithmetic the way the EVM does it, by value.
//
// Add, Sub and Mul wrap modulo 2^256 as the opcodes do; callers that port
// checked Solidity use the forms that report overflow. Division by zero gives
// zero, as DIV does.
package u256

import (
	"errors"
	"math"
	"math/big"

	"github.com/holiman/uint256"
)

// Int is an unsigned 256-bit integer. The zero value is 0.
type Int struct{ v uint256.Int }

// The smallest and the largest Int, and 1.
var (
	Zero = Int{}
	One  = From(1)
	Max  = Int{v: *new(uint256.Int).SetAllOne()}
)

var errDecimal = errors.New("not a decimal integer below 2^256")

// From is n.
func From(n uint64) Int { return Int{v: *uint256.NewInt(n)} }

// FromLimbs is the number of four limbs of 64 bits, the lowest first.
func FromLimbs(limbs [4]uint64) Int { return Int{v: limbs} }

// FromBig takes b modulo 2^256.
func FromBig(b *big.Int) Int {
	v, _ := uint256.FromBig(b)
	return Int{v: *v}
}

// FromBytes reads up to 32 big-endian bytes; of more, the last 32.
func FromBytes(b []byte) (n Int) {
	n.v.SetBytes(b)
	return n
}

// FromDecimal reads digits only: no sign, no prefix, no separators.
func FromDecimal(s string) (n Int, err error) {
	if s == "" || s[0] == '+' || s[0] == '-' || n.v.SetFromDecimal(s) != nil {
		return Int{}, errDecimal
	}
	return n, nil
}

// MustDecimal is FromDecimal for constants and tests.
func MustDecimal(s string) Int {
	n, err := FromDecimal(s)
	if err != nil {
		panic(err)
	}
	return n
}

// FromFloat truncates f; negative and NaN give 0, anything above gives Max.
func FromFloat(f float64) Int {
	if !(f >= 1) {
		return Zero
	}
	if f >= 0x1p256 {
		return Max
	}
	frac, exp := math.Frexp(f)
	n := From(uint64(frac * (1 << 53)))
	if exp >= 53 {
		return n.Lsh(uint(exp - 53))
	}
	return n.Rsh(uint(53 - exp))
}

// Add, Sub, Mul, Div, Mod, Lsh and Rsh are the opcodes of the EVM: modulo 2^256,
// and 0 for a division by 0.
func (a Int) Add(b Int) (n Int) { n.v.Add(&a.v, &b.v); return n }
func (a Int) Sub(b Int) (n Int) { n.v.Sub(&a.v, &b.v); return n }
func (a Int) Mul(b Int) (n Int) { n.v.Mul(&a.v, &b.v); return n }
func (a Int) Div(b Int) (n Int) { n.v.Div(&a.v, &b.v); return n }
func (a Int) Mod(b Int) (n Int) { n.v.Mod(&a.v, &b.v); return n }

func (a Int) Lsh(n uint) (r Int) { r.v.Lsh(&a.v, n); return r }
func (a Int) Rsh(n uint) (r Int) { r.v.Rsh(&a.v, n); return r }

// AddOver and MulOver also report whether the true result passed 2^256.
func (a Int) AddOver(b Int) (n Int, over bool) { _, over = n.v.AddOverflow(&a.v, &b.v); return n, over }
func (a Int) MulOver(b Int) (n Int, over bool) { _, over = n.v.MulOverflow(&a.v, &b.v); return n, over }

// MulDiv is floor(a*b/d) with a 512-bit product; over reports a result above
// 2^256-1 or d = 0.
func (a Int) MulDiv(b, d Int) (n Int, over bool) {
	if d.IsZero() {
		return Zero, true
	}
	_, over = n.v.MulDivOverflow(&a.v, &b.v, &d.v)
	return n, over
}

// Cmp is -1, 0 or 1 as a is below, equal to or above b.
func (a Int) Cmp(b Int) int   { return a.v.Cmp(&b.v) }
func (a Int) Lt(b Int) bool   { return a.v.Lt(&b.v) }
func (a Int) Gt(b Int) bool   { return a.v.Gt(&b.v) }
func (a Int) IsZero() bool    { return a.v.IsZero() }
func (a Int) BitLen() int     { return a.v.BitLen() }
func (a Int) IsUint64() bool  { return a.v.IsUint64() }
func (a Int) Uint64() uint64  { return a.v.Uint64() }
func (a Int) Float() float64  { return a.v.Float64() }
func (a Int) Big() *big.Int   { return a.v.ToBig() }
func (a Int) Bytes() [32]byte { return a.v.Bytes32() }
func (a Int) String() string  { return a.v.Dec() }

// Limbs are the four limbs of FromLimbs.
func (a Int) Limbs() [4]uint64 { return a.v }

// Min is the smaller of two.
func Min(a, b Int) Int {
	if b.Lt(a) {
		return b
	}
	return a
}
