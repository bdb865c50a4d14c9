package gas

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// Pay reports that the input of the step goes to holder, the account that holds
// the pool's tokens.
func (e *Estimate) Pay(holder common.Address) {
	if e.NettedIn {
		return
	}
	switch e.Funds {
	case FromSender:
		e.Add(gasPull)
		e.callToken(e.TokenIn)
		e.Load(e.TokenIn, allowanceSlot(e.Sender, e.Router))
		e.Store(e.TokenIn, allowanceSlot(e.Sender, e.Router), false)
		e.Transfer(e.TokenIn, e.Sender, holder, false)
	case FromRouter:
		e.Add(gasPull)
		e.Transfer(e.TokenIn, e.Router, holder, e.All)
	case FromExecutor:
		if holder != e.Executor {
			e.Transfer(e.TokenIn, e.Executor, holder, e.All)
		}
	}
}

// PayNative reports that the input of the step, wrapped native, goes to the
// Executor and is unwrapped there.
func (e *Estimate) PayNative() {
	if e.NettedIn {
		return
	}
	e.Pay(e.Executor)
	e.Withdraw(e.Executor)
}

// PayByAllowance reports that the input of the step goes to the Executor, which
// approves spender to transfer it to holder, and takes the approval back.
func (e *Estimate) PayByAllowance(spender, holder common.Address) {
	e.balanceOf(e.TokenIn, e.Executor)
	e.Pay(e.Executor)
	e.Add(gasApprove)
	e.Store(e.TokenIn, allowanceSlot(e.Executor, spender), true)
	e.Clear(e.TokenIn, allowanceSlot(e.Executor, spender), true)
	e.Transfer(e.TokenIn, e.Executor, holder, e.Funds != FromExecutor || e.All)
}

// Dust reports that the pool leaves a few units of the input, which go back to
// the sender.
func (e *Estimate) Dust() {
	switch e.Funds {
	case FromRouter:
		e.unspent = true
	case FromExecutor:
		e.Transfer(e.TokenIn, e.Executor, e.Sender, e.All)
	}
}

// Deliver reports that holder, the account that holds the pool's tokens, pays
// the output of the step.
func (e *Estimate) Deliver(holder common.Address) {
	if !e.NettedOut {
		e.Transfer(e.TokenOut, holder, e.To, false)
	}
}

// DeliverByExecutor reports that holder pays the output to the Executor, which
// measures it and transfers it on.
func (e *Estimate) DeliverByExecutor(holder common.Address) {
	e.balanceOf(e.TokenOut, e.Executor)
	e.Transfer(e.TokenOut, holder, e.Executor, false)
	e.balanceOf(e.TokenOut, e.Executor)
	e.transferOn()
}

// DeliverNative reports that the Executor, paid in native currency, wraps it
// and transfers it on.
func (e *Estimate) DeliverNative() {
	if e.NettedOut {
		return
	}
	e.Deposit(e.Executor)
	e.transferOn()
}

func (e *Estimate) transferOn() {
	if e.To != e.Executor {
		e.Transfer(e.TokenOut, e.Executor, e.To, true)
	}
}

// PayFee reports that a part of the swap's input goes to the recipient of a fee, who
// may hold none of it.
func (e *Estimate) PayFee(to, tokenIn common.Address, funds Funds) {
	e.HoldsNone(to)
	e.Add(gasFee)
	e.Step = Step{TokenIn: tokenIn, Funds: funds}
	e.Pay(to)
}

// DeliverLessFee reports that the Executor transfers a part of the swap's output to
// the recipient of a fee, who may hold none of it, and the rest to the receiver.
func (e *Estimate) DeliverLessFee(to, tokenOut common.Address) {
	e.HoldsNone(to)
	e.Add(gasFee)
	e.Transfer(tokenOut, e.Executor, to, false)
	e.Transfer(tokenOut, e.Executor, e.Receiver(), true)
}

// Transfer reports a transfer of a token: of all that from holds, or a part.
func (e *Estimate) Transfer(token, from, to common.Address, all bool) {
	e.Add(gasTransfer)
	e.callToken(token)
	e.Load(token, balanceSlot(from))
	e.Load(token, balanceSlot(to))
	if all {
		e.Clear(token, balanceSlot(from), e.mayHoldNone(from))
	} else {
		e.Store(token, balanceSlot(from), e.mayHoldNone(from))
	}
	e.Store(token, balanceSlot(to), e.mayHoldNone(to))
}

func (e *Estimate) balanceOf(token, holder common.Address) {
	e.callToken(token)
	e.Load(token, balanceSlot(holder))
}

// Slots that a proxy reads: the address of its implementation, and whether it
// is paused.
const (
	slotImplementation = 'i'
	slotPaused         = 'p'
)

// callToken reports a call of a token. One that is taken for a proxy also reads
// the address of its implementation, calls that, and reads whether it is
// paused.
func (e *Estimate) callToken(token common.Address) {
	e.Call(token)
	if !e.Proxies || token == e.WrappedNative {
		return
	}
	e.Add(gasProxy)
	e.Load(token, AnySlot(slotImplementation, token, 0))
	e.Load(token, AnySlot(slotPaused, token, 0))
	implementation := token
	implementation[0] ^= 0xff // any other address
	e.Call(implementation)
}

// Deposit reports that a holder wraps native currency.
func (e *Estimate) Deposit(holder common.Address) {
	e.Add(gasDeposit)
	e.Call(e.WrappedNative)
	e.Load(e.WrappedNative, balanceSlot(holder))
	e.Store(e.WrappedNative, balanceSlot(holder), e.mayHoldNone(holder))
}

// Withdraw reports that a holder unwraps all the wrapped native it has.
func (e *Estimate) Withdraw(holder common.Address) {
	e.Add(gasWithdraw)
	e.Call(e.WrappedNative)
	e.Load(e.WrappedNative, balanceSlot(holder))
	e.Clear(e.WrappedNative, balanceSlot(holder), e.mayHoldNone(holder))
}

// mayHoldNone tells whether a holder may have none of a token before the
// transaction.
func (e *Estimate) mayHoldNone(holder common.Address) bool {
	switch holder {
	case e.Router, e.Executor, e.Recipient:
		return true
	case e.Sender:
		return e.Funds != FromSender // else it pays with it
	}
	return slices.Contains(e.empty, holder)
}

// Balances and allowances of a token are kept under hashes: which slot it is
// does not matter, only that no two share a page.

func balanceSlot(holder common.Address) u256.Int {
	var key [32]byte
	copy(key[:], holder[:])
	return u256.FromBytes(key[:])
}

func allowanceSlot(owner, spender common.Address) u256.Int {
	var key [32]byte
	copy(key[:], owner[:])
	copy(key[20:], spender[:])
	return u256.FromBytes(key[:])
}
