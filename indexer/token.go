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

// Limits of gas for describing tokens, chosen so that tokensPerCall tokens use at
// most the gas of one call (8.1M), whatever their code does.
const (
	tokenFieldGas = 90_000                   // for each of decimals(), symbol() and name()
	tokenGas      = 3*tokenFieldGas + 20_000 // for one token
	tokensPerCall = 25
)

// describe describes tokens: listed ones by the list, others by what their contracts
// return at block at. One without valid decimals is left out.
func (x *Indexer) describe(ctx context.Context, at common.Hash, addresses []common.Address) ([]market.Token, error) {
	var tokens []market.Token
	var unlisted []common.Address
	for _, a := range addresses {
		if t, ok := x.listed[a]; ok {
			tokens = append(tokens, t)
		} else {
			unlisted = append(unlisted, a)
		}
	}
	var calls []chain.Call
	for some := range slices.Chunk(unlisted, tokensPerCall) {
		n := uint64(len(some))
		data := venue.Calldata("tokens(uint256,address[])", u256.From(tokenFieldGas).Big().Bytes(), []byte{64}, []byte{byte(n)})
		for _, a := range some {
			data = append(data, common.LeftPadBytes(a[:], 32)...)
		}
		calls = append(calls, chain.Call{To: chain.Lens, Data: data, Gas: n * tokenGas})
	}
	results, err := x.node.Calls(ctx, at, calls)
	if err != nil {
		return nil, err
	}
	for i, a := range unlisted {
		// No token can make the Lens fail, so it is the node that does.
		r := &results[i/tokensPerCall]
		if !r.OK || len(r.Data) < 3*32 {
			return nil, errors.New("the node does not run the Lens: it must support state overrides of eth_call")
		}
		decimals, symbol, name := nextAnswer(&r.Data), nextAnswer(&r.Data), nextAnswer(&r.Data)
		if t, ok := describeToken(a, decimals, symbol, name); ok {
			tokens = append(tokens, t)
		}
	}
	return tokens, nil
}

// nextAnswer removes one answer of a token from the front of what the Lens returned:
// a 32-byte length, then the bytes, padded to 32. It is nil if the token failed or
// the data ends.
func nextAnswer(data *[]byte) []byte {
	if len(*data) < 32 {
		return nil
	}
	size, rest := u256.FromBytes((*data)[:32]), (*data)[32:]
	if *data = rest; size.Gt(u256.From(uint64(len(rest)))) {
		return nil
	}
	n := int(size.Uint64())
	*data = rest[min((n+31)/32*32, len(rest)):]
	return rest[:n]
}

// describeToken makes a token of the return data of decimals(), symbol() and name();
// false if the decimals are not a number up to maxDecimals.
func describeToken(a common.Address, decimals, symbol, name []byte) (market.Token, bool) {
	if len(decimals) != 32 {
		return market.Token{}, false
	}
	n := u256.FromBytes(decimals)
	if n.Gt(u256.From(maxDecimals)) {
		return market.Token{}, false
	}
	return market.Token{Address: a, Symbol: decodeString(symbol), Name: decodeString(name), Decimals: uint8(n.Uint64())}, true
}

// decodeString decodes an ABI-encoded string, or a bytes32 as early tokens return.
// It is empty if the data is neither.
func decodeString(d []byte) string {
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
