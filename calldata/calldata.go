// Package calldata turns a plan into the transaction that carries it out, and its gas limit.
package calldata

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/plan"
	"braid/u256"
	"braid/venue"
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

// prepaid marks a step whose pool was paid by the step before it.
const prepaid = 0x80

// Token numbers of a route: its ends, then the table of tokens in between.
const (
	numberIn  = 0
	numberOut = 1
	numberMid = 2
)

// A route names its tokens by one byte.
const maxMid = 256 - numberMid

var selectorSwap = crypto.Keccak256([]byte("swap(address,uint256,address,uint256,address,uint256,address,bytes)"))[:4]

// Encode writes the plan as a call of Router.swap. The same bytes serve both
// ways of funding wrapped native: pulled from the sender, or sent as value.
func (c Contracts) Encode(p *plan.Plan, t Terms) (Tx, error) {
	straight := straightSteps(p)
	route, err := encodeRoute(p, straight)
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

	tx := Tx{To: c.Router, Data: data, Gas: gasLimit(p, straight, data, c.WrappedNative, t)}
	if t.NativeIn {
		tx.Value = p.AmountIn
	}
	return tx, nil
}

// encodeRoute packs the steps: the table of middle tokens, then for each step
// kind, in, out, share and the body its pool asks for.
func encodeRoute(p *plan.Plan, straight []bool) ([]byte, error) {
	number := map[common.Address]int{p.TokenIn: numberIn, p.TokenOut: numberOut}
	var mid []common.Address
	for i := range p.Steps {
		if a := p.Steps[i].TokenOut(); a != p.TokenOut {
			if _, seen := number[a]; !seen {
				number[a] = numberMid + len(mid)
				mid = append(mid, a)
			}
		}
	}
	if len(mid) > maxMid {
		return nil, fmt.Errorf("route of %d tokens: %d at most", len(mid)+numberMid, maxMid+numberMid)
	}
	route := make([]byte, 0, 1+20*len(mid)+32*len(p.Steps))
	route = append(route, byte(len(mid)))
	for _, a := range mid {
		route = append(route, a[:]...)
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		call := s.Pool.Call(s.In, s.Out)
		kind := call.Kind
		if straight[i] {
			kind |= prepaid
		}
		route = append(route, kind, byte(number[s.TokenIn()]), byte(number[s.TokenOut()]))
		route = binary.BigEndian.AppendUint32(route, uint32(s.Share))
		route = append(route, call.Body...)
	}
	return route, nil
}

// straightSteps marks the steps that the step before them can pay without a
// stop in the Executor: it makes all there is of the token, the marked step
// takes all of it, and its pool is one that is paid before it is called.
func straightSteps(p *plan.Plan) []bool {
	makers, takers := map[common.Address]int{}, map[common.Address]int{}
	for i := range p.Steps {
		makers[p.Steps[i].TokenOut()]++
		takers[p.Steps[i].TokenIn()]++
	}
	marks := make([]bool, len(p.Steps))
	for i := 1; i < len(p.Steps); i++ {
		s := &p.Steps[i]
		token := s.TokenIn()
		marks[i] = p.Steps[i-1].TokenOut() == token && makers[token] == 1 && takers[token] == 1 &&
			paysFirst(s.Pool.Call(s.In, s.Out))
	}
	return marks
}

// paysFirst holds for calls whose body begins with the address to pay, which
// is where the step before looks for it.
func paysFirst(c venue.Call) bool {
	return c.Prepay != common.Address{} && bytes.HasPrefix(c.Body, c.Prepay[:])
}

func appendAddress(b []byte, a common.Address) []byte {
	return append(append(b, make([]byte, 12)...), a[:]...)
}

func appendUint(b []byte, n u256.Int) []byte {
	w := n.Bytes()
	return append(b, w[:]...)
}
