package balancer

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// words reads the ABI's encoding: a row of 32-byte words. Beyond the end all is
// zero and short is set, so that one question at the end is enough.
type words struct {
	data  []byte
	short bool
}

func (w *words) word(i int) []byte {
	if i < 0 || 32*i+32 > len(w.data) {
		w.short = true
		return make([]byte, 32)
	}
	return w.data[32*i : 32*i+32]
}

func (w *words) number(i int) u256.Int        { return u256.FromBytes(w.word(i)) }
func (w *words) address(i int) common.Address { return common.BytesToAddress(w.word(i)) }
func (w *words) flag(i int) bool              { return !w.number(i).IsZero() }

// list is the array whose offset stands in word i: the word of its first
// element, and how many it has. Elements are of the given size in words.
func (w *words) list(i, size int) (first, n int) {
	const most = 1 << 20
	at := w.number(i)
	if !at.IsUint64() || at.Uint64() > most || at.Uint64()%32 != 0 {
		w.short = true
		return 0, 0
	}
	first = int(at.Uint64()/32) + 1
	length := w.number(first - 1)
	if !length.IsUint64() || length.Uint64() > maxTokens {
		w.short = true
		return first, 0
	}
	n = int(length.Uint64())
	if 32*(first+n*size) > len(w.data) {
		w.short = true
	}
	return first, n
}

// numbers is a list of as many numbers as a pool has tokens.
func (w *words) numbers(i, n int) (list [maxTokens]u256.Int) {
	first, length := w.list(i, 1)
	if length != n {
		w.short = true
		return list
	}
	for k := range n {
		list[k] = w.number(first + k)
	}
	return list
}
