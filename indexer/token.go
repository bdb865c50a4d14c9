package indexer

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/chain"
	"braid/market"
	"braid/u256"
	"braid/venue"
)

const maxDecimals = 77 // 10^78 is beyond 256 bits

// A token may burn so much on each of three questions, and as many as are asked
// at once burn no more than a call has, whatever they are.
const (
	tokenGas     = 90_000
	tokenAll     = 3*tokenGas + 20_000
	tokensAtOnce = 25
)

// tokens describes tokens: the listed ones by the list, the others by what
// they said of themselves at a block. One without sane decimals is no token.
func (x *Indexer) tokens(ctx context.Context, at common.Hash, addresses []common.Address) ([]market.Token, error) {
	var tokens []market.Token
	var strange []common.Address
	for _, a := range addresses {
		if t, ok := x.listed[a]; ok {
			tokens = append(tokens, t)
		} else {
			strange = append(strange, a)
		}
	}
	var calls []chain.Call
	for some := range slices.Chunk(strange, tokensAtOnce) {
		n := uint64(len(some))
		data := venue.Calldata("tokens(uint256,address[])", u256.From(tokenGas).Big().Bytes(), []byte{64}, []byte{byte(n)})
		for _, a := range some {
			data = append(data, common.LeftPadBytes(a[:], 32)...)
		}
		calls = append(calls, chain.Call{To: chain.Lens, Data: data, Gas: n * tokenAll})
	}
	results, err := x.node.Calls(ctx, at, calls)
	if err != nil {
		return nil, err
	}
	for i, a := range strange {
		// No token can make the Lens fail: it is for the node to answer.
		r := &results[i/tokensAtOnce]
		if !r.OK || len(r.Data) < 3*32 {
			return nil, errors.New("the node does not run the Lens: state overrides must be granted")
		}
		decimals, symbol, name := answer(&r.Data), answer(&r.Data), answer(&r.Data)
		if t, ok := describe(a, decimals, symbol, name); ok {
			tokens = append(tokens, t)
		}
	}
	return tokens, nil
}

// answer takes the next one off what the Lens says; nil if the question failed.
func answer(said *[]byte) []byte {
	if len(*said) < 32 {
		return nil
	}
	size, rest := u256.FromBytes((*said)[:32]), (*said)[32:]
	if *said = rest; size.Gt(u256.From(uint64(len(rest)))) {
		return nil
	}
	n := int(size.Uint64())
	*said = rest[min((n+31)/32*32, len(rest)):]
	return rest[:n]
}

func describe(a common.Address, decimals, symbol, name []byte) (market.Token, bool) {
	if len(decimals) != 32 {
		return market.Token{}, false
	}
	n := u256.FromBytes(decimals)
	if n.Gt(u256.From(maxDecimals)) {
		return market.Token{}, false
	}
	return market.Token{Address: a, Symbol: text(symbol), Name: text(name), Decimals: uint8(n.Uint64())}, true
}

// text reads an ABI string, or the bytes32 that early tokens return.
func text(d []byte) string {
	if len(d) < 32 {
		return ""
	}
	if len(d) == 32 {
		d, _, _ = bytes.Cut(d, []byte{0})
		return string(d)
	}
	word := func(at uint64) (uint64, bool) {
		if at > uint64(len(d)-32) {
			return 0, false
		}
		n := u256.FromBytes(d[at : at+32])
		return n.Uint64(), n.IsUint64() && n.Uint64() <= uint64(len(d))
	}
	at, ok := word(0)
	if !ok {
		return ""
	}
	n, ok := word(at)
	if !ok || at+32+n > uint64(len(d)) {
		return ""
	}
	return string(d[at+32 : at+32+n])
}
