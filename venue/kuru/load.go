package kuru

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
	"braid/venue"
)

var getMarketParams = crypto.Keccak256([]byte("getMarketParams()"))[:4]

// Wants asks a market for the decimals it counts with, which no log tells.
func (f *Family) Wants(p venue.Pool) []venue.Read {
	if q, ok := p.(*Pool); ok && q.lot[base].ten.IsZero() {
		return []venue.Read{{To: q.market, Data: getMarketParams}}
	}
	return nil
}

// Load gives a market its lots. All else it knows by its logs.
func (f *Family) Load(p venue.Pool, answers [][]byte) (venue.Pool, error) {
	q, ok := p.(*Pool)
	if !ok || len(answers) != 1 {
		return nil, errors.New("kuru: answers to what was not asked")
	}
	w := words(answers[0])
	if len(w) != 11 {
		return nil, fmt.Errorf("kuru: market %s: parameters of %d bytes", q.market, len(answers[0]))
	}
	t := *q.terms
	for token, at := range [2][2]int{base: {1, 3}, quote: {0, 5}} { // precision, decimals
		digits, power := log10(w.number(at[0]))
		decimals := w.number(at[1])
		if !power || decimals.Gt(u256.From(maxDecimals)) {
			return nil, fmt.Errorf("kuru: market %s: precision %v of %v decimals", q.market, w.number(at[0]), decimals)
		}
		t.lot[token] = newLot(int(decimals.Uint64()) - digits)
	}
	next := q.next()
	next.terms = &t
	return next, nil
}

// maxDecimals keeps amounts of 2^96 units below 2^256.
const maxDecimals = 40

// log10 is the number of zeros behind the one, if that is all n is made of.
func log10(n u256.Int) (digits int, power bool) {
	ten := u256.From(10)
	for !n.IsZero() && n.Mod(ten).IsZero() {
		n = n.Div(ten)
		digits++
	}
	return digits, n == u256.One
}

// words32 is data of a log by its words.
type words32 [][32]byte

func words(data []byte) words32 {
	w := make(words32, len(data)/32)
	for i := range w {
		w[i] = [32]byte(data[32*i:])
	}
	return w
}

func (w words32) number(i int) u256.Int { return u256.FromBytes(w[i][:]) }
func (w words32) id(i int) uint64       { return w.number(i).Uint64() }
func (w words32) price(i int) uint32    { return uint32(w.number(i).Uint64()) }
func (w words32) yes(i int) bool        { return !w.number(i).IsZero() }

func (w words32) ids(from int) []uint64 {
	var list []uint64
	for i := from; i < len(w); i++ {
		list = append(list, w.id(i))
	}
	return list
}
