// Package calldata turns a plan into the transaction that carries it out, and its gas limit.
package calldata

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/plan"
	"braid/u256"
)

// Contracts are where the two contracts stand.
type Contracts struct {
	Router, Executor, WrappedNative common.Address
}

// Terms are what the caller sets beside the plan.
type Terms struct {
	Recipient common.Address
	MinOut    u256.Int
	Deadline  uint64 // seconds
	NativeIn  bool   // the sender funds with value, and Tx.Value says so
	NativeOut bool   // the Router unwraps what the plan makes
}

// Tx is ready to be signed.
type Tx struct {
	To    common.Address
	Data  []byte
	Value u256.Int
	Gas   uint64 // the limit, which the chain bills in full
}

// Encode writes the plan as a call of Router.swap.
func (c Contracts) Encode(p *plan.Plan, t Terms) Tx {
	panic("being written")
}
