// Package gas prices what a transaction does to accounts and storage, as Ethereum does and as Monad does.
//
// What differs between the two is what is met for the first time, and what is
// written: all else costs the same. So work is told as it happens, to a Tally
// that knows what is warm, and a Tally answers with what that costs beyond the
// price of touching something warm, which belongs to the work itself.
package gas

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// Schedule is what a chain asks for.
type Schedule struct {
	Name string

	coldAccount int64
	coldLoad    int64
	coldStore   int64
	pageBits    uint // slots that share all but so many bits get warm together
	store       func(p *page, original, current, value u256.Int) int64
	memory      func(words int64) int64
	precompiles [11]int64 // multiples of Ethereum's prices, by address; none is 1
}

var (
	// Ethereum is the schedule of Osaka.
	Ethereum = &Schedule{
		Name: "ethereum", coldAccount: 2_500, coldLoad: 2_000, coldStore: 2_100,
		store:  storeEthereum,
		memory: func(words int64) int64 { return 3*words + words*words/512 },
	}

	// Monad is the schedule of MONAD_TEN: storage is read and written by pages,
	// and a slot that comes to hold something is paid for once per page and peak.
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

func storeEthereum(_ *page, original, current, value u256.Int) int64 {
	switch {
	case value == current || current != original:
		return 0
	case original.IsZero():
		return 20_000 - 100
	}
	return 2_900 - 100
}

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
		p.growth++
	case value.IsZero():
		p.growth--
	}
	if p.growth > p.peak {
		p.peak = p.growth
		cost += 17_000
	}
	return cost
}

// Memory is what a frame pays for so many words in all.
func (s *Schedule) Memory(words int64) int64 { return s.memory(words) }

// Precompile is what a call of a precompile costs that is worth so much on
// Ethereum.
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
	floorPerByte = 10 // EIP-7623: at least so much a zero byte, and four times that any other
)

// Intrinsic is what a transaction that calls with data costs before it runs,
// and Floor the least it costs at all.
func Intrinsic(data []byte) int64 {
	zeros := zeros(data)
	return base + zeroByte*zeros + otherByte*(int64(len(data))-zeros)
}

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

// Passing is the least gas that lets a call pass n on: a call keeps the 64th
// part back.
func Passing(n int64) int64 {
	if n <= 0 {
		return 0
	}
	return n + (n-1)/63
}
