package balancer

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
)

// Kind is the number of the Executor's step for a swap in the vault. Its body
// is the pool's address.
const Kind = 6

// Step describes the Executor's step for a swap in the vault.
func (f *Family) Step() venue.StepKind {
	return venue.StepKind{
		Number: Kind,
		Length: venue.FixedLength(common.AddressLength),
		Pools:  venue.PoolAtStart,
		Words: func(s venue.StepCall, _ func(common.Address) string) string {
			return "in the Balancer pool " + common.Address(s.Body).Hex()
		},
	}
}

// Call names the pool to the vault, which is a constant of the Executor.
func (p *Pool) Call(in, out int) venue.Call {
	return venue.Call{Kind: Kind, Body: p.address.Bytes()}
}
