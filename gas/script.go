package gas

import (
	"encoding/binary"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
)

// Script is a swap as it is foreseen: what it does is told in order, and adds
// up. What is not known of a slot is told as the dearer case.
type Script struct {
	Cast
	Step

	tally   *Tally
	used    int64
	values  uint64 // written so far: no two are alike
	unspent bool   // the Router keeps some of what it wrapped
	hollow  []common.Address
}

// Cast is who takes part. The Executor and the recipient begin with none of
// any token; the sender has tokenIn alone, or none if it sends native.
type Cast struct {
	Sender, Router, Executor, Recipient, WrappedNative common.Address
}

// Step is what the route asks of the step that is told next.
type Step struct {
	TokenIn, TokenOut common.Address
	Funds             Funds
	All               bool           // it takes all that is held of TokenIn
	To                common.Address // who gets TokenOut
	Joined, Joins     bool           // it is part of the step before; the one after is part of it
}

// Funds is where the input of a step lies.
type Funds byte

const (
	Pulled  Funds = iota // with the sender, who allows it to the Router
	Wrapped              // with the Router, which wrapped it
	Here                 // with the Executor
	Paid                 // with the pool
)

// What parts of a swap burn beside what they touch first, with plain tokens:
// measured on the local chain.
const (
	burnRouter   = 9_500
	burnStep     = 6_000
	burnMeasure  = 4_000
	burnTransfer = 2_000
	burnPull     = 2_500
	burnLend     = 7_000
	burnFund     = 3_000
	burnDeposit  = 7_200
	burnWithdraw = 12_500
	burnSend     = 29_000 // to an account that may not exist
)

// NewScript begins a swap of the cast. Unless funds are Pulled the Router
// wraps what the sender sends.
func NewScript(s *Schedule, c Cast, tokenIn, tokenOut common.Address, native bool, funds Funds) *Script {
	t := &Script{Cast: c, tally: NewTally(s, c.Sender, c.Router)}
	t.Step = Step{TokenIn: tokenIn, TokenOut: tokenOut, Funds: funds}
	t.Burn(burnRouter)
	t.Call(c.Executor)
	if funds == Wrapped {
		t.Burn(burnFund)
		t.Deposit(c.Router)
	}
	t.balanceOf(tokenOut, t.receiver(native))
	return t
}

func (s *Script) receiver(native bool) common.Address {
	if native {
		return s.Router
	}
	return s.Recipient
}

// End is what all of it needs. The Router sends native out if asked to.
func (s *Script) End(native bool, funds Funds) int64 {
	if native {
		s.Withdraw(s.Router)
		s.Call(s.Recipient)
		s.Burn(burnSend)
	}
	if s.unspent {
		s.Transfer(s.WrappedNative, s.Router, s.Sender, true)
	}
	return s.used
}

// Burn is gas that costs the same on every schedule: computing, and touching
// what is warm.
func (s *Script) Burn(n int64) { s.used += n }

// Call meets an account.
func (s *Script) Call(a common.Address) { s.used += s.tally.Account(a) }

// Load reads a slot, and Write changes it: to something, from something or, if
// it is fresh, from nothing. Clear leaves nothing in it.
func (s *Script) Load(at common.Address, key u256.Int) { s.used += s.tally.Load(Slot{at, key}) }

func (s *Script) Write(at common.Address, key u256.Int, fresh bool) {
	s.values++
	s.used += s.tally.Store(Slot{at, key}, held(!fresh), u256.From(1+s.values))
}

func (s *Script) Clear(at common.Address, key u256.Int, fresh bool) {
	s.used += s.tally.Store(Slot{at, key}, held(!fresh), u256.Zero)
}

func held(something bool) u256.Int {
	if something {
		return u256.One
	}
	return u256.Zero
}

// Mapped is the slot of a key in a mapping of Solidity's.
func Mapped(key, mapping u256.Int) u256.Int {
	k, m := key.Bytes(), mapping.Bytes()
	return u256.FromBytes(crypto.Keccak256(k[:], m[:]))
}

// Signed is a number as a key of a mapping.
func Signed(n int32) u256.Int {
	if n < 0 {
		return u256.Zero.Sub(u256.From(uint64(-int64(n))))
	}
	return u256.From(uint64(n))
}

// Kept stands for a slot whose place does not matter, but that no two share a
// page: what of an account is kept there, for whom and under which number.
func Kept(what byte, who common.Address, n uint32) u256.Int {
	var key [32]byte
	key[0] = what
	copy(key[1:], who[:])
	binary.BigEndian.PutUint32(key[21:], n)
	return u256.FromBytes(key[:])
}

// Hollow tells of an account that holds no tokens between swaps.
func (s *Script) Hollow(a common.Address) { s.hollow = append(s.hollow, a) }

