package calldata

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/u256"
)

// Words tell the whole of a swap, line by line: two that differ anywhere differ
// in words. name gives a token another name than its address; nil gives none.
func (s *Swap) Words(name func(common.Address) string) []string {
	called := func(a common.Address) string {
		if a == (common.Address{}) {
			return "native"
		}
		if name != nil {
			if n := name(a); n != "" {
				return n + " " + a.Hex()
			}
		}
		return a.Hex()
	}
	lines := []string{
		fmt.Sprintf("take %s of %s from the sender", s.AmountIn, called(s.TokenIn)),
		fmt.Sprintf("pay at least %s of %s to %s", s.MinOut, called(s.TokenOut), s.Recipient),
		fmt.Sprintf("until second %d", s.Deadline),
		fmt.Sprintf("carried out by %s", s.Executor),
	}
	if p := s.Permit; p != nil {
		lines = append(lines, fmt.Sprintf("paid by a %s permit of %s, nonce %s, until second %d, signed %#x", p.Kind, p.Amount, p.Nonce, p.Deadline, p.Signature))
	}
	for i := range s.Steps {
		step := &s.Steps[i]
		lines = append(lines, fmt.Sprintf("%d. swap %s of %s for %s %s", i+1, step.share(), called(step.TokenIn), called(step.TokenOut), step.venue(called)))
	}
	return lines
}

func (s *Step) share() string {
	switch {
	case s.Prepaid:
		return "all it was just paid"
	case s.Share == 0:
		return "all that is held"
	}
	return fmt.Sprintf("%.2f%% (%d/2^32)", 100*float64(s.Share)/(1<<32), s.Share)
}

// venue says where a step trades.
func (s *Step) venue(called func(common.Address) string) string {
	b := s.Body
	switch s.Kind {
	case kindV2:
		return fmt.Sprintf("in the pair %s at %d bps", common.Address(b[:20]), binary.BigEndian.Uint16(b[20:]))
	case kindV3:
		return "in the V3 pool " + common.Address(b).Hex()
	case kindBalancer:
		return "in the Balancer pool " + common.Address(b).Hex()
	case kindNadFun:
		return "on the curve of " + common.Address(b).Hex()
	case kindKuru:
		return fmt.Sprintf("in the Kuru market %s of %s (%s; lots of 10^%d)", common.Address(b[:20]), common.Address(b[20:40]), flags(b[40], "buys", "takes native", "pays native"), int8(b[41]))
	case kindHanji:
		return fmt.Sprintf("in the Hanji market %s (%s; units of %s)", common.Address(b[:20]), flags(b[20], "buys", "pays native"), u256.FromBytes(b[21:]))
	}
	var hops []string
	for _, h := range s.hops() {
		text := fmt.Sprintf("fee %d, spacing %d", h.fee, h.spacing)
		if h.native != 0 {
			text += fmt.Sprintf(", native (%d)", h.native)
		}
		if h.from != s.TokenIn {
			text = "then from " + called(h.from) + " " + text
		}
		hops = append(hops, text)
	}
	return "in Uniswap V4 (" + strings.Join(hops, "; ") + ")"
}

func flags(set byte, names ...string) string {
	var words []string
	for i, name := range names {
		if set&(1<<i) != 0 {
			words = append(words, name)
		}
	}
	if rest := set >> len(names); rest != 0 {
		words = append(words, fmt.Sprintf("and %#x", set))
	}
	if words == nil {
		return "sells"
	}
	return strings.Join(words, ", ")
}

// hop is one pool of Uniswap V4 in a step.
type hop struct {
	from, to     common.Address
	native       byte
	fee, spacing uint32
}

func (s *Step) hops() (hops []hop) {
	from := s.TokenIn
	for at := 1; at < len(s.Body); at += 27 {
		b := s.Body[at:]
		h := hop{from: from, to: s.TokenOut, native: b[0], fee: uint24(b[1:]), spacing: uint24(b[4:])}
		if len(b) > 7 {
			h.to = common.Address(b[7:27])
		}
		hops, from = append(hops, h), h.to
	}
	return hops
}

func uint24(b []byte) uint32 { return uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]) }

// id is how the pool's manager knows it.
func (h *hop) id(wrapped common.Address) string {
	currency := func(a common.Address) common.Address {
		if a == (common.Address{}) { // the end of a swap for native
			a = wrapped
		}
		if h.native != 0 && a == wrapped {
			return common.Address{}
		}
		return a
	}
	c0, c1 := currency(h.from), currency(h.to)
	if c0.Cmp(c1) > 0 {
		c0, c1 = c1, c0
	}
	key := appendAddress(appendAddress(nil, c0), c1)
	key = appendUint(appendUint(key, u256.From(uint64(h.fee))), u256.From(uint64(h.spacing)))
	return hexutil.Encode(crypto.Keccak256(appendUint(key, u256.Zero)))
}
