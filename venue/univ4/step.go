package univ4

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
	"braid/venue"
)

// Kind is the number of the Executor's step for one or more pools of the
// manager in a row. Its body is the number of hops (1 byte), a hop, and for
// each further one the token before it (20) and the hop. A hop is the rest of
// a pool's key (7): a byte that is 1 if the pool holds native currency where
// the route has wrapped native, the fee in hundredths of a basis point and the
// tick spacing in three bytes each.
const Kind = 5

// Bytes of a body with one hop, and of each further hop.
const (
	firstHop   = 8
	furtherHop = 27
)

// Step describes the Executor's step for pools of the manager.
func (f *Family) Step() venue.StepKind {
	return venue.StepKind{Number: Kind, Length: bodyLength, Pools: poolsOf, Words: wordsOf}
}

func (p *Pool) Call(in, out int) venue.Call {
	k := p.key
	body := []byte{1, 0, byte(k.fee >> 16), byte(k.fee >> 8), byte(k.fee), byte(k.spacing >> 16), byte(k.spacing >> 8), byte(k.spacing)}
	if k.native {
		body[1] = 1
	}
	return venue.Call{Kind: Kind, Body: body, JoinIn: p.account(in), JoinOut: p.account(out)}
}

// account is where the manager keeps what a step owes or is owed of a currency.
func (p *Pool) account(i int) string {
	currency := p.info.Tokens[i]
	if p.key.native && i == 0 {
		currency = common.Address{}
	}
	return string(p.info.Source.Factory[:]) + string(currency[:])
}

func bodyLength(rest []byte) (int, bool) {
	if len(rest) == 0 || rest[0] == 0 {
		return 0, false
	}
	return firstHop + furtherHop*(int(rest[0])-1), true
}

// hop is one pool of a step.
type hop struct {
	from, to     common.Address
	native       byte
	fee, spacing uint32
}

func hopsOf(s venue.StepCall) (hops []hop) {
	from := s.TokenIn
	for at := 1; at < len(s.Body); at += furtherHop {
		b := s.Body[at:]
		h := hop{from: from, to: s.TokenOut, native: b[0], fee: uint24(b[1:]), spacing: uint24(b[4:])}
		if len(b) > 7 {
			h.to = common.Address(b[7:furtherHop])
		}
		hops, from = append(hops, h), h.to
	}
	return hops
}

func uint24(b []byte) uint32 { return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]) }

func poolsOf(s venue.StepCall, wrappedNative common.Address) (ids []venue.ID) {
	for _, h := range hopsOf(s) {
		ids = append(ids, h.pool(wrappedNative))
	}
	return ids
}

// pool is the ID of the hop's pool: the hash of its key.
func (h *hop) pool(wrappedNative common.Address) venue.ID {
	currency := func(a common.Address) common.Address {
		if a == (common.Address{}) { // the end of a swap for native
			a = wrappedNative
		}
		if h.native != 0 && a == wrappedNative {
			return common.Address{}
		}
		return a
	}
	c0, c1 := currency(h.from), currency(h.to)
	if c0.Cmp(c1) > 0 {
		c0, c1 = c1, c0
	}
	var key []byte // two addresses, fee, tick spacing and no hook, a word each
	for _, w := range []u256.Int{u256.FromBytes(c0[:]), u256.FromBytes(c1[:]), u256.From(uint64(h.fee)), u256.From(uint64(h.spacing)), u256.Zero} {
		b := w.Bytes()
		key = append(key, b[:]...)
	}
	return venue.ID(hexutil.Encode(crypto.Keccak256(key)))
}

func wordsOf(s venue.StepCall, name func(common.Address) string) string {
	var hops []string
	for _, h := range hopsOf(s) {
		text := fmt.Sprintf("fee %d, spacing %d", h.fee, h.spacing)
		if h.native != 0 {
			text += fmt.Sprintf(", native (%d)", h.native)
		}
		if h.from != s.TokenIn {
			text = "then from " + name(h.from) + " " + text
		}
		hops = append(hops, text)
	}
	return "in Uniswap V4 (" + strings.Join(hops, "; ") + ")"
}
