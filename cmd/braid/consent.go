package main

import (
	"bytes"
	"errors"
	"fmt"
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

// consents holds what else an answer asks to be signed to its transaction: an
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
