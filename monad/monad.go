// Package monad is the data of chain 143: sources, tokens and canonical contracts.
package monad

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/u256"
	"braid/venue"
)

// ChainID is Monad's chain ID (EIP-155).
const ChainID = 143

// NativePlaceholder is the address that stands for the native currency where a
// token's address is expected (ERC-7528).
var NativePlaceholder = common.HexToAddress("0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE")

// IsNative says whether an address in a request stands for the native
// currency: the zero address and NativePlaceholder do.
func IsNative(a common.Address) bool { return a == common.Address{} || a == NativePlaceholder }

// Canonical tokens: wrapped native (WMON), and the stablecoins whose price is one
// dollar by definition.
var (
	WrappedNative = common.HexToAddress("0x3bd359C1119dA7Da1D913D1C4D2B7c461115433A")

	USDC  = common.HexToAddress("0x754704Bc059F8C67012fEd69BC8A327a5aafb603")
	USDT0 = common.HexToAddress("0xe7cd86e13AC4309349F30B3435a9d337750fC82D")
	AUSD  = common.HexToAddress("0x00000000eFE302BEAA2b3e6e1b18d08D69a9012a")
)

//go:embed sources.json
var sourcesJSON []byte

//go:embed tokens.json
var tokensJSON []byte

// Sources are the deployments of venues, in the order in which the API lists them.
func Sources() []venue.Source {
	var rows []venue.Source
	must(json.Unmarshal(sourcesJSON, &rows))
	return rows
}

// Tokens is the token list without its entry for the native currency (the zero
// address), which is not an ERC-20.
func Tokens() []market.Token {
	var list struct {
		Tokens []struct {
			Address  common.Address
			Symbol   string
			Name     string
			Decimals uint8
			LogoURI  string
		}
	}
	must(json.Unmarshal(tokensJSON, &list))
	tokens := make([]market.Token, 0, len(list.Tokens))
	for _, t := range list.Tokens {
		if t.Address == (common.Address{}) {
			continue
		}
		tokens = append(tokens, market.Token{
			Address: t.Address, Symbol: t.Symbol, Name: t.Name, Decimals: t.Decimals, LogoURI: t.LogoURI, Verified: true,
		})
	}
	return tokens
}

// Chain is the chain's constants for package market. The tip is what Monad's nodes
// answer to eth_maxPriorityFeePerGas.
func Chain() market.Chain {
	const gwei = 1_000_000_000
	return market.Chain{
		WrappedNative: WrappedNative,
		Stables:       []common.Address{USDC, USDT0, AUSD},
		MinBaseFee:    u256.From(100 * gwei),
		Tip:           u256.From(2 * gwei),
	}
}

// must panics on an error of the embedded data, which the tests parse too.
func must(err error) {
	if err != nil {
		panic(fmt.Errorf("monad: embedded data: %w", err))
	}
}
