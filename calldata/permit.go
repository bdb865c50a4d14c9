package calldata

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"braid/gas"
	"braid/u256"
)

// PermitKind is what a sender signed.
type PermitKind byte

const (
	ERC2612 PermitKind = 1 // an allowance of the token for the Router
	Permit2 PermitKind = 2 // a transfer to the Router, by the contract of that name
)

func (k PermitKind) String() string {
	return map[PermitKind]string{ERC2612: "ERC-2612", Permit2: "Permit2"}[k]
}

// Permit is a signature that stands for an approval.
type Permit struct {
	Kind      PermitKind
	Amount    u256.Int
	Nonce     u256.Int // in calldata for Permit2 alone: the token keeps the other
	Deadline  uint64   // seconds
	Signature []byte
}

const maxSignature = 1024 // of a contract; a key's has 65

// gas is what a permit burns more than an allowance that is used up, from a
// signer who never did before. On Ethereum's schedule 49,300 and 58,500 were
// measured. On Monad's a new slot costs 5,800 more, a recovered signature 3,000
// and a cold account 7,500; the first has one new slot, the second two. What a
// contract burns to check its own signature is not in it.
func (p *Permit) gas(on *gas.Schedule) uint64 {
	switch {
	case p == nil:
		return 0
	case p.Kind == ERC2612 && on == gas.Monad:
		return 60_000
	case p.Kind == ERC2612:
		return 51_000
	case on == gas.Monad:
		return 84_000
	}
	return 61_000
}

// Prefix is all of a permit but the signature, in one string of bytes:
//
//	kind:1 amount:32 deadline:8, then for Permit2 nonce:32
func (p *Permit) Prefix() []byte {
	b := appendUint([]byte{byte(p.Kind)}, p.Amount)
	b = binary.BigEndian.AppendUint64(b, p.Deadline)
	if p.Kind == Permit2 {
		b = appendUint(b, p.Nonce)
	}
	return b
}

// is tells whether both are the same permit, or none.
func (p *Permit) is(q *Permit) bool {
	if p == nil || q == nil {
		return p == q
	}
	return bytes.Equal(p.Prefix(), q.Prefix()) && bytes.Equal(p.Signature, q.Signature)
}

// ParsePermit reads a prefix with a signature behind it. A contract's own
// signature, which may be as long as a key's, is left as it is: no key makes
// one whose s is 0.
func ParsePermit(b []byte) (*Permit, error) {
	r := reader{data: b}
	p := &Permit{Kind: PermitKind(r.take(1)[0]), Amount: u256.FromBytes(r.take(word)), Deadline: binary.BigEndian.Uint64(r.take(8))}
	switch p.Kind {
	case ERC2612:
	case Permit2:
		p.Nonce = u256.FromBytes(r.take(word))
	default:
		return nil, fmt.Errorf("kind %d is no permit", p.Kind)
	}
	p.Signature = r.data
	if n := len(p.Signature); r.short || n == 0 || n > maxSignature || p.Kind == ERC2612 && n != 65 {
		return nil, errors.New("the signature is missing or of no known length")
	}
	if s := p.Signature; len(s) == 65 && s[64] < 2 && !u256.FromBytes(s[32:64]).IsZero() { // some wallets count from 0
		p.Signature = append(s[:64:64], s[64]+27)
	}
	return p, nil
}

// appendWords writes the struct that the Router takes.
func (p *Permit) appendWords(b []byte) []byte {
	b = appendUint(b, p.Amount)
	if p.Kind == ERC2612 {
		b = appendUint(b, u256.From(p.Deadline))
		b = appendUint(b, u256.From(uint64(p.Signature[64])))
		return append(b, p.Signature[:64]...)
	}
	b = appendUint(b, p.Nonce)
	b = appendUint(b, u256.From(p.Deadline))
	b = appendUint(b, u256.From(4*word))
	return appendBytes(b, p.Signature)
}
