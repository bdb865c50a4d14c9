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

// coin is a token as the service lists it, or the native currency.
type coin struct {
	Address  string `json:"address"`
	Symbol   string `json:"symbol"`
	Name     string `json:"name"`
	Decimals uint8  `json:"decimals"`
	Verified bool   `json:"isVerified"`
	native   bool
}

// native is the chain's currency. The API takes the zero address for it.
var native = coin{Address: common.Address{}.Hex(), Symbol: "MON", Name: "Monad", Decimals: 18, Verified: true, native: true}

// isNative says whether an address stands for the native currency in the API.
func isNative(a common.Address) bool {
	return a == common.Address{} || a == common.HexToAddress("0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE")
}

// routed is the token that a route has in the place of c.
func (c coin) routed() common.Address {
	if c.native {
		return monad.WrappedNative
	}
	return common.HexToAddress(c.Address)
}

// lookUp finds a token by its address, or by its symbol in any case. Of tokens
// with one symbol it takes the verified one: symbols are free to be copied.
func lookUp(ctx context.Context, api, name string) (coin, error) {
	if strings.EqualFold(name, native.Symbol) || common.IsHexAddress(name) && isNative(common.HexToAddress(name)) {
		return native, nil
	}
	found, err := search(ctx, api, name)
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
		return coin{}, misuse("%d verified tokens are called %.40q: name one by its address:\n%s", len(verified), name, listing(verified))
	case len(same) > 0:
		return coin{}, misuse("no verified token is called %.40q, and anybody may give that name to another: if you trust it, name it by its address:\n%s", name, listing(same))
	}
	return coin{}, unknown(ctx, api, name, found)
}

// unknown says that there is no such token, and which have a name like it.
func unknown(ctx context.Context, api, name string, found []coin) error {
	if strings.HasPrefix(strings.ToLower(name), "0x") {
		return misuse("no token %.50q on the market: an address is 0x and 40 hex digits", name)
	}
	if len(found) == 0 {
		all, err := search(ctx, api, "")
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
	return misuse("no token is called %.50q; its letters are in these:\n%s", name, listing(found))
}

func search(ctx context.Context, api, name string) ([]coin, error) {
	var list struct {
		Tokens []coin `json:"tokens"`
	}
	query := url.Values{"limit": {"500"}}
	if name != "" {
		query.Set("search", name)
	}
	err := get(ctx, api+"/tokens?"+query.Encode(), &list)
	return list.Tokens, err
}

// listing is some tokens, a line each.
func listing(coins []coin) string {
	const most = 8
	var lines []string
	for _, c := range coins[:min(len(coins), most)] {
		verified := "verified"
		if !c.Verified {
			verified = "not verified"
		}
		lines = append(lines, fmt.Sprintf("  %s  %-10s %s (%s)", plainText(c.Address), plainText(c.Symbol), plainText(c.Name), verified))
	}
	if len(coins) > most {
		lines = append(lines, fmt.Sprintf("  and %d more", len(coins)-most))
	}
	return strings.Join(lines, "\n")
}

// rawAmount reads an amount of whole tokens as raw units.
func rawAmount(text string, c coin) (*big.Int, error) {
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

// distinct refuses two tokens that a route cannot join.
func distinct(in, out coin) error {
	switch {
	case in.routed() != out.routed():
		return nil
	case in.native != out.native:
		return misuse("%s and %s need no route: WMON is MON wrapped one to one (deposit() and withdraw() of %s)", in.Symbol, out.Symbol, monad.WrappedNative)
	}
	return misuse("input and output are both %s: name two tokens", plainText(in.Symbol))
}

// whole writes raw units as whole tokens.
func whole(raw string, decimals uint8) string {
	n, err := u256.FromDecimal(raw)
	if err != nil {
		return plainText(raw)
	}
	digits := n.String()
	digits = strings.Repeat("0", max(0, int(decimals)+1-len(digits))) + digits
	point := len(digits) - int(decimals)
	return strings.TrimRight(digits[:point]+"."+strings.TrimRight(digits[point:], "0"), ".")
}
