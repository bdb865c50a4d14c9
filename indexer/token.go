package indexer

import (
	"bytes"
	"context"

	"github.com/ethereum/go-ethereum/common"

	"braid/chain"
	"braid/market"
	"braid/u256"
)

const maxDecimals = 77 // 10^78 is beyond 256 bits

// questions are what is asked of a token that is not on the list.
var questions = [...][]byte{
	common.FromHex("0x313ce567"), // decimals()
	common.FromHex("0x95d89b41"), // symbol()
	common.FromHex("0x06fdde03"), // name()
}

// tokens describes tokens: the listed ones by the list, the others by what
// they said of themselves at a block. One without sane decimals is no token.
func (x *Indexer) tokens(ctx context.Context, at common.Hash, addresses []common.Address) ([]market.Token, error) {
	var tokens []market.Token
	var calls []chain.Call
	for _, a := range addresses {
		if t, ok := x.listed[a]; ok {
			tokens = append(tokens, t)
			continue
		}
		for _, q := range questions {
			calls = append(calls, chain.Call{To: a, Data: q})
		}
	}
	if len(calls) == 0 {
		return tokens, nil
	}
	said, err := x.node.Calls(ctx, at, calls)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(calls); i += len(questions) {
		if t, ok := describe(calls[i].To, said[i], said[i+1], said[i+2]); ok {
			tokens = append(tokens, t)
		}
	}
	return tokens, nil
}

func describe(a common.Address, decimals, symbol, name chain.Result) (market.Token, bool) {
	if !decimals.OK || len(decimals.Data) != 32 {
		return market.Token{}, false
	}
	n := u256.FromBytes(decimals.Data)
	if n.Gt(u256.From(maxDecimals)) {
		return market.Token{}, false
	}
	return market.Token{Address: a, Symbol: text(symbol), Name: text(name), Decimals: uint8(n.Uint64())}, true
}

// text reads an ABI string, or the bytes32 that early tokens return.
func text(r chain.Result) string {
	d := r.Data
	if !r.OK || len(d) < 32 {
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
