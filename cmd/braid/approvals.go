package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/common/math"

	"braid/calldata"
	"braid/monad"
	"braid/u256"
	"braid/venue"
)

// call is a transaction that an answer of /swap asks to be sent.
type call struct {
	To    common.Address
	Data  hexutil.Bytes
	Value string // wei, decimal or 0x
}

// equal says whether two calls do the same, however their values are written.
func (c call) equal(d call) bool {
	v, ok := math.ParseBig256(c.Value)
	w, also := math.ParseBig256(d.Value)
	return ok && also && v.Cmp(w) == 0 && c.To == d.To && bytes.Equal(c.Data, d.Data)
}

// batch is the calls of an answer as wallet_sendCalls (EIP-5792) takes them.
type batch struct {
	ChainID string
	Calls   []call
}

// permits are what include=permit gives to sign.
type permits struct{ Permit2, ERC2612 *permit }

// permit is the typed data (EIP-712) of a permit, and the bytes that precede its
// signature in the parameter permit.
type permit struct {
	TypedData json.RawMessage
	Prefix    hexutil.Bytes
}

// checkApproval checks what else an answer asks to be sent. The law: an approval
// lets the Router spend the input of the swap and no more, and the calls are the
// approval, if one is needed, and the transaction.
func (a *answer) checkApproval(c calldata.Claim, router common.Address) (faults []error) {
	amount, err := u256.FromDecimal(c.AmountIn)
	if err != nil {
		return []error{fmt.Errorf("amount: %w", err)}
	}
	input := amount.Bytes()
	approval := call{c.TokenIn, venue.Calldata("approve(address,uint256)", router[:], input[:]), "0"}
	calls := []call{a.Tx}
	needed := !c.NativeIn && c.Permit == nil
	if needed {
		calls = []call{approval, a.Tx}
	}
	if a.Approval != nil && (!needed || !a.Approval.equal(approval)) {
		faults = append(faults, errors.New("the approval is not for the Router and the amount of the input alone"))
	}
	if a.Calls == nil {
		return faults
	}
	if id := hexutil.EncodeUint64(monad.ChainID); a.Calls.ChainID != id {
		faults = append(faults, fmt.Errorf("the calls are for chain %.80q, not %s", a.Calls.ChainID, id))
	}
	if !slices.EqualFunc(a.Calls.Calls, calls, call.equal) {
		faults = append(faults, errors.New("the calls are not the approval that is needed, if any, and then the transaction"))
	}
	return faults
}

// checkPermits checks what an answer gives to sign. The law: a permit lets the
// Router spend the input of the swap and no more, until the deadline at the latest.
func (a *answer) checkPermits(c calldata.Claim, query url.Values, known calldata.Contracts) (faults []error) {
	if a.Permit == nil {
		return nil
	}
	if c.NativeIn {
		return []error{errors.New("there is nothing to permit: the input is native")}
	}
	owner := common.HexToAddress(or(query.Get("owner"), query.Get("recipient")))
	for kind, p := range map[calldata.PermitKind]*permit{calldata.Permit2: a.Permit.Permit2, calldata.ERC2612: a.Permit.ERC2612} {
		if p != nil && !p.matches(kind, c, known, owner, query) {
			faults = append(faults, fmt.Errorf("the %s permit is not for the Router and the amount of the input alone", kind))
		}
	}
	return faults
}

// matches says whether the typed data is, field by field, that of a permit of the
// claim. The name in a token's domain is not checked: with a wrong one the token
// refuses the signature.
func (p *permit) matches(kind calldata.PermitKind, c calldata.Claim, known calldata.Contracts, owner common.Address, query url.Values) bool {
	var given calldata.TypedData
	said, err := calldata.ParsePermit(append(slices.Clip(p.Prefix), make([]byte, 65)...)) // as if signed
	if err != nil || said.Kind != kind || !bytes.Equal(said.Prefix(), p.Prefix) || json.Unmarshal(p.TypedData, &given) != nil {
		return false
	}
	if kind == calldata.ERC2612 {
		if said.Nonce, err = u256.FromDecimal(query.Get("permitNonce")); err != nil {
			return false
		}
	}
	by := calldata.Signer{Owner: owner, Name: given.Domain.Name, Version: or(query.Get("permitVersion"), "1")}
	want, err := json.Marshal(known.TypedData(said, monad.ChainID, c.TokenIn, by))
	return err == nil && sameJSON(want, p.TypedData) &&
		said.Amount.String() == c.AmountIn && c.Now <= said.Deadline && said.Deadline <= c.Deadline
}

// sameJSON says whether two texts are JSON of equal values.
func sameJSON(a, b []byte) bool {
	var v, w any
	return json.Unmarshal(a, &v) == nil && json.Unmarshal(b, &w) == nil && reflect.DeepEqual(v, w)
}
