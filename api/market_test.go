package api

import (
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"

	"braid/monad"
	"braid/u256"
	"braid/venue"
)

func TestMarket(t *testing.T) {
	s := serve(t, func(c *Config) {
		c.Retired = []venue.Source{{ID: "OldSwapV2", Type: venue.V2, Unproved: "its fee is not known"}}
		c.Health = func() Health { return Health{Ready: true, Updated: now.Add(-90 * time.Second)} } // too old to quote
	})
	var m marketBody
	s.get("/api/v1/market").into(t, &m)
	if m.Block.Number != 19_000_123 || m.Block.Timestamp != blockTime || *m.Block.AgeMs != 90_000 {
		t.Errorf("block %+v", m.Block)
	}
	want := map[string]sourceBody{
		"PancakeSwapV2": {"PancakeSwapV2", "PancakeSwap V2", venue.V2, 1, 1, "", statusLive, "", nil},
		"Kansei":        {"Kansei", "Kansei", venue.V2, 2, 1, "0.00", statusLive, "", nil},
		"UniswapV3":     {"UniswapV3", "Uniswap V3", venue.V3, 0, 0, "0.00", statusPaused, "no pools yet", nil},
		"OldSwapV2":     {"OldSwapV2", "OldSwap V2", venue.V2, 0, 0, "0.00", statusOff, "its fee is not known", nil},
	}
	if len(m.Sources) != len(monad.Sources())+1 {
		t.Errorf("%d sources", len(m.Sources))
	}
	for _, got := range m.Sources {
		w, ok := want[got.ID]
		if !ok {
			continue
		}
		if w.LiquidityUsd == "" {
			w.LiquidityUsd = got.LiquidityUsd
		}
		delete(want, got.ID)
		if d := cmp.Diff(w, got); d != "" {
			t.Error(d)
		}
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	var tokens []tokenBody
	for _, a := range m.Tokens {
		tokens = append(tokens, tokenBody{a.Address, a.Symbol, a.Name, a.Decimals, a.LogoURI, a.Verified})
	}
	if d := cmp.Diff(s.tokens("?limit=500"), tokens); d != "" {
		t.Error(d)
	}
	if usdc := m.Tokens[0]; usdc.PriceUsd != "1.00" {
		t.Errorf("%+v", usdc)
	}
}

// TestPausedSource: the reason of a paused source is the most frequent one of its
// pools.
func TestPausedSource(t *testing.T) {
	chain := newTestChain(t)
	s := serve(t, chain.configure)
	var m marketBody
	chain.publish(t, chain.refilled(8, u256.Zero))
	s.get("/api/v1/market").into(t, &m)
	for _, b := range m.Sources {
		if b.ID == "Kansei" && (b.Status != statusPaused || b.Reason != "no liquidity" || b.Pools != 2 || b.UsablePools != 0) {
			t.Errorf("%+v", b)
		}
	}
}

func TestUnitPrice(t *testing.T) {
	for _, c := range []struct {
		raw      float64
		decimals uint8
		want     string
	}{
		{1e-6, 6, "1.00"}, {1.5e-18, 18, "1.50"}, {0.0302491734e-18, 18, "0.0302492"}, {1.23456789e-12 * 1e-18, 18, "0.00000000000123457"},
		{98765.4321e-8, 8, "98765.43"}, {0, 18, "0"}, {1e-300, 0, "0"}, {1e200, 255, "0"},
	} {
		if got := unitPrice(c.raw, c.decimals); got != c.want {
			t.Errorf("%g with %d decimals: %s, want %s", c.raw, c.decimals, got, c.want)
		}
	}
}

// TestProofs: /market and /readyz of the admin address count the pools of each source by
// what trials told, and a pair without a route says how many of its pools are untried,
// also if a token is in no pool of the market.
func TestProofs(t *testing.T) {
	unknown := common.HexToAddress("0x00000000000000000000000000000000000000aa")
	s := serve(t, func(c *Config) {
		c.Proofs = func() map[string]Proofs {
			return map[string]Proofs{"UniswapV3": {Refused: 1, Untried: 2, Reason: "paid 1"}, "Kansei": {Proved: 2}}
		}
		c.Untried = func(a, b common.Address) int {
			if a == wmon && b == unknown {
				return 2
			}
			return 0
		}
	})
	var m marketBody
	s.get("/api/v1/market").into(t, &m)
	for _, b := range m.Sources {
		if b.Proof == nil || b.ID == "UniswapV3" && (b.Proof.Untried != 2 || b.Reason != "no pool is proved yet") || b.ID == "Kansei" && b.Proof.Proved != 2 {
			t.Errorf("%s: %+v, %s", b.ID, b.Proof, b.Reason)
		}
	}
	path := "/api/v1/quote?amount=1000000&tokenIn=" + wmon.Hex() + "&tokenOut="
	for token, want := range map[common.Address]string{unknown: `"untried":2`, {0xbb}: `"code":"UNKNOWN_TOKEN"`} {
		a := s.get(path + token.Hex())
		if a.status != 404 || !strings.Contains(string(a.raw), want) || token == unknown && !strings.Contains(string(a.raw), `"NO_ROUTE"`) {
			t.Errorf("%s: %d %s", token, a.status, a.raw)
		}
	}
}
