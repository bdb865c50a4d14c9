package venue

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
)

// wordSize is the size in bytes of a word of the contract ABI.
const wordSize = 32

// Words reads data in the encoding of the contract ABI: a row of 32-byte words,
// numbered from 0. Reading beyond the end gives zeros and is remembered, so
// that one check of Short after all reads is enough.
type Words struct {
	data  []byte
	short bool
}

// NewWords reads data, which it does not copy. Bytes behind the last whole word
// are not read.
func NewWords(data []byte) *Words { return &Words{data: data} }

// Len is how many whole words there are.
func (w *Words) Len() int { return len(w.data) / wordSize }

// Short tells that something beyond the end was read.
func (w *Words) Short() bool { return w.short }

// From are the words from i on.
func (w *Words) From(i int) *Words { return NewWords(w.data[min(i, w.Len())*wordSize:]) }

// Raw is word i itself.
func (w *Words) Raw(i int) []byte {
	if i < 0 || i >= w.Len() {
		w.short = true
		return make([]byte, wordSize)
	}
	return w.data[wordSize*i : wordSize*i+wordSize]
}

// Number is word i as an unsigned integer.
func (w *Words) Number(i int) u256.Int { return u256.FromBytes(w.Raw(i)) }

// Uint64 is the low 64 bits of word i.
func (w *Words) Uint64(i int) uint64 { return w.Number(i).Uint64() }

// Int32 is the low 32 bits of word i as a signed integer: an int24 or int32 of
// the ABI.
func (w *Words) Int32(i int) int32 { return int32(uint32(w.Uint64(i))) }

// Address is the low 20 bytes of word i.
func (w *Words) Address(i int) common.Address { return common.BytesToAddress(w.Raw(i)) }

// Flag tells that word i is not zero.
func (w *Words) Flag(i int) bool { return !w.Number(i).IsZero() }

// List is the array whose offset in bytes stands in word i: the word of its
// first element, and how many elements it has, which may be at most most. An
// element takes size words.
func (w *Words) List(i, size, most int) (first, n int) {
	at := w.Number(i)
	if !at.IsUint64() || at.Uint64() > uint64(len(w.data)) || at.Uint64()%wordSize != 0 {
		w.short = true
		return 0, 0
	}
	first = int(at.Uint64()/wordSize) + 1
	length := w.Number(first - 1)
	if !length.IsUint64() || length.Uint64() > uint64(most) {
		w.short = true
		return first, 0
	}
	n = int(length.Uint64())
	if first+n*size > w.Len() {
		w.short = true
	}
	return first, n
}

// Numbers is the array of exactly n numbers whose offset in bytes stands in word
// i. An array of another length counts as short.
func (w *Words) Numbers(i, n int) []u256.Int {
	list := make([]u256.Int, n)
	first, length := w.List(i, 1, n)
	if length != n {
		w.short = true
		return list
	}
	for k := range list {
		list[k] = w.Number(first + k)
	}
	return list
}

// Bytes are the bytes whose length stands in word i and which follow it, and
// the word behind their padding.
func (w *Words) Bytes(i int) (b []byte, next int) {
	n := w.Number(i)
	if start := wordSize * (i + 1); n.IsUint64() && start <= len(w.data) && n.Uint64() <= uint64(len(w.data)-start) {
		size := int(n.Uint64())
		next = i + 1 + (size+wordSize-1)/wordSize
		if next <= w.Len() {
			return w.data[start : start+size : start+size], next
		}
	}
	w.short = true
	return nil, i + 1
}

// Word is a number as a word.
func Word(n u256.Int) []byte {
	b := n.Bytes()
	return b[:]
}

// Signed is a number as a word, in two's complement.
func Signed[N ~int | ~int32 | ~int64](n N) []byte {
	if n < 0 {
		return Word(u256.Zero.Sub(u256.From(-uint64(n))))
	}
	return Word(u256.From(uint64(n)))
}

// Calldata is a call of a function whose arguments are all single words. Shorter
// arguments are padded with zeros in front.
func Calldata(signature string, words ...[]byte) []byte {
	data := crypto.Keccak256([]byte(signature))[:4]
	for _, w := range words {
		data = append(data, common.LeftPadBytes(w, wordSize)...)
	}
	return data
}

// Topic is the first topic of the logs of an event.
func Topic(signature string) common.Hash { return crypto.Keccak256Hash([]byte(signature)) }
