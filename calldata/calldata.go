// Package calldata turns a plan into the transaction that carries it out, and its gas limit.
package calldata

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

// Contracts are where ours stand, and those that they meet.
type Contracts struct {
	Router, Executor, WrappedNative, Permit2 common.Address
	Schedule                                 *gas.Schedule
	Proxies                                  bool             // tokens may stand behind proxies, and are priced so
	Kinds                                    []venue.StepKind // of steps that Verify can read; Encode needs none
}

// Terms are what the caller sets beside the plan.
type Terms struct {
	Recipient common.Address
	MinOut    u256.Int
	Deadline  uint64  // seconds
	NativeIn  bool    // the sender funds with value, and Tx.Value says so
	NativeOut bool    // the Router unwraps what the plan makes
	Permit    *Permit // the sender signed instead of approving
}

// Tx is ready to be signed.
type Tx struct {
	To    common.Address
	Data  []byte
	Value u256.Int
	Gas   uint64 // the limit, which the chain bills in full
}

// Encode writes the plan as a call of the Router. The same bytes serve both
// ways of funding wrapped native: pulled from the sender, or sent as value.
func (c Contracts) Encode(p *plan.Plan, t Terms) (Tx, error) {
	joints := jointsOf(p)
	route, err := encodeRoute(p, joints)
	if err != nil {
		return Tx{}, err
	}
	call := head{
		tokenIn: p.TokenIn, amountIn: p.AmountIn, tokenOut: p.TokenOut, minOut: t.MinOut,
		recipient: t.Recipient, deadline: t.Deadline, executor: c.Executor, route: route, permit: t.Permit,
	}
	if t.NativeOut {
		call.tokenOut = common.Address{}
	}
	data := call.encode()
	tx := Tx{To: c.Router, Data: data, Gas: c.gasLimit(p, joints, data, t) + t.Permit.gas(c.Schedule)}
	if t.NativeIn {
		tx.Value = p.AmountIn
	}
	return tx, nil
}
