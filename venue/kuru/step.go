package kuru

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
)

// Kind is the number of the Executor's step for a market. Its body is the
// market (20 bytes), the margin account that pays native currency out (20),
// flags (1) and the exponent of the lot of the input token (1, signed).
const Kind = 7

const bodyLength = 42

// Flags of a body.
const (
	flagBuy = 1 << iota
	flagNativeIn
	flagNativeOut
)

// Step describes the Executor's step for a market.
func (f *Family) Step() venue.StepKind {
	return venue.StepKind{
		Number: Kind,
		Length: venue.FixedLength(bodyLength),
		Pools:  venue.PoolAtStart,
		Words: func(s venue.StepCall, _ func(common.Address) string) string {
			flags := venue.FlagWords(s.Body[40], "sells", "buys", "takes native", "pays native")
			return fmt.Sprintf("in the Kuru market %s of %s (%s; lots of 10^%d)",
				common.Address(s.Body[:20]), common.Address(s.Body[20:40]), flags, int8(s.Body[41]))
		},
	}
}

// Call is a market order of the input.
func (p *Pool) Call(in, out int) venue.Call {
	var flags byte
	if in == quote {
		flags |= flagBuy
	}
	if p.native[in] {
		flags |= flagNativeIn
	}
	if p.native[out] {
		flags |= flagNativeOut
	}
	body := make([]byte, 0, bodyLength)
	body = append(append(body, p.market[:]...), p.margin[:]...)
	return venue.Call{Kind: Kind, Body: append(body, flags, byte(int8(p.lot[in].exponent)))}
}
