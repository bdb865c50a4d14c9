package market

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/ethereum/go-ethereum/common"
)

// Token is what people need to know about an ERC-20. What it says of itself is
// the word of a stranger: inside a snapshot it is fit to be shown.
type Token struct {
	Address  common.Address
	Symbol   string
	Name     string
	Decimals uint8
	LogoURI  string // https, or empty
	Verified bool   // on the token list
}

const (
	maxSymbol = 32 // code points
	maxName   = 64
	maxLogo   = 1024 // bytes
)

// fit makes the token fit to be shown. One without a symbol goes by its
// address, one without a name by its symbol.
func (t Token) fit() Token {
	t.Symbol = clean(t.Symbol, maxSymbol)
	t.Name = clean(t.Name, maxName)
	t.LogoURI = logo(t.LogoURI)
	if t.Symbol == "" {
		hex := strings.ToLower(t.Address.Hex())
		t.Symbol = hex[:6] + "…" + hex[38:]
	}
	if t.Name == "" {
		t.Name = t.Symbol
	}
	return t
}

// clean is valid UTF-8 without control, zero-width, bidirectional and other
// characters that do not show, every run of white space one space, and at most
// limit code points.
func clean(s string, limit int) string {
	shown := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar,
			unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return -1
		}
		return r
	}, s)
	runes := []rune(strings.Join(strings.Fields(shown), " "))
	return strings.TrimSpace(string(runes[:min(len(runes), limit)]))
}

// logo is an https URL or nothing. Nobody here ever fetches it.
func logo(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(s) > maxLogo {
		return ""
	}
	return u.String()
}
