package nadfun

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
)

// Kind is the number of the Executor's step for a bonding curve. Its body is
// the router's address; the curve follows from the token that is not native.
const Kind = 9

// Step describes the Executor's step for a bonding curve.
func (f *Family) Step() venue.StepKind {
	return venue.StepKind{
		Number: Kind,
		Length: venue.FixedLength(common.AddressLength),
		Pools: func(s venue.StepCall, wrappedNative common.Address) []venue.ID {
			if s.TokenIn == wrappedNative {
				return []venue.ID{venue.AddressID(s.TokenOut)}
			}
			return []venue.ID{venue.AddressID(s.TokenIn)}
		},
		Words: func(s venue.StepCall, _ func(common.Address) string) string {
			return "on the curve of " + common.Address(s.Body).Hex()
		},
	}
}

// Call leaves wrapping to the Executor: the router takes and pays native.
func (p *Pool) Call(in, out int) venue.Call {
	return venue.Call{Kind: Kind, Body: routerOf(p.info.Source).Bytes()}
}
