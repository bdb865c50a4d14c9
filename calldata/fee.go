package calldata

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// Fee is a share of the input or of the output, which the Executor pays to an
// account that the caller names.
type Fee struct {
	Recipient common.Address
	Bps       uint64 // of the amount, 1 to MaxFeeBps
	Side      FeeSide
}

// FeeSide is what a fee is taken from. Native is paid as wrapped native.
type FeeSide byte

const (
	FeeIn  FeeSide = 0 // amountIn: the steps get the rest
	FeeOut FeeSide = 1 // all that the steps make of tokenOut: the recipient gets the rest
)

// MaxFeeBps is the highest fee that the Executor pays.
const MaxFeeBps = 300

const feeUnit = 10_000 // basis points of the whole

func (s FeeSide) String() string { return map[FeeSide]string{FeeIn: "in", FeeOut: "out"}[s] }

// Of is the fee of an amount, rounded down as the Executor does.
func (f *Fee) Of(amount u256.Int) u256.Int {
	part, _ := amount.MulDiv(u256.From(f.Bps), u256.From(feeUnit)) // less than the amount
	return part
}

// Rest is what is left of an amount.
func (f *Fee) Rest(amount u256.Int) u256.Int { return amount.Sub(f.Of(amount)) }

// Before is the least amount of which that rest is left; false if it is above 2^256-1.
func (f *Fee) Before(rest u256.Int) (amount u256.Int, ok bool) {
	// Of amount, rest = amount - floor(amount*bps/unit), so amount is at most one above
	// rest*unit/(unit-bps) rounded up, and the rest rises by one or not at all.
	amount, over := rest.MulDiv(u256.From(feeUnit), u256.From(feeUnit-f.Bps))
	if over {
		return u256.Zero, false
	}
	for f.Rest(amount).Lt(rest) {
		if amount, over = amount.AddOver(u256.One); over {
			return u256.Zero, false
		}
	}
	for !amount.IsZero() && !f.Rest(amount.Sub(u256.One)).Lt(rest) {
		amount = amount.Sub(u256.One)
	}
	return amount, true
}

// in and out are the fee if it is taken on that side, or nil.
func (f *Fee) in() *Fee  { return f.on(FeeIn) }
func (f *Fee) out() *Fee { return f.on(FeeOut) }

func (f *Fee) on(side FeeSide) *Fee {
	if f == nil || f.Side != side {
		return nil
	}
	return f
}

// is tells whether both are the same fee, or none.
func (f *Fee) is(g *Fee) bool {
	if f == nil || g == nil {
		return f == g
	}
	return *f == *g
}

func (f *Fee) String() string {
	if f == nil {
		return "none"
	}
	return fmt.Sprintf("%d.%02d%% of token%s to %s", f.Bps/100, f.Bps%100, map[FeeSide]string{FeeIn: "In", FeeOut: "Out"}[f.Side], f.Recipient)
}

// appendRecord writes the fee as it opens a route: side:1 bps:2 recipient:20.
func (f *Fee) appendRecord(b []byte) []byte {
	b = append(b, byte(f.Side))
	b = binary.BigEndian.AppendUint16(b, uint16(f.Bps))
	return append(b, f.Recipient[:]...)
}

// readFee reads such a record.
func readFee(r *reader) (*Fee, error) {
	f := &Fee{Side: FeeSide(r.take(1)[0]), Bps: uint64(binary.BigEndian.Uint16(r.take(2))), Recipient: common.Address(r.take(20))}
	if f.Side > FeeOut || f.Bps == 0 || f.Bps > MaxFeeBps || f.Recipient == (common.Address{}) {
		return nil, errors.New("a fee cannot be as it says")
	}
	return f, nil
}
