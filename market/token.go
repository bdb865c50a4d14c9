package market

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/ethereum/go-ethereum/common"
)

// Token describes an ERC-20. Symbol and Name come from the token itself, so from
// anybody; in a snapshot they are sanitized.
type Token struct {
	Address  common.Address
	Symbol   string
	Name     string
	Decimals uint8
	LogoURI  string // an https URL, or empty
	Verified bool   // on the token list
}

const (
	maxSymbol = 32   // code points
	maxName   = 64   // code points
	maxLogo   = 1024 // bytes
)

// sanitized is the token with text that is safe to show. Without a symbol it gets a
// short form of its address as symbol, without a name its symbol as name.
func (t Token) sanitized() Token {
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

// clean is s as valid UTF-8 of at most limit code points, without control,
// zero-width, bidirectional and other invisible characters, and with one space for
// every run of white space.
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

// logo is s if it is an https URL of at most maxLogo bytes, else empty. It is never
// fetched by the service.
func logo(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(s) > maxLogo {
		return ""
	}
	return u.String()
}
