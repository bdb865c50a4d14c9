package api

import (
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/router"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// arbitrageMarket is the test market with a cycle of pools around wrapped native
// that gains about 10 % per round, more than any order can take.
func arbitrageMarket(t testing.TB) *market.Snapshot {
	t.Helper()
	snap := testMarket(t)
	source := snap.Pools()[0].Info().Source
	a, b := addr(0xc1), addr(0xc2)
	pair := func(n uint64, x, y common.Address, rx, ry uint64) venue.Pool {
		return univ2.NewPool(source, addr(0x900200+n), [2]common.Address{x, y}, units(rx, 18), units(ry, 18))
	}
	snap, err := snap.Next(market.Block{Number: 19_000_124, Hash: common.HexToHash("0xb10d"), Time: blockTime}, []venue.Pool{
		pair(0, wmon, a, 1e9, 1e9), pair(1, a, b, 1e9, 1e9), pair(2, b, wmon, 1e9, 1.1e9),
	}, []market.Token{{Address: a, Symbol: "CA", Decimals: 18}, {Address: b, Symbol: "CB", Decimals: 18}})
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// TestBoundReason: where the bound says nothing about the plan, the answer has the
// reason instead.
func TestBoundReason(t *testing.T) {
	plain, short := serve(t), serve(t, func(c *Config) { c.MaxSteps = 1 })
	snap := arbitrageMarket(t)
	bent := serve(t, func(c *Config) { c.Head = func() *market.Snapshot { return snap } })
	for _, row := range []struct {
		name    string
		s       service
		in, out common.Address
		amount  u256.Int
		reason  string // a word of it; empty: there is a bound
	}{
		{"in line", plain, wmon, usdc, units(1000, 18), ""},
		{"few units", plain, wmon, usdc, units(1, 14), "raw units"},
		{"small", bent, rare, usdc, units(1, 16), "gas"},
		{"one step", short, wmon, usdc, units(900_000, 18), "may have 1"},
		{"out of line", bent, rare, usdc, units(1000, 18), "arbitrage"},
	} {
		for _, path := range []string{"/api/v1/quote", "/api/v1/swap"} {
			var q quoteBody
			a := row.s.get(path + params("tokenIn", row.in, "tokenOut", row.out, "amount", row.amount, "recipient", alice, "include", "meta"))
			if path == "/api/v1/quote" {
				a.into(t, &q)
			} else {
				var b swapBody
				a.into(t, &b)
				q = b.quoteBody
			}
			checkBound(t, q.Meta)
			if got := q.Meta.BoundReason; (got == "") != (row.reason == "") || !strings.Contains(got, row.reason) {
				t.Errorf("%s, %s: %q, want %q: %+v", row.name, path, got, row.reason, q.Meta)
			}
		}
	}
}

var arbitrage = regexp.MustCompile(`^market holds arbitrage worth [1-9][0-9]+ bps of this order$`)

// checkBound: there are bound and gap, the gap within its limit, or a reason.
func checkBound(t *testing.T, m *metaBody) {
	t.Helper()
	shown, gap := m.BoundAmountOut != "", m.OptimalityGapBps
	if shown != (gap != nil) || shown == (m.BoundReason != "") || shown && *gap >= router.LooseBps {
		t.Errorf("bound %q, gap %v, reason %q", m.BoundAmountOut, gap, m.BoundReason)
	}
	if m.BoundReason != "" && !arbitrage.MatchString(m.BoundReason) && (!strings.HasSuffix(m.BoundReason, ".") || len(m.BoundReason) > 200) {
		t.Errorf("no sentence: %q", m.BoundReason)
	}
}

func TestBoundLaws(t *testing.T) {
	snap := arbitrageMarket(t)
	s := serve(t, func(c *Config) { c.Head = func() *market.Snapshot { return snap } })
	rng := rand.New(rand.NewPCG(5, 5))
	bounds, reasons := 0, 0
	for range 200 {
		in, out, amount := randomOrder(rng)
		a := s.get("/api/v1/quote" + params("tokenIn", in, "tokenOut", out, "amount", amount, "include", "meta"))
		if a.status != 200 {
			continue
		}
		var q quoteBody
		a.into(t, &q)
		checkBound(t, q.Meta)
		if q.Meta.BoundReason == "" {
			bounds++
		} else {
			reasons++
		}
	}
	if bounds < 20 || reasons < 20 {
		t.Errorf("%d bounds, %d reasons: the market does not exercise this test", bounds, reasons)
	}
}

// TestBoundTooLate: a quote is given even if there is no time for its bound.
func TestBoundTooLate(t *testing.T) {
	c := testConfig(t)
	c.Timeout = time.Second
	h := New(c).(*server)
	web := httptest.NewServer(h)
	defer web.Close()
	s := service{web, t}
	s.get(goodQuote)    // its plan is cached
	h.admission.fill(t) // and no core is free for more
	var q quoteBody
	s.get(goodQuote+"&include=meta").into(t, &q)
	checkBound(t, q.Meta)
	if !strings.Contains(q.Meta.BoundReason, "time") {
		t.Errorf("%+v", q.Meta)
	}
}
