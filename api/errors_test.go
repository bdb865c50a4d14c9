package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
)

const eeee = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"

// TestErrors has a row for every way to fail, and for every code of the table
// at least one.
func TestErrors(t *testing.T) {
	one := units(1, 18)
	swap := func(more ...any) string {
		return "/api/v1/swap" + params(append([]any{"tokenIn", wmon, "tokenOut", usdc, "amount", one, "recipient", alice}, more...)...)
	}
	quote := func(in, out any, amount any, more ...any) string {
		return "/api/v1/quote" + params(append([]any{"tokenIn", in, "tokenOut", out, "amount", amount}, more...)...)
	}
	to := func(recipient any) string {
		return "/api/v1/swap" + params("tokenIn", wmon, "tokenOut", usdc, "amount", one, "recipient", recipient)
	}
	cake := slices.IndexFunc(monad.Sources(), func(s venue.Source) bool { return s.ID == "PancakeSwapV2" })
	cakeFactory := monad.Sources()[cake].Factory
	plain, missing := serve(t), serve(t, func(c *Config) { c.Head = func() *market.Snapshot { return nil } })
	old := serve(t, func(c *Config) {
		c.Health = func() Health { return Health{Ready: true, Updated: now.Add(-time.Hour)} }
	})
	slow := serve(t, func(c *Config) { c.Timeout = time.Nanosecond })
	broken := serve(t, func(c *Config) { c.Head = func() *market.Snapshot { panic("broken") } })
	busy := serve(t, func(c *Config) { c.RatePerSecond = 0.5 })
	busy.get("/api/v1/liquidity-sources")

	rows := []struct {
		name string
		s    service
		path string
		code code
		hint hints
	}{
		{"nothing given", plain, "/api/v1/quote", missingParameter, hints{}},
		{"one empty", plain, quote(wmon, usdc, ""), missingParameter, hints{}},
		{"no recipient", plain, "/api/v1/swap" + params("tokenIn", wmon, "tokenOut", usdc, "amount", one), missingParameter, hints{}},
		{"short address", plain, quote("0x123", usdc, one), invalidAddress, hints{}},
		{"no prefix", plain, quote(strings.TrimPrefix(wmon.Hex(), "0x"), usdc, one), invalidAddress, hints{}},
		{"no hex", plain, quote("0x"+strings.Repeat("g", 40), usdc, one), invalidAddress, hints{}},
		{"spaces", plain, quote(" "+wmon.Hex(), usdc, one), invalidAddress, hints{}},
		{"recipient is no address", plain, to("alice"), invalidAddress, hints{}},
		{"checksum", plain, to("0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"), invalidChecksum, hints{}},
		{"to zero", plain, to("0x0000000000000000000000000000000000000000"), invalidRecipient, hints{}},
		{"to a precompile", plain, to("0x000000000000000000000000000000000000ffff"), invalidRecipient, hints{}},
		{"to the placeholder", plain, to(eeee), invalidRecipient, hints{}},
		{"to the router", plain, to(testContracts.Router), invalidRecipient, hints{}},
		{"to the executor", plain, to(testContracts.Executor), invalidRecipient, hints{}},
		{"to tokenIn", plain, to(wmon), invalidRecipient, hints{}},
		{"to tokenOut", plain, to(usdc), invalidRecipient, hints{}},
		{"to wrapped native", plain, "/api/v1/swap" + params("tokenIn", weth, "tokenOut", usdc, "amount", one, "recipient", wmon), invalidRecipient, hints{}},
		{"to a pool of the route", plain, to(cakePair), invalidRecipient, hints{}},
		{"to a venue of the route", plain, to(cakeFactory), invalidRecipient, hints{}},
		{"amount zero", plain, quote(wmon, usdc, "000"), invalidAmount, hints{}},
		{"amount negative", plain, quote(wmon, usdc, "-1"), invalidAmount, hints{}},
		{"amount with a point", plain, quote(wmon, usdc, "1.0"), invalidAmount, hints{}},
		{"amount in hex", plain, quote(wmon, usdc, "0x10"), invalidAmount, hints{}},
		{"amount with an exponent", plain, quote(wmon, usdc, "1e18"), invalidAmount, hints{}},
		{"amount in other digits", plain, quote(wmon, usdc, "١٢"), invalidAmount, hints{}},
		{"amount 2^256", plain, quote(wmon, usdc, "115792089237316195423570985008687907853269984665640564039457584007913129639936"), invalidAmount, hints{}},
		{"amount of 79 digits", plain, quote(wmon, usdc, strings.Repeat("0", 78)+"1"), invalidAmount, hints{}},
		{"amount half escaped", plain, "/api/v1/quote?amount=1%2&tokenIn=" + wmon.Hex() + "&tokenOut=" + usdc.Hex(), invalidAmount, hints{}},
		{"slippage too high", plain, quote(wmon, usdc, one, "slippageBps", "10001"), invalidSlippage, hints{}},
		{"slippage negative", plain, quote(wmon, usdc, one, "slippageBps", "-1"), invalidSlippage, hints{}},
		{"slippage with a point", plain, quote(wmon, usdc, one, "slippageBps", "0.5"), invalidSlippage, hints{}},
		{"slippage empty", plain, quote(wmon, usdc, one, "slippageBps", ""), invalidSlippage, hints{}},
		{"limit zero", plain, "/api/v1/tokens?limit=0", invalidLimit, hints{}},
		{"limit negative", plain, "/api/v1/tokens?limit=-5", invalidLimit, hints{}},
		{"limit a word", plain, "/api/v1/tokens?limit=ten", invalidLimit, hints{}},
		{"limit signed", plain, "/api/v1/tokens?limit=%2B5", invalidLimit, hints{}},
		{"same token", plain, quote(usdc, strings.ToLower(usdc.Hex()), one), sameToken, hints{}},
		{"same by alias", plain, quote(wmon, eeee, one), sameToken, hints{}},
		{"same by two aliases", plain, quote(strings.ToLower(eeee), "0x0000000000000000000000000000000000000000", one), sameToken, hints{}},
		{"another chain", plain, quote(wmon, usdc, one, "chainId", "1"), wrongChain, hints{}},
		{"another chain in hex", plain, swap("chainId", "0x1"), wrongChain, hints{}},
		{"chain by name", plain, quote(wmon, usdc, one, "chainId", "monad"), wrongChain, hints{}},
		{"chain empty", plain, quote(wmon, usdc, one, "chainId", ""), wrongChain, hints{}},
		{"depth on another chain", plain, "/api/v1/depth" + params("tokenIn", wmon, "tokenOut", usdc, "chainId", "10143"), wrongChain, hints{}},
		{"source in wrong case", plain, quote(wmon, usdc, one, "excludeSources", "uniswapv2"), unknownSource, hints{DidYouMean: []string{"UniswapV2"}}},
		{"source misspelled", plain, quote(wmon, usdc, one, "excludeSources", "LFJ,Pancakeswap2"), unknownSource, hints{DidYouMean: []string{"PancakeSwapV2"}}},
		{"source misspelled in two ways", plain, quote(wmon, usdc, one, "excludeSources", "lfj,Lfj"), unknownSource, hints{DidYouMean: []string{"LFJ"}}},
		{"source unlike any", plain, quote(wmon, usdc, one, "excludeSources", "Quickswap9000"), unknownSource, hints{}},
		{"twice", plain, quote(wmon, usdc, one, "amount", one), duplicateParameter, hints{}},
		{"search too long", plain, "/api/v1/tokens?search=" + strings.Repeat("%C3%A9", 65), invalidParameter, hints{}},
		{"65 exclusions", plain, quote(wmon, usdc, one, "excludeSources", strings.Join(numbered(65), ",")), invalidParameter, hints{}},
		{"deadline too soon", plain, swap("deadlineSeconds", "29"), invalidParameter, hints{}},
		{"deadline too late", plain, swap("deadlineSeconds", "3601"), invalidParameter, hints{}},
		{"impact above all", plain, swap("maxPriceImpactBps", "10001"), invalidParameter, hints{}},
		{"minimum a word", plain, swap("minAmountOut", "all"), invalidParameter, hints{}},
		{"include unknown", plain, swap("include", "meta,gas"), invalidParameter, hints{}},
		{"approval of a quote", plain, quote(wmon, usdc, one, "include", "approval"), invalidParameter, hints{}},
		{"several kinds", plain, quote("0x12", usdc, "x"), validationFailed, hints{}},
		{"unknown token", plain, quote(addr(0xbad), usdc, one), unknownToken, hints{}},
		{"wrong amount before unknown token", plain, quote(addr(0xbad), usdc, "x"), invalidAmount, hints{}},
		{"no pool", plain, quote(lone, usdc, one), noRoute, hints{}},
		{"empty pool", plain, quote(empty, usdc, one), noRoute, hints{}},
		{"no bridge", plain, quote(island, usdc, one), noRoute, hints{}},
		{"no bridge, whatever is excluded", plain, quote(island, usdc, one, "excludeSources", "LFJ"), noRoute, hints{}},
		{"excluded", plain, quote(rare, usdc, one, "excludeSources", " LFJ ,,LFJ"), noRoute, hints{ExcludedSources: []string{"LFJ"}}},
		{"no route to a bad pool", plain, "/api/v1/swap" + params("tokenIn", lone, "tokenOut", usdc, "amount", one, "recipient", cakePair), noRoute, hints{}},
		{"too much", plain, quote(rare, wmon, u256.Max), insufficientLiquidity, hints{MaxAmountIn: "*"}},
		{"too little", plain, quote(wmon, usdc, "1"), amountTooSmall, hints{MinAmountIn: "*"}},
		{"impact", plain, "/api/v1/swap" + params("tokenIn", rare, "tokenOut", wmon, "amount", units(10_000_000, 18), "recipient", alice), priceImpactTooHigh, hints{PriceImpactBps: -1}},
		{"impact by request", plain, "/api/v1/swap" + params("tokenIn", rare, "tokenOut", wmon, "amount", units(7_000, 18), "recipient", alice, "maxPriceImpactBps", "100"), priceImpactTooHigh, hints{PriceImpactBps: -1}},
		{"minimum above quote", plain, swap("minAmountOut", "1000000000"), minAmountOutTooHigh, hints{AmountOut: "*"}},
		{"unknown path", plain, "/api/v1/quotes", notFound, hints{}},
		{"unknown version", plain, "/api/v2/quote", notFound, hints{}},
		{"unclean path", plain, "/api/v1//quote", notFound, hints{}},
		{"dotted path", plain, "/api/v1/../v1/quote", notFound, hints{}},
		{"two slashes behind", plain, "/api/v1/quote//", notFound, hints{}},
		{"path of junk", plain, "/%00%ff", notFound, hints{}},
		{"long", plain, "/api/v1/quote?x=" + strings.Repeat("y", maxURI), uriTooLong, hints{}},
		{"too often", busy, "/api/v1/liquidity-sources", rateLimited, hints{}},
		{"broken", broken, quote(wmon, usdc, one), internal, hints{}},
		{"not loaded", missing, quote(wmon, usdc, one), stateStale, hints{}},
		{"not loaded, tokens", missing, "/api/v1/tokens", stateStale, hints{}},
		{"not loaded, market", missing, "/api/v1/market", stateStale, hints{}},
		{"not loaded, token list", missing, "/tokenlist.json", stateStale, hints{}},
		{"wrong before not loaded", missing, quote(wmon, usdc, "x"), invalidAmount, hints{}},
		{"stale", old, swap(), stateStale, hints{}},
		{"depth of nothing", plain, "/api/v1/depth", missingParameter, hints{}},
		{"depth of one token", plain, "/api/v1/depth" + params("tokenIn", wmon, "tokenOut", eeee), sameToken, hints{}},
		{"depth at a word", plain, "/api/v1/depth" + params("tokenIn", wmon, "tokenOut", usdc, "amount", "all"), invalidAmount, hints{}},
		{"depth of an unknown token", plain, "/api/v1/depth" + params("tokenIn", wmon, "tokenOut", addr(0xbad)), unknownToken, hints{}},
		{"depth of no pool", plain, "/api/v1/depth" + params("tokenIn", lone, "tokenOut", usdc), noRoute, hints{}},
		{"depth of excluded sources", plain, "/api/v1/depth" + params("tokenIn", rare, "tokenOut", usdc, "excludeSources", "LFJ"), noRoute, hints{ExcludedSources: []string{"LFJ"}}},
		{"depth of an old market", old, "/api/v1/depth" + params("tokenIn", wmon, "tokenOut", usdc), stateStale, hints{}},
		{"depth, late", slow, "/api/v1/depth" + params("tokenIn", wmon, "tokenOut", usdc), timeout, hints{}},
		{"late", slow, quote(wmon, usdc, one), timeout, hints{}},
	}
	seen := map[code]bool{methodNotAllowed: true} // see TestMethods
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			row.s.t = t
			seen[row.code] = true
			a := row.s.get(row.path)
			var p problemBody
			a.into(t, &p)
			want := classOf(row.code)
			if a.status != want.Status || p.Status != want.Status || p.Code != row.code || p.Title != want.Title || p.Retryable != want.Retryable {
				t.Fatalf("got %d %s, want %d %s: %s", a.status, p.Code, want.Status, row.code, a.raw)
			}
			if p.Error != p.Detail || p.Detail == "" || p.RequestID != a.header.Get("X-Request-Id") || p.Type != "/errors.json#"+string(p.Code) {
				t.Errorf("members disagree: %s", a.raw)
			}
			if a.header.Get("Content-Type") != "application/problem+json" || a.header.Get("Cache-Control") != "no-store" || a.header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("headers: %v", a.header)
			}
			if retry := a.header.Get("Retry-After"); (retry != "") != (row.code == stateStale || row.code == rateLimited) {
				t.Errorf("Retry-After %q", retry)
			}
			if a.status == 400 && len(p.Errors) == 0 {
				t.Errorf("no faults: %s", a.raw)
			}
			checkHints(t, p.Hints, row.hint)
		})
	}
	for _, row := range table {
		if !seen[row.Code] {
			t.Errorf("%s has no row", row.Code)
		}
	}
}

