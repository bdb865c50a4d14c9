package indexer

import (
	"strings"
	"testing"

	"braid/u256"
)

// FuzzDecodeString: whatever a token returns, the text is part of it.
func FuzzDecodeString(f *testing.F) {
	word := func(n uint64) string { b := u256.From(n).Bytes(); return string(b[:]) }
	f.Add([]byte(word(32) + word(4) + "USDC" + strings.Repeat("\x00", 28)))
	f.Add([]byte(word(1<<40) + word(1<<63)))
	f.Add([]byte("MKR" + strings.Repeat("\x00", 29)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := decodeString(data); !strings.Contains(string(data), got) {
			t.Fatalf("%q is not part of the data", got)
		}
	})
}

func TestDecodeString(t *testing.T) {
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
		if got := decodeString([]byte(c.data)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
