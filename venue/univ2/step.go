package univ2

import (
	"encoding/binary"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
)

// Kind is the number of the Executor's step for a pair. Its body is the pair's
// address (20 bytes) and the fee in basis points (2 bytes).
const Kind = 1

const bodyLength = 22

// Step describes the Executor's step for a pair.
func (f *Family) Step() venue.StepKind {
	return venue.StepKind{
		Number:  Kind,
		Prepaid: true,
		Length:  venue.FixedLength(bodyLength),
		Pools:   venue.PoolAtStart,
		Words: func(s venue.StepCall, _ func(common.Address) string) string {
			return fmt.Sprintf("in the pair %s at %d bps", common.Address(s.Body[:20]), binary.BigEndian.Uint16(s.Body[20:]))
		},
	}
}

// Call pays the pair first and lets the Executor ask for the output.
func (p *Pool) Call(in, out int) venue.Call {
	body := make([]byte, 0, bodyLength)
	body = append(body, p.pair[:]...)
	body = binary.BigEndian.AppendUint16(body, uint16(bps-p.keep.Uint64()))
	return venue.Call{Kind: Kind, Body: body, Prepay: p.pair}
}
