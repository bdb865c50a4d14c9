package gas

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// Pay brings the input to who holds the pool's tokens.
func (s *Script) Pay(holder common.Address) {
	if s.Joined {
		return
	}
	switch s.Funds {
	case Pulled:
		s.Burn(burnPull)
		s.meet(s.TokenIn)
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
	s.meet(token)
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
	s.meet(token)
	s.Load(token, balance(holder))
}

// meet calls a token. One that may be a proxy reads where its code is, calls
// that, and asks whether it is paused.
func (s *Script) meet(token common.Address) {
	s.Call(token)
	if !s.Proxies || token == s.WrappedNative {
		return
	}
	s.Burn(burnProxy)
	s.Load(token, Kept('i', token, 0))
	s.Load(token, Kept('p', token, 0))
	code := token
	code[0] ^= 0xff
	s.Call(code)
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
