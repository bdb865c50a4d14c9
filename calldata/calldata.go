// Package calldata turns a plan into the transaction that carries it out, and its gas limit.
package calldata

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

// Contracts are the addresses of our contracts and of those they call, and how
// gas limits are computed.
type Contracts struct {
	Router, Executor, WrappedNative, Permit2 common.Address
	Schedule                                 *gas.Schedule    // nil is Ethereum's
	Proxies                                  bool             // gas limits take every token for a proxy contract
	Kinds                                    []venue.StepKind // of steps that Verify can read; Encode needs none
}

// Terms are what the caller sets beside the plan.
type Terms struct {
	Recipient common.Address
	MinOut    u256.Int // raw units; the Router reverts if it pays less
	Deadline  uint64   // Unix seconds
	NativeIn  bool     // the sender pays in native currency, by Tx.Value
	NativeOut bool     // the Router unwraps the output and pays native currency
	Permit    *Permit  // the sender signed instead of approving; nil if not
	Fee       *Fee     // nil: none
	AmountIn  u256.Int // with a fee of the input: what the sender pays, of which the plan takes the rest
}

// Tx is a transaction but for sender, nonce and gas price.
type Tx struct {
	To    common.Address
	Data  []byte
	Value u256.Int // wei
	Gas   uint64   // limit; Monad charges for all of it
}

// Encode encodes the plan as a call of the Router. For wrapped native the bytes
// are the same whether it is pulled from the sender or sent as value.
func (c Contracts) Encode(p *plan.Plan, t Terms) (Tx, error) {
	inputs, amountIn := inputsOf(p), p.AmountIn
	if f := t.Fee.in(); f != nil {
		if amountIn = t.AmountIn; f.Rest(amountIn) != p.AmountIn {
			return Tx{}, fmt.Errorf("the plan takes %s, which is not what a fee of %s leaves of %s", p.AmountIn, f, amountIn)
		}
	}
	route, err := encodeRoute(p, inputs, t.Fee)
	if err != nil {
		return Tx{}, err
	}
	call := routerCall{
		tokenIn: p.TokenIn, amountIn: amountIn, tokenOut: p.TokenOut, minOut: t.MinOut,
		recipient: t.Recipient, deadline: t.Deadline, executor: c.Executor, route: route, permit: t.Permit,
	}
	if t.NativeOut {
		call.tokenOut = common.Address{}
	}
	data := call.encode()
	tx := Tx{To: c.Router, Data: data, Gas: c.gasLimit(p, inputs, data, t) + t.Permit.gas(c.Schedule)}
	if t.NativeIn {
		tx.Value = amountIn
	}
	return tx, nil
}
