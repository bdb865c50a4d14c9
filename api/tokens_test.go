package api

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"

	"braid/monad"
)

func (s service) tokens(query string) []tokenBody {
	s.t.Helper()
	var body struct{ Tokens []tokenBody }
	s.get("/api/v1/tokens"+query).into(s.t, &body)
	return body.Tokens
}

func symbols(tokens []tokenBody) (list []string) {
	for _, t := range tokens {
		list = append(list, t.Symbol)
	}
	return list
}

func TestTokens(t *testing.T) {
	s := serve(t)
	evilSymbol := ("USDC \"<script>" + strings.Repeat("x", 99))[:32]
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"", []string{"USDC", "WMON", "USDT0", "WETH", evilSymbol, "RARE", "ISLE", "usdc"}},
		{"?search=%20usdc%20", []string{"USDC", "usdc", evilSymbol}},
		{"?search=us", []string{"USDC", "USDT0", evilSymbol, "usdc"}},
		{"?search=th", []string{"WETH"}},
		{"?search=nothing", nil},
		{"?search=MPTY", nil},
		{"?search=LONE", nil},
		{"?search=" + strings.ToLower(usdc.Hex()), []string{"USDC"}},
		{"?search=" + strings.ToUpper(usdc.Hex()), []string{"USDC"}},
		{"?search=" + strings.ToUpper(monad.NativePlaceholder.Hex()), []string{"WMON"}},
		{"?search=0x0000000000000000000000000000000000000000", []string{"WMON"}},
		{"?search=" + lone.Hex(), nil},
		{"?search=us&limit=1", []string{"USDC"}},
	} {
		got := symbols(s.tokens(c.query))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.query, d)
		}
	}
	all := s.tokens("")
	for _, query := range []string{"?limit=1000", "?limit=99999999999999999999999", "?limit=007", "?search=", "?search=%20"} {
		want := all
		if query == "?limit=007" {
			want = all[:7]
		}
		if d := cmp.Diff(want, s.tokens(query)); d != "" {
			t.Errorf("%s: %s", query, d)
		}
	}
	for _, token := range all {
		if common.HexToAddress(token.Address).Hex() != token.Address {
			t.Errorf("%s has no checksum", token.Address)
		}
	}
}

// TestHostileMetadata: control characters, invisible characters and long texts of a
// token do not reach a client.
func TestHostileMetadata(t *testing.T) {
	s := serve(t)
	got := s.tokens("?search=" + evil.Hex())[0]
	if !strings.HasPrefix(got.Symbol, `USDC "<script>xxx`) || utf8.RuneCountInString(got.Symbol) != 32 {
		t.Errorf("symbol %q", got.Symbol)
	}
	if got.Name != strings.Repeat("é", 64) || got.LogoURI != "" {
		t.Errorf("name %q logo %q", got.Name, got.LogoURI)
	}
	a := s.get("/api/v1/quote" + params("tokenIn", evil, "tokenOut", wmon, "amount", "1000000000000000"))
	if a.status != 200 || strings.Contains(string(a.raw), "<script>") {
		t.Errorf("%d %s", a.status, a.raw)
	}
}

func TestSources(t *testing.T) {
	var body struct{ Sources []struct{ ID, Type string } }
	serve(t).get("/api/v1/liquidity-sources").into(t, &body)
	if len(body.Sources) != len(monad.Sources()) {
		t.Fatalf("%d sources", len(body.Sources))
	}
	for i, row := range monad.Sources() {
		if body.Sources[i].ID != row.ID || body.Sources[i].Type != string(row.Type) {
			t.Errorf("%d: %+v, want %s", i, body.Sources[i], row.ID)
		}
	}
}

func TestTokenlist(t *testing.T) {
	var list struct {
		Name, Timestamp string
		Version         struct{ Major, Minor, Patch uint64 }
		Tokens          []struct {
			ChainID                        int
			Address, Symbol, Name, LogoURI string
			Decimals                       int
		}
	}
	serve(t).get("/tokenlist.json").into(t, &list)
	if len(list.Tokens) != 3 || list.Tokens[0].ChainID != monad.ChainID || list.Timestamp != "2027-01-15T07:59:50Z" {
		t.Errorf("%+v", list)
	}
}
