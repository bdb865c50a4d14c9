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

// call is a transaction that an answer of /swap asks for.
type call struct {
	To    common.Address
	Data  hexutil.Bytes
	Value string // decimal or 0x
}

func (c call) is(d call) bool {
	v, ok := math.ParseBig256(c.Value)
	w, also := math.ParseBig256(d.Value)
	return ok && also && v.Cmp(w) == 0 && c.To == d.To && bytes.Equal(c.Data, d.Data)
}

// batch is what wallet_sendCalls takes.
type batch struct {
	ChainID string
	Calls   []call
}

// permits are what include=permit gives to sign, each with what is to stand
// before its signature.
type permits struct{ Permit2, ERC2612 *permit }

type permit struct {
	TypedData json.RawMessage
	Prefix    hexutil.Bytes
}

// consents holds what else an answer asks to be sent to its transaction: an
// approval is of the input and no more, for the Router, and the calls are that
// and the transaction.
func (a *answer) consents(c calldata.Claim, router common.Address) (faults []error) {
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
	if a.Approval != nil && (!needed || !a.Approval.is(approval)) {
		faults = append(faults, errors.New("the approval is not of just the input, for the Router"))
	}
	if a.Calls == nil {
		return faults
	}
	if id := hexutil.EncodeUint64(monad.ChainID); a.Calls.ChainID != id {
		faults = append(faults, fmt.Errorf("the calls are for chain %.80q, not %s", a.Calls.ChainID, id))
	}
	if !slices.EqualFunc(a.Calls.Calls, calls, call.is) {
		faults = append(faults, errors.New("the calls are not the transaction, behind the approval that it needs"))
	}
	return faults
}

// signs holds what an answer gives to sign to the claim, to the letter: a
// permit is of the input and no more, for the Router, until the deadline.
func (a *answer) signs(c calldata.Claim, query url.Values, known calldata.Contracts) (faults []error) {
	if a.Permit == nil {
		return nil
	}
	if c.NativeIn {
		return []error{errors.New("there is nothing to permit: the input is native")}
	}
	owner := common.HexToAddress(or(query.Get("owner"), query.Get("recipient")))
	for kind, p := range map[calldata.PermitKind]*permit{calldata.Permit2: a.Permit.Permit2, calldata.ERC2612: a.Permit.ERC2612} {
		if p != nil && !p.is(kind, c, known, owner, query) {
			faults = append(faults, fmt.Errorf("the %s permit is not of just the input, for the Router", kind))
		}
	}
	return faults
}

// is says whether signing it permits what is claimed. The name of a token's
// domain is not known here: with a wrong one the token refuses.
func (p *permit) is(kind calldata.PermitKind, c calldata.Claim, known calldata.Contracts, owner common.Address, query url.Values) bool {
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

func sameJSON(a, b []byte) bool {
	var v, w any
	return json.Unmarshal(a, &v) == nil && json.Unmarshal(b, &w) == nil && reflect.DeepEqual(v, w)
}
