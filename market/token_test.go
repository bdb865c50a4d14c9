package market

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
)

// TestSanitized: symbol and name of a token cannot mislead readers or parsers.
func TestSanitized(t *testing.T) {
	for _, c := range []struct{ said, want string }{
		{"USDC", "USDC"},
		{" Wrapped \t\n MON ", "Wrapped MON"},
		{"US\u200bDC", "USDC"},             // zero-width space
		{"\u202eCDSU\u202c", "CDSU"},       // right-to-left override
		{"\u2066USD\u2069\ufeffC", "USDC"}, // isolates, byte order mark
		{"a\x00b\x1b[31m", "ab[31m"},
		{"a\u2028b", "a b"},
		{"x\ufe0f\U000e0041", "x"}, // variation selector, tag
		{"\xff\xfeok", "ok"},
		{"\u3164\u115f", "0x0100…0000"}, // Hangul fillers show nothing
		{"<b>&\"'", "<b>&\"'"},          // escaping is up to the reader
		{"ẞ漢字🚀", "ẞ漢字🚀"},
		{strings.Repeat("é", 40), strings.Repeat("é", 32)},
		{strings.Repeat("a ", 40), strings.TrimSpace(strings.Repeat("a ", 16))},
	} {
		token := Token{Address: common.Address{1}, Symbol: c.said}.sanitized()
		if token.Symbol != c.want || token.Name != c.want {
			t.Errorf("%q shows as %q, named %q, want %q", c.said, token.Symbol, token.Name, c.want)
		}
	}
	for given, want := range map[string]string{
		"https://a.example/x.svg": "https://a.example/x.svg", "http://a.example/x": "", "https:///x": "", "data:image/png,x": "",
		"https://user:pw@a.example/": "", "https://a.example/\" onload=\"x": "https://a.example/%22%20onload=%22x", "https://a\nb/": "", "": "",
	} {
		if got := (Token{LogoURI: given}).sanitized().LogoURI; got != want {
			t.Errorf("logo %q shows as %q, want %q", given, got, want)
		}
	}
}

func FuzzSanitized(f *testing.F) {
	f.Add("USDC")
	f.Fuzz(func(t *testing.T, said string) {
		token := Token{Symbol: said, Name: said, LogoURI: said}.sanitized()
		if token.Symbol == "" || token.Name == "" || !utf8.ValidString(token.Symbol+token.Name) ||
			utf8.RuneCountInString(token.Symbol) > maxSymbol || utf8.RuneCountInString(token.Name) > maxName {
			t.Fatalf("%+v", token)
		}
		if token.sanitized() != token {
			t.Fatalf("%+v is changed again, to %+v", token, token.sanitized())
		}
	})
}
