package univ3

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
)

// Kind is the number of the Executor's step for a pool. Its body is the pool's
// address.
const Kind = 4

// Step describes the Executor's step for a pool.
func (f *Family) Step() venue.StepKind {
	return venue.StepKind{
		Number: Kind,
		Length: venue.FixedLength(common.AddressLength),
		Pools:  venue.PoolAtStart,
		Words: func(s venue.StepCall, _ func(common.Address) string) string {
			return "in the V3 pool " + common.Address(s.Body).Hex()
		},
	}
}

// Call lets the pool ask for its input once it has paid.
func (p *Pool) Call(in, out int) venue.Call {
	return venue.Call{Kind: Kind, Body: p.address.Bytes()}
}
