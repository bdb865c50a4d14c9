// Package calldata turns a plan into the transaction that carries it out, and its gas limit.
package calldata

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

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

var selectorSwap = crypto.Keccak256([]byte("swap(address,uint256,address,uint256,address,uint256,address,bytes)"))[:4]

// Encode writes the plan as a call of Router.swap. The same bytes serve both
// ways of funding wrapped native: pulled from the sender, or sent as value.
func (c Contracts) Encode(p *plan.Plan, t Terms) (Tx, error) {
	joints := jointsOf(p)
	route, err := encodeRoute(p, joints)
	if err != nil {
		return Tx{}, err
	}
	tokenOut := p.TokenOut
	if t.NativeOut {
		tokenOut = common.Address{}
	}
	const words = 8
	data := make([]byte, 0, 4+(words+1)*32+len(route)+31)
	data = append(data, selectorSwap...)
	data = appendAddress(data, p.TokenIn)
	data = appendUint(data, p.AmountIn)
	data = appendAddress(data, tokenOut)
	data = appendUint(data, t.MinOut)
	data = appendAddress(data, t.Recipient)
	data = appendUint(data, u256.From(t.Deadline))
	data = appendAddress(data, c.Executor)
	data = appendUint(data, u256.From(words*32))
	data = appendUint(data, u256.From(uint64(len(route))))
	data = append(data, route...)
	data = append(data, make([]byte, (32-len(route)%32)%32)...)

	tx := Tx{To: c.Router, Data: data, Gas: gasLimit(p, joints, data, c.WrappedNative, t)}
	if t.NativeIn {
		tx.Value = p.AmountIn
	}
	return tx, nil
}

func appendAddress(b []byte, a common.Address) []byte {
	return append(append(b, make([]byte, 12)...), a[:]...)
}

func appendUint(b []byte, n u256.Int) []byte {
	w := n.Bytes()
	return append(b, w[:]...)
}
