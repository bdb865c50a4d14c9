package gas

import (
	"encoding/binary"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
)

// Estimate adds up the gas of one swap transaction before it is sent. Callers
// report what the swap will do, in order: calls of accounts, reads and writes
// of storage slots, token transfers. Each report adds what the schedule
// charges, given what earlier reports have made warm or written already. Where
// it is not known whether a slot holds something, the dearer case is reported,
// so the sum is an upper estimate. All sums are in units of gas.
//
// Use it as NewEstimate, then for each step of the route Begin and the reports
// of its pool, then Total. What a transaction costs before it runs (Intrinsic)
// is not part of it.
type Estimate struct {
	Accounts
	Step
	Quoted bool // the pools are as they were quoted: nobody trades before the swap

	state   *Tracker
	native  bool // the recipient gets native currency
	total   int64
	stores  uint64           // Store reports so far; numbers the values they write, so that no write counts as one of the value already there
	unspent bool             // the Router is left with wrapped native, which it returns to the sender at the end
	allows  bool             // a pool has asked what others may trade before
	empty   []common.Address // reported by HoldsNone
}

// Accounts are those that every swap involves. The estimate assumes what costs
// most: before the transaction the Router, the Executor and the recipient hold no
// tokens, and the sender holds only tokenIn, or none if it sends native currency.
type Accounts struct {
	Sender, Router, Executor, Recipient, WrappedNative common.Address
	Proxies                                            bool // every token but WrappedNative is taken for a proxy contract
}

// Step is what the route asks of one step: swap TokenIn for TokenOut in a pool.
type Step struct {
	TokenIn, TokenOut common.Address
	Funds             Funds
	All               bool           // it takes all that is held of TokenIn
	To                common.Address // who is paid TokenOut

	// The pools of consecutive steps may share a contract that nets what they
	// owe each other. Then the step before pays this one, or this one the step
	// after it, without a transfer.
	NettedIn, NettedOut bool
}

// Funds is where the input of a step is before it.
type Funds byte

const (
	FromSender   Funds = iota // the sender holds it, with an allowance for the Router
	FromRouter                // the Router holds it, having wrapped native currency
	FromExecutor              // the Executor holds it, as the output of earlier steps
	InPool                    // the pool holds it: the step before paid it there
)

// Gas of the parts of a swap for computing, memory, logs and warm accesses. What
// the first access to an account or slot costs, and writing a slot, comes on top:
// Call, Load, Store and Clear add it. Measured on the local chain with plain
// tokens, except gasProxy, which is assumed.
const (
	gasRouter   = 9_500  // the Router's checks before and after the route, once
	gasStep     = 6_000  // the Executor decodes and starts a step
	gasMeasure  = 4_000  // the Executor finds what it was paid by the difference of its balance
	gasTransfer = 2_000  // transfer or transferFrom of a token
	gasProxy    = 3_000  // a call through a proxy contract to the token's code
	gasPull     = 2_500  // the Executor has the Router pay the input of a step
	gasFee      = 1_500  // the Executor reads and computes a fee
	gasApprove  = 7_000  // the Executor approves a pool and takes the approval back
	gasFund     = 3_000  // the Router accepts native currency as the input
	gasDeposit  = 7_200  // wraps native currency
	gasWithdraw = 12_500 // unwraps it
	gasSend     = 29_000 // sends native currency to an account that may not exist yet
)

// NewEstimate begins a swap for tokenOut, with the input where funds says. If
// native, the Router receives wrapped native in place of the recipient, and
// unwraps it. If funds is FromRouter, the Router first wraps what the sender
// sends along.
func NewEstimate(s *Schedule, a Accounts, funds Funds, tokenOut common.Address, native bool) *Estimate {
	e := &Estimate{Accounts: a, native: native, state: NewTracker(s, a.Sender, a.Router)}
	e.Add(gasRouter)
	e.Call(a.Executor)
	if funds == FromRouter {
		e.Add(gasFund)
		e.Deposit(a.Router)
	}
	e.balanceOf(tokenOut, e.Receiver())
	return e
}

// Receiver is who is paid the output of the last steps.
func (e *Estimate) Receiver() common.Address {
	if e.native {
		return e.Router
	}
	return e.Recipient
}

// Begin makes step the one that the reports after it are about.
func (e *Estimate) Begin(step Step) {
	e.Step = step
	if !step.NettedIn {
		e.Add(gasStep)
	}
	if step.To == e.Executor && !step.NettedOut {
		e.Add(gasMeasure)
		e.balanceOf(step.TokenOut, e.Executor)
	}
}

