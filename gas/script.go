package gas

import (
	"encoding/binary"

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
	native  bool // the recipient gets native
	used    int64
	values  uint64 // written so far: no two are alike
	unspent bool   // the Router keeps some of what it wrapped
	hollow  []common.Address
}

// Cast is who takes part. The Executor and the recipient begin with none of
// any token; the sender has tokenIn alone, or none if it sends native.
type Cast struct {
	Sender, Router, Executor, Recipient, WrappedNative common.Address
	Proxies                                            bool // tokens may stand behind proxies
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
// measured on the local chain, but for a proxy's.
const (
	burnRouter   = 9_500
	burnStep     = 6_000
	burnMeasure  = 4_000
	burnTransfer = 2_000
	burnProxy    = 3_000
	burnPull     = 2_500
	burnLend     = 7_000
	burnFund     = 3_000
	burnDeposit  = 7_200
	burnWithdraw = 12_500
	burnSend     = 29_000 // to an account that may not exist
)

// NewScript begins a swap for tokenOut, or for native, which the Router gets
// wrapped and unwraps. If funds are Wrapped it wraps what the sender sends.
func NewScript(s *Schedule, c Cast, funds Funds, tokenOut common.Address, native bool) *Script {
	t := &Script{Cast: c, native: native, tally: NewTally(s, c.Sender, c.Router)}
	t.Burn(burnRouter)
	t.Call(c.Executor)
	if funds == Wrapped {
		t.Burn(burnFund)
		t.Deposit(c.Router)
	}
	t.balanceOf(tokenOut, t.Receiver())
	return t
}

// Receiver is who gets what the last steps make.
func (s *Script) Receiver() common.Address {
	if s.native {
		return s.Router
	}
	return s.Recipient
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

// End is what all of it needs.
func (s *Script) End() int64 {
	if s.native {
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

// Memory is what many words of memory in one frame cost beyond three each.
func (s *Script) Memory(words int64) {
	s.used += max(0, s.tally.schedule.memory(words)-3*words)
}

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
