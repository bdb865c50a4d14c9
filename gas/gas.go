// Package gas prices what a transaction does to accounts and storage, as Ethereum does and as Monad does.
//
// The two differ in what a first (cold) access and a write cost; all else costs
// the same. So a Tracker follows a transaction, keeps what is warm and what was
// written, and returns for each access what it costs beyond a warm one. An
// Estimate uses it to add up a swap before it is sent. All numbers are units of
// gas.
package gas

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// Schedule is the gas prices of a chain, where they differ from Ethereum's or
// depend on what is warm. It never changes.
type Schedule struct {
	Name string

	coldAccount int64 // surcharge for the first access to an account
	coldLoad    int64 // surcharge for the first access to a page, by a read
	coldStore   int64 // and by a write
	pageBits    uint  // a page is 2^pageBits consecutive slots
	store       func(p *page, original, current, value u256.Int) int64
	memory      func(words int64) int64
	precompiles [11]int64 // multiples of Ethereum's prices, by address; 0 is 1
}

var (
	// Ethereum is the schedule of Osaka.
	Ethereum = &Schedule{
		Name: "ethereum", coldAccount: 2_500, coldLoad: 2_000, coldStore: 2_100,
		store:  storeEthereum,
		memory: func(words int64) int64 { return 3*words + words*words/512 },
	}

	// Monad is the schedule of MONAD_TEN: storage is read and written by pages
	// of 128 slots, and a write that fills an empty slot is charged only when
	// more slots of the page are filled than at any time before it in the
	// transaction.
	Monad = &Schedule{
		Name: "monad", coldAccount: 10_000, coldLoad: 8_000, coldStore: 8_000, pageBits: 7,
		store:       storeMonad,
		memory:      func(words int64) int64 { return words / 2 },
		precompiles: [11]int64{1: 2, 6: 2, 7: 5, 8: 5, 9: 2, 10: 4},
	}
)

// Named is the schedule of that name, or nil.
func Named(name string) *Schedule {
	for _, s := range []*Schedule{Ethereum, Monad} {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// storeEthereum is the surcharge of a write (EIP-2200, EIP-2929): original is
// the slot's value before the transaction, current the one before the write.
func storeEthereum(_ *page, original, current, value u256.Int) int64 {
	switch {
	case value == current || current != original:
		return 0
	case original.IsZero():
		return 20_000 - 100
	}
	return 2_900 - 100
}

// storeMonad is the surcharge of a write on Monad. It updates the page.
func storeMonad(p *page, _, current, value u256.Int) (cost int64) {
	if value == current {
		return 0
	}
	if !p.written {
		p.written = true
		cost = 2_800
	}
	switch {
	case current.IsZero():
		p.filled++
	case value.IsZero():
		p.filled--
	}
	if p.filled > p.peak {
		p.peak = p.filled
		cost += 17_000
	}
	return cost
}

// Memory is what a call frame pays for that many 32-byte words of memory.
func (s *Schedule) Memory(words int64) int64 { return s.memory(words) }

// Precompile is what a call of the precompile at an address costs that would
// cost ethereum gas on Ethereum.
func (s *Schedule) Precompile(at common.Address, ethereum int64) int64 {
	for n, times := range s.precompiles {
		if times > 1 && at == common.BytesToAddress([]byte{byte(n)}) {
			return times * ethereum
		}
	}
	return ethereum
}

// What a transaction costs before it runs, on both chains.
const (
	base         = 21_000
	zeroByte     = 4
	otherByte    = 16
	floorPerByte = 10 // EIP-7623: the least for a zero byte; four times that for any other
)

// Intrinsic is what a transaction that calls with data costs before it runs.
func Intrinsic(data []byte) int64 {
	zeros := zeros(data)
	return base + zeroByte*zeros + otherByte*(int64(len(data))-zeros)
}

// Floor is the least that a transaction that calls with data costs (EIP-7623).
func Floor(data []byte) int64 {
	zeros := zeros(data)
	return base + floorPerByte*(zeros+4*(int64(len(data))-zeros))
}

func zeros(data []byte) (n int64) {
	for _, b := range data {
		if b == 0 {
			n++
		}
	}
	return n
}

// Passing is the least gas that a caller must have left for a call to be given
// n: a call keeps a 64th of it back (EIP-150).
func Passing(n int64) int64 {
	if n <= 0 {
		return 0
	}
	return n + (n-1)/63
}
