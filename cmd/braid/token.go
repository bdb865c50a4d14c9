package main

import (
	"context"
	"fmt"
	"math/big"
	"net/url"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/monad"
	"braid/u256"
)

// coin is the native currency, or a token as /tokens lists it.
type coin struct {
	Address  string `json:"address"`
	Symbol   string `json:"symbol"`
	Name     string `json:"name"`
	Decimals uint8  `json:"decimals"`
	Verified bool   `json:"isVerified"`
	native   bool
}

// native is the chain's currency, which the API knows by the zero address.
var native = coin{Address: common.Address{}.Hex(), Symbol: "MON", Name: "Monad", Decimals: 18, Verified: true, native: true}

// erc20 is the token by which routes trade c: wrapped native for native.
func (c coin) erc20() common.Address {
	if c.native {
		return monad.WrappedNative
	}
	return common.HexToAddress(c.Address)
}

// findToken finds a token by its address, or by its symbol in any case. Of several
// tokens with a symbol it takes the verified one: anybody can copy a symbol.
func findToken(ctx context.Context, api, name string) (coin, error) {
	if strings.EqualFold(name, native.Symbol) || common.IsHexAddress(name) && monad.IsNative(common.HexToAddress(name)) {
		return native, nil
	}
	found, err := searchTokens(ctx, api, name)
	if err != nil {
		return coin{}, err
	}
	var same, verified []coin
	for _, c := range found {
		if strings.EqualFold(c.Address, name) {
			return c, nil
		}
		if strings.EqualFold(c.Symbol, name) {
			same = append(same, c)
			if c.Verified {
				verified = append(verified, c)
			}
		}
	}
	switch {
	case len(verified) == 1:
		return verified[0], nil
	case len(verified) > 1:
		return coin{}, misuse("%d verified tokens are called %.40q: name one by its address:\n%s", len(verified), name, formatTokens(verified))
	case len(same) > 0:
		return coin{}, misuse("no verified token is called %.40q, and anybody can give a token that name: if you trust one of these, name it by its address:\n%s", name, formatTokens(same))
	}
	return coin{}, unknownToken(ctx, api, name, found)
}

// unknownToken is the error for a name that no token has, with similar names.
func unknownToken(ctx context.Context, api, name string, found []coin) error {
	if strings.HasPrefix(strings.ToLower(name), "0x") {
		return misuse("no token %.50q on the market: an address is 0x and 40 hex digits", name)
	}
	if len(found) == 0 {
		all, err := searchTokens(ctx, api, "")
		if err != nil {
			return err
		}
		var symbols []string
		for _, c := range all {
			if c.Verified {
				symbols = append(symbols, c.Symbol)
			}
		}
		return misuse("no token %.50q on the market%s: `curl '%s/tokens'` lists them", name, suggest(name, append(symbols, native.Symbol)), api)
	}
	return misuse("no token is called %.50q; similar names:\n%s", name, formatTokens(found))
}

// searchTokens is what /tokens lists for a text, or at all.
func searchTokens(ctx context.Context, api, name string) ([]coin, error) {
	var list struct {
		Tokens []coin `json:"tokens"`
	}
	query := url.Values{"limit": {"500"}}
	if name != "" {
		query.Set("search", name)
	}
	err := getJSON(ctx, api+"/tokens?"+query.Encode(), &list)
	return list.Tokens, err
}

// formatTokens lists tokens, one on each line.
func formatTokens(coins []coin) string {
	const limit = 8
	var lines []string
	for _, c := range coins[:min(len(coins), limit)] {
		verified := "verified"
		if !c.Verified {
			verified = "not verified"
		}
		lines = append(lines, fmt.Sprintf("  %s  %-10s %s (%s)", plainText(c.Address), plainText(c.Symbol), plainText(c.Name), verified))
	}
	if len(coins) > limit {
		lines = append(lines, fmt.Sprintf("  and %d more", len(coins)-limit))
	}
	return strings.Join(lines, "\n")
}

// parseAmount reads an amount of whole tokens, such as 0.5, as raw units.
func parseAmount(text string, c coin) (*big.Int, error) {
	whole, part, _ := strings.Cut(text, ".")
	digits := whole + part
	switch {
	case digits == "" || strings.Trim(digits, "0123456789") != "":
		return nil, misuse("the amount %.40q is not a number like 1000 or 0.5: write digits and at most one point, without separators, exponent, sign or unit", text)
	case len(part) > int(c.Decimals):
		return nil, misuse("the amount %.40q has %d decimals and %s has %d at most", text, len(part), plainText(c.Symbol), c.Decimals)
	}
	raw, _ := new(big.Int).SetString(digits+strings.Repeat("0", int(c.Decimals)-len(part)), 10)
	if raw.Sign() == 0 {
		return nil, misuse("the amount %.40q is zero: it must be more", text)
	}
	if raw.BitLen() > 256 {
		return nil, misuse("the amount %.40q is more than any token has", text)
	}
	return raw, nil
}

// checkDistinct refuses two tokens that are the same to a route.
func checkDistinct(in, out coin) error {
	switch {
	case in.erc20() != out.erc20():
		return nil
	case in.native != out.native:
		return misuse("%s and %s need no route: WMON is MON wrapped one to one (deposit() and withdraw() of %s)", in.Symbol, out.Symbol, monad.WrappedNative)
	}
	return misuse("input and output are both %s: name two tokens", plainText(in.Symbol))
}

// formatAmount writes raw units as an amount of whole tokens.
func formatAmount(raw string, decimals uint8) string {
	n, err := u256.FromDecimal(raw)
	if err != nil {
		return plainText(raw)
	}
	digits := n.String()
	digits = strings.Repeat("0", max(0, int(decimals)+1-len(digits))) + digits
	point := len(digits) - int(decimals)
	return strings.TrimRight(digits[:point]+"."+strings.TrimRight(digits[point:], "0"), ".")
}
