package calldata

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/plan"
)

// What a swap burns beside its pools, on Ethereum's schedule: measured on the
// local chain for a recipient that never held tokenOut and an allowance that
// is used up.
const (
	gasTx      = 21_000
	gasZero    = 4  // a zero byte of calldata
	gasNonZero = 16 // any other byte
	gasRouter  = 51_000
	gasMid     = 26_000 // the first stop of a token in between
	gasStop    = 2_500  // counting what a step left in the Executor
	gasPaid    = 29_000 // saved where the step before has paid the pool
	gasJoined  = 45_000 // saved where it is part of the step before
	gasWrap    = 25_000 // funding by value instead of by allowance
	gasUnwrap  = 36_000

	// What lies between the model and any execution it was measured on.
	marginPercent = 104
)

// gasLimit covers the plan however its sender funds it.
func gasLimit(p *plan.Plan, joints []joint, data []byte, wrapped common.Address, t Terms) uint64 {
	limit := gasTx + gasRouter + p.Gas
	for _, b := range data {
		if b == 0 {
			limit += gasZero
		} else {
			limit += gasNonZero
		}
	}
	mid := map[common.Address]bool{}
	for i := range p.Steps {
		switch joints[i] {
		case paid:
			limit -= gasPaid
		case joined:
			limit -= gasJoined
		}
		if token := p.Steps[i].TokenOut(); token != p.TokenOut {
			if limit += gasStop; !mid[token] {
				limit += gasMid
			}
			mid[token] = true
		}
	}
	if p.TokenIn == wrapped {
		limit += gasWrap
	}
	if t.NativeOut {
		limit += gasUnwrap
	}
	return limit * marginPercent / 100
}
