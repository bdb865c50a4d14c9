package api

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"

	"braid/monad"
)

func (s service) prices(tokens ...common.Address) pricesBody {
	s.t.Helper()
	list := make([]string, len(tokens))
	for i, a := range tokens {
		list[i] = a.Hex()
	}
	var body pricesBody
	s.get("/api/v1/prices"+params("tokens", strings.Join(list, ","))).into(s.t, &body)
	return body
}

// TestPrices: a price is that of /market; what has no reliable price is left out.
func TestPrices(t *testing.T) {
	s := serve(t)
	got := s.prices(usdc, weth, monad.NativePlaceholder, common.Address{}, island, lone, addr(0xbad))
	var m marketBody
	s.get("/api/v1/market").into(t, &m)
	want := map[string]priceBody{}
	for _, b := range m.Tokens {
		a := common.HexToAddress(b.Address)
		if a == usdc || a == weth || a == wmon {
			want[lowerHex(a)] = priceBody{b.PriceUsd, got.Prices[lowerHex(a)].Native, b.LiquidityUsd}
		}
	}
	if d := cmp.Diff(want, got.Prices); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(m.Block, got.Block); d != "" {
		t.Error(d)
	}
	if got.Prices[lowerHex(wmon)].Native != "1.00" {
		t.Errorf("%+v", got.Prices)
	}
	if empty := s.prices(lone); len(empty.Prices) != 0 || empty.Prices == nil {
		t.Errorf("%+v", empty)
	}
}

// TestTokensWithMarket: include=market adds the prices of /market to the tokens, and
// nothing changes without it.
func TestTokensWithMarket(t *testing.T) {
	s := serve(t)
	var body struct {
		Tokens []struct {
			tokenBody
			PriceUsd, LiquidityUsd string
		}
	}
	s.get("/api/v1/tokens?include=market&limit=3").into(t, &body)
	var m marketBody
	s.get("/api/v1/market").into(t, &m)
	if len(body.Tokens) != 3 {
		t.Fatalf("%d tokens", len(body.Tokens))
	}
	for i, got := range body.Tokens {
		if want := m.Tokens[i]; got.Address != want.Address || got.PriceUsd != want.PriceUsd || got.LiquidityUsd != want.LiquidityUsd || got.PriceUsd == "" {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	if raw := string(s.get("/api/v1/tokens").raw); strings.Contains(raw, "Usd") {
		t.Errorf("%s", raw)
	}
}