// Pay brings the input to who holds the pool's tokens.
func (s *Script) Pay(holder common.Address) {
	if s.Joined {
		return
	}
	switch s.Funds {
	case Pulled:
		s.Burn(burnPull)
		s.Call(s.TokenIn)
		s.Load(s.TokenIn, allowance(s.Sender, s.Router))
		s.Write(s.TokenIn, allowance(s.Sender, s.Router), false)
		s.Transfer(s.TokenIn, s.Sender, holder, false)
	case Wrapped:
		s.Burn(burnPull)
		s.Transfer(s.TokenIn, s.Router, holder, s.All)
	case Here:
		if holder != s.Executor {
			s.Transfer(s.TokenIn, s.Executor, holder, s.All)
		}
	}
}

// PayNative brings the input to the Executor as native.
func (s *Script) PayNative() {
	if s.Joined {
		return
	}
	s.Pay(s.Executor)
	s.Withdraw(s.Executor)
}

// Lend brings the input to the Executor and lets a spender take it to who
// holds the pool's tokens.
func (s *Script) Lend(spender, holder common.Address) {
	s.balanceOf(s.TokenIn, s.Executor)
	s.Pay(s.Executor)
	s.Burn(burnLend)
	s.Write(s.TokenIn, allowance(s.Executor, spender), true)
	s.Clear(s.TokenIn, allowance(s.Executor, spender), true)
	s.Transfer(s.TokenIn, s.Executor, holder, s.Funds != Here || s.All)
}

// Dust tells that some of the input is not taken. What came here goes back.
func (s *Script) Dust() {
	switch s.Funds {
	case Wrapped:
		s.unspent = true
	case Here:
		s.Transfer(s.TokenIn, s.Executor, s.Sender, s.All)
	}
}

// Deliver pays the output from who holds the pool's tokens.
func (s *Script) Deliver(holder common.Address) {
	if !s.Joins {
		s.Transfer(s.TokenOut, holder, s.To, false)
	}
}

// DeliverHere pays it to the Executor, which hands it on.
func (s *Script) DeliverHere(holder common.Address) {
	s.balanceOf(s.TokenOut, s.Executor)
	s.Transfer(s.TokenOut, holder, s.Executor, false)
	s.balanceOf(s.TokenOut, s.Executor)
	s.handOn()
}

// DeliverNative has the Executor wrap native and hand it on.
func (s *Script) DeliverNative() {
	if s.Joins {
		return
	}
	s.Deposit(s.Executor)
	s.handOn()
}

func (s *Script) handOn() {
	if s.To != s.Executor {
		s.Transfer(s.TokenOut, s.Executor, s.To, true)
	}
}

// Transfer moves a token, all that is left of it or a part.
func (s *Script) Transfer(token, from, to common.Address, all bool) {
	s.Burn(burnTransfer)
	s.Call(token)
	s.Load(token, balance(from))
	s.Load(token, balance(to))
	if all {
		s.Clear(token, balance(from), s.empty(token, from))
	} else {
		s.Write(token, balance(from), s.empty(token, from))
	}
	s.Write(token, balance(to), s.empty(token, to))
}

func (s *Script) balanceOf(token, holder common.Address) {
	s.Call(token)
	s.Load(token, balance(holder))
}

// Deposit wraps native for a holder, and Withdraw unwraps all it has.
func (s *Script) Deposit(holder common.Address) {
	s.Burn(burnDeposit)
	s.Call(s.WrappedNative)
	s.Load(s.WrappedNative, balance(holder))
	s.Write(s.WrappedNative, balance(holder), s.empty(s.WrappedNative, holder))
}

func (s *Script) Withdraw(holder common.Address) {
	s.Burn(burnWithdraw)
	s.Call(s.WrappedNative)
	s.Load(s.WrappedNative, balance(holder))
	s.Clear(s.WrappedNative, balance(holder), s.empty(s.WrappedNative, holder))
}

// empty tells whether a holder may begin with nothing of a token.
func (s *Script) empty(token, holder common.Address) bool {
	switch holder {
	case s.Router, s.Executor, s.Recipient:
		return true
	case s.Sender:
		return s.Funds != Pulled // then it pays with it
	}
	return slices.Contains(s.hollow, holder)
}

// Where tokens keep what they keep does not matter, but that no two share a
// page: they are kept under hashes.
func balance(holder common.Address) u256.Int {
	var key [32]byte
	copy(key[:], holder[:])
	return u256.FromBytes(key[:])
}

func allowance(owner, spender common.Address) u256.Int {
	var key [32]byte
	copy(key[:], owner[:])
	copy(key[20:], spender[:])
	return u256.FromBytes(key[:])
}

// Begin tells the next step.
func (s *Script) Begin(step Step) {
	s.Step = step
	if !step.Joined {
		s.Burn(burnStep)
	}
	if step.To == s.Executor && !step.Joins {
		s.Burn(burnMeasure)
		s.balanceOf(step.TokenOut, s.Executor)
	}
}