// checkHints takes * for any amount and -1 for any impact.
func checkHints(t *testing.T, got, want hints) {
	t.Helper()
	for _, f := range []struct{ got, want *string }{{&got.MaxAmountIn, &want.MaxAmountIn}, {&got.MinAmountIn, &want.MinAmountIn}, {&got.AmountOut, &want.AmountOut}} {
		if *f.want == "*" && *f.got != "" {
			*f.want = *f.got
		}
	}
	if want.PriceImpactBps == -1 && got.PriceImpactBps > 0 {
		want.PriceImpactBps = got.PriceImpactBps
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func numbered(n int) (ids []string) {
	for i := range n {
		ids = append(ids, "S"+u256.From(uint64(i)).String())
	}
	return ids
}

// TestAllFaultsAtOnce: nobody has to fix a request one fault at a time.
func TestAllFaultsAtOnce(t *testing.T) {
	s := serve(t)
	a := s.get("/api/v1/swap?tokenIn=0x1&amount=-1&amount=2&slippageBps=x&excludeSources=Lfj,Tayo&recipient=bob&minAmountOut=x&deadlineSeconds=1&maxPriceImpactBps=x&include=y")
	var p problemBody
	a.into(t, &p)
	var got []string
	for _, f := range p.Errors {
		got = append(got, f.Parameter+" "+string(f.Code))
	}
	slices.Sort(got)
	want := []string{
		"amount DUPLICATE_PARAMETER", "deadlineSeconds INVALID_PARAMETER", "excludeSources UNKNOWN_SOURCE", "include INVALID_PARAMETER",
		"maxPriceImpactBps INVALID_PARAMETER", "minAmountOut INVALID_PARAMETER", "recipient INVALID_ADDRESS", "slippageBps INVALID_SLIPPAGE",
		"tokenIn INVALID_ADDRESS", "tokenOut MISSING_PARAMETER",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"LFJ", "Taya"}, p.Hints.DidYouMean); d != "" {
		t.Error(d)
	}
}

// TestHintsWork: what a hint names can be asked for.
func TestHintsWork(t *testing.T) {
	s := serve(t)
	ask := func(in, out, amount any) (answer, problemBody) {
		a := s.get("/api/v1/quote" + params("tokenIn", in, "tokenOut", out, "amount", amount))
		var p problemBody
		if a.status != http.StatusOK {
			a.into(t, &p)
		}
		return a, p
	}
	_, p := ask(rare, wmon, u256.Max)
	if a, _ := ask(rare, wmon, p.Hints.MaxAmountIn); a.status != http.StatusOK {
		t.Errorf("maxAmountIn %s: %s", p.Hints.MaxAmountIn, a.raw)
	}
	_, p = ask(wmon, usdc, "1")
	if a, _ := ask(wmon, usdc, p.Hints.MinAmountIn); a.status != http.StatusOK {
		t.Errorf("minAmountIn %s: %s", p.Hints.MinAmountIn, a.raw)
	}
	less := u256.MustDecimal(p.Hints.MinAmountIn).Sub(u256.One)
	if _, p := ask(wmon, usdc, less); p.Code != amountTooSmall {
		t.Errorf("below minAmountIn: %s", p.Code)
	}
}

func TestRetiredSourceMayBeExcluded(t *testing.T) {
	s := serve(t, func(c *Config) { c.Retired = []venue.Source{{ID: "Gone"}} })
	if a := s.get("/api/v1/quote" + params("tokenIn", wmon, "tokenOut", usdc, "amount", "1000000000000000000", "excludeSources", "Gone")); a.status != 200 {
		t.Errorf("%s", a.raw)
	}
}

// TestProblemsAreShared: a ladder that cannot be is kept as one problem for all
// who ask, at the same time too.
func TestProblemsAreShared(t *testing.T) {
	h := New(testConfig(t)).(*server)
	p := &problem{code: noRoute}
	h.tell(&exchange{}, p)
	if p.detail != "" || p.faults != nil {
		t.Errorf("telling it made it %+v", p)
	}
}