// tradedBefore is how many times the trades of others in the pool of a step fit into
// the amount of the step: they are at most a 16th of it, and the step before may pay a
// little more because of them.
const tradedBefore = 15

// TradedBefore is how much of its input the pool of a step of an amount may take from
// others after it was quoted and before the swap, or give back to them, in raw units.
// Because of it a swap may cross further ticks, fill further levels or be the first to
// write a slot: pools report the dearest swap that may follow.
func (e *Estimate) TradedBefore(amount u256.Int) u256.Int {
	if e.Quoted {
		return u256.Zero
	}
	e.allows = true
	return amount.Div(u256.From(tradedBefore))
}

// AmountVaries tells that the amount of the step is what steps before it pay, which
// differs from the quoted amount when others trade in their pools.
func (e *Estimate) AmountVaries() bool { return e.Funds == FromExecutor && !e.Quoted }

// Allows tells whether the estimate allows for trades of others. Else it is that of
// the quoted state too.
func (e *Estimate) Allows() bool { return e.allows }

// Total ends the swap and returns all the gas it needs.
func (e *Estimate) Total() int64 {
	if e.native {
		e.Withdraw(e.Router)
		e.Call(e.Recipient)
		e.Add(gasSend)
	}
	if e.unspent {
		e.Transfer(e.WrappedNative, e.Router, e.Sender, true)
	}
	return e.total
}

// Add reports gas that every schedule charges alike: computing and warm
// accesses.
func (e *Estimate) Add(gas int64) { e.total += gas }

// Memory reports a call frame with that many 32-byte words of memory. It adds
// what they cost beyond 3 gas each, which is part of the computing.
func (e *Estimate) Memory(words int64) {
	e.total += max(0, e.state.schedule.memory(words)-3*words)
}

// Call reports a call of an account. It adds the surcharge of the first access
// to the account in the transaction.
func (e *Estimate) Call(a common.Address) { e.total += e.state.Account(a) }

// Load reports a read of a storage slot.
func (e *Estimate) Load(account common.Address, slot u256.Int) {
	e.total += e.state.Load(Slot{account, slot})
}

// Store reports a write of something to a storage slot. wasZero tells that the
// slot held nothing before the transaction; only the first write of a slot
// looks at it.
func (e *Estimate) Store(account common.Address, slot u256.Int, wasZero bool) {
	e.stores++
	e.total += e.state.Store(Slot{account, slot}, before(wasZero), u256.From(1+e.stores))
}

// Clear reports a write of zero to a storage slot; wasZero is as with Store.
func (e *Estimate) Clear(account common.Address, slot u256.Int, wasZero bool) {
	e.total += e.state.Store(Slot{account, slot}, before(wasZero), u256.Zero)
}

// before stands for what a slot holds before the transaction. It differs from
// all values that Store writes.
func before(zero bool) u256.Int {
	if zero {
		return u256.Zero
	}
	return u256.One
}

// HoldsNone reports an account that holds no tokens between transactions, so
// that each transfer to it fills an empty slot.
func (e *Estimate) HoldsNone(a common.Address) { e.empty = append(e.empty, a) }

// MappingSlot is the slot of a key in a Solidity mapping, which is declared at
// the given slot.
func MappingSlot(key, mapping u256.Int) u256.Int {
	k, m := key.Bytes(), mapping.Bytes()
	return u256.FromBytes(crypto.Keccak256(k[:], m[:]))
}

// SignedKey is a signed number as the key of a mapping: its two's complement.
func SignedKey(n int32) u256.Int {
	if n < 0 {
		return u256.Zero.Sub(u256.From(uint64(-int64(n))))
	}
	return u256.From(uint64(n))
}

// AnySlot stands for a slot at a hash, such as an element of a Solidity mapping,
// where its real number does not matter. Equal arguments give the same slot,
// others a slot on another page: a schedule may charge the first access per page
// of consecutive slots, and slots at hashes practically never share one. what is
// a number that the caller chooses for the mapping, who and n are the key in it.
func AnySlot(what byte, who common.Address, n uint32) u256.Int {
	var key [32]byte
	key[0] = what
	copy(key[1:], who[:])
	binary.BigEndian.PutUint32(key[21:], n)
	return u256.FromBytes(key[:])
}
