package indexer

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"

	"braid/chain"
	"braid/u256"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"USDC", "USDC"},
		{" Wrapped \t\n MON ", "Wrapped MON"},
		{"US\u200bDC", "USDC"},             // zero-width space
		{"\u202eCDSU\u202c", "CDSU"},       // right-to-left override
		{"\u2066USD\u2069\ufeffC", "USDC"}, // isolates, byte order mark
		{"a\x00b\x1b[31m", "ab[31m"},
		{"a\u2028b", "a b"},
		{"\u3164\u115f", ""},       // Hangul fillers show nothing
		{"x\ufe0f\U000e0041", "x"}, // variation selector, tag
		{"\xff\xfeok", "ok"},
		{"<b>&\"'", "<b>&\"'"}, // escaping is for those who print
		{"ẞ漢字🚀", "ẞ漢字🚀"},
		{strings.Repeat("é", 40), strings.Repeat("é", 32)},
		{strings.Repeat("a ", 40), strings.TrimSpace(strings.Repeat("a ", 16))},
	} {
		if got := clean(c.in, maxSymbol); got != c.want {
			t.Errorf("clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzDescribe(f *testing.F) {
	word := func(n uint64) string { b := u256.From(n).Bytes(); return string(b[:]) }
	f.Add([]byte(word(32) + word(4) + "USDC" + strings.Repeat("\x00", 28)))
	f.Add([]byte(word(1<<40) + word(1<<63)))
	f.Add([]byte("MKR" + strings.Repeat("\x00", 29)))
	f.Fuzz(func(t *testing.T, said []byte) {
		decimals := u256.From(18).Bytes()
		token, ok := describe(common.Address{1}, chain.Result{OK: true, Data: decimals[:]}, chain.Result{OK: true, Data: said}, chain.Result{OK: true, Data: said})
		if !ok || token.Symbol == "" || token.Name == "" {
			t.Fatalf("%+v", token)
		}
		if !utf8.ValidString(token.Symbol+token.Name) || utf8.RuneCountInString(token.Symbol) > maxSymbol || utf8.RuneCountInString(token.Name) > maxName {
			t.Fatalf("%+v", token)
		}
		if again := clean(token.Name, maxName); again != token.Name {
			t.Fatalf("%q is clean, %q cleaner", token.Name, again)
		}
	})
}

func TestText(t *testing.T) {
	word := func(n uint64) string { b := u256.From(n).Bytes(); return string(b[:]) }
	usdc := "USDC" + strings.Repeat("\x00", 28)
	for _, c := range []struct{ name, data, want string }{
		{"string", word(32) + word(4) + usdc, "USDC"},
		{"unpadded", word(32) + word(4) + "USDC", "USDC"},
		{"bytes32", usdc, "USDC"},
		{"empty", "", ""},
		{"short", "USDC", ""},
		{"length beyond the data", word(32) + word(33) + usdc, ""},
		{"offset beyond the data", word(4096) + word(4) + usdc, ""},
		{"offset beyond 64 bits", strings.Repeat("\xff", 32) + word(4) + usdc, ""},
		{"length beyond 64 bits", word(32) + strings.Repeat("\xff", 32) + usdc, ""},
	} {
		if got := text(chain.Result{OK: true, Data: []byte(c.data)}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if text(chain.Result{Data: []byte(usdc)}) != "" {
		t.Error("a failed call has a text")
	}
}
