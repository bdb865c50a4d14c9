package hanji

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// Kind is the number of the Executor's step for a market. Its body is the
// market (20 bytes), flags (1) and how many raw units of the input token make
// one unit of the market (16).
const Kind = 8

const bodyLength = 37

// Flags of a body.
const (
	flagBuy = 1 << iota
	flagNativeOut
)

// Step describes the Executor's step for a market.
func (f *Family) Step() venue.StepKind {
	return venue.StepKind{
		Number: Kind,
		Length: venue.FixedLength(bodyLength),
		Pools:  venue.PoolAtStart,
		Words: func(s venue.StepCall, _ func(common.Address) string) string {
			flags := venue.FlagWords(s.Body[20], "sells", "buys", "pays native")
			return fmt.Sprintf("in the Hanji market %s (%s; units of %s)", common.Address(s.Body[:20]), flags, u256.FromBytes(s.Body[21:]))
		},
	}
}

// Call is a market order of the input.
func (p *Pool) Call(in, out int) venue.Call {
	var flags byte
	if in == y {
		flags |= flagBuy
	}
	if p.native[out] {
		flags |= flagNativeOut
	}
	unit := p.unit[in].Bytes()
	body := append(make([]byte, 0, bodyLength), p.market[:]...)
	return venue.Call{Kind: Kind, Body: append(append(body, flags), unit[16:]...)}
}
