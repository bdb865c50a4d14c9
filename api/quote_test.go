package api

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

var traded = []common.Address{wmon, usdc, usdt, weth, rare, evil}

// randomOrder is two traded tokens, which may be the same, and an amount in raw
// units.
func randomOrder(rng *rand.Rand) (in, out common.Address, amount u256.Int) {
	in, out = traded[rng.IntN(len(traded))], traded[rng.IntN(len(traded))]
	return in, out, u256.From(rng.Uint64N(9_999) + 1).Mul(units(1, rng.IntN(24)))
}

// TestQuoteLaws checks what the document promises of quotes, for random orders.
func TestQuoteLaws(t *testing.T) {
	s := serve(t)
	rng := rand.New(rand.NewPCG(1, 2))
	quoted, split, hops := 0, 0, 0
	for range 400 {
		in, out, amount := randomOrder(rng)
		if in == out {
			continue
		}
		a := s.get("/api/v1/quote" + params("tokenIn", in, "tokenOut", out, "amount", amount))
		if a.status == 404 {
			continue
		}
		var q quoteBody
		a.into(t, &q)
		if q.TokenIn != lowerHex(in) || q.TokenOut != lowerHex(out) || q.AmountIn != amount.String() {
			t.Errorf("asked for %s of %s to %s: %s", amount, in, out, a.raw)
		}
		quoted++
		checkFlow(t, q)
		if len(q.Routes) > 1 {
			hops++
		}
		for _, r := range q.Routes {
			if r.Weight < 10000 {
				split++
				break
			}
		}
	}
	if quoted < 150 || split < 10 || hops < 20 {
		t.Errorf("%d quoted, %d split, %d in several steps: the market does not exercise this test", quoted, split, hops)
	}
}

// checkFlow: amounts and weights are conserved at every token; no step spends a
// token before one has bought it, nor buys one of which a part is spent and a part
// is left.
func checkFlow(t *testing.T, q quoteBody) {
	t.Helper()
	type sums struct {
		in, out             u256.Int
		weightIn, weightOut int
	}
	at := map[string]*sums{q.TokenIn: {}, q.TokenOut: {}}
	left := map[string]bool{}
	for i, r := range q.Routes {
		if at[r.TokenIn] == nil {
			t.Fatalf("step %d uses a token that was not made: %+v", i, q)
		}
		if left[r.TokenOut] {
			t.Errorf("step %d makes a token of which some was used and some is left: %+v", i, q)
		}
		if r.TokenIn == q.TokenOut || r.TokenOut == q.TokenIn {
			t.Errorf("step %d goes backwards: %+v", i, q)
		}
		if at[r.TokenOut] == nil {
			at[r.TokenOut] = &sums{}
		}
		at[r.TokenIn].out = at[r.TokenIn].out.Add(u256.MustDecimal(r.AmountIn))
		left[r.TokenIn] = at[r.TokenIn].in != at[r.TokenIn].out
		at[r.TokenIn].weightOut += r.Weight
		at[r.TokenOut].in = at[r.TokenOut].in.Add(u256.MustDecimal(r.AmountOut))
		at[r.TokenOut].weightIn += r.Weight
	}
	for token, sum := range at {
		switch token {
		case q.TokenIn:
			if sum.weightOut != 10000 || sum.out.String() != q.AmountIn {
				t.Errorf("%+v leaves tokenIn: %+v", sum, q)
			}
		case q.TokenOut:
			if sum.weightIn != 10000 || sum.in.String() != q.AmountOut {
				t.Errorf("%+v enters tokenOut: %+v", sum, q)
			}
		default:
			if sum.weightIn != sum.weightOut || sum.in != sum.out {
				t.Errorf("%+v at %s: %+v", sum, token, q)
			}
		}
	}
}

func TestExcludedSourceIsNotUsed(t *testing.T) {
	s := serve(t)
	for _, source := range []string{"UniswapV2", "PancakeSwapV2", "UniswapV2,PancakeSwapV2", ""} {
		var q quoteBody
		s.get("/api/v1/quote"+params("tokenIn", wmon, "tokenOut", usdc, "amount", units(1000, 18), "excludeSources", source)).into(t, &q)
		for _, r := range q.Routes {
			if source != "" && strings.Contains(source, r.Factory) {
				t.Errorf("without %s: %+v", source, r)
			}
		}
	}
}

func TestMaxSteps(t *testing.T) {
	for _, most := range []int{1, 2, 32} {
		var q quoteBody
		serve(t, func(c *Config) { c.MaxSteps = most }).get("/api/v1/quote"+params("tokenIn", wmon, "tokenOut", usdc, "amount", units(900_000, 18))).into(t, &q)
		if n := len(q.Routes); n > most || most <= 2 && n != most || most > 2 && n < 3 {
			t.Errorf("%d steps where %d are allowed", n, most)
		}
	}
}

// TestVerifiedHops: an unverified token may be bought and sold, but not be an
// intermediate token.
func TestVerifiedHops(t *testing.T) {
	through := func(verified bool, in, out common.Address, amount u256.Int) (steps int) {
		var q quoteBody
		s := serve(t, func(c *Config) { c.VerifiedHops = verified })
		s.get("/api/v1/quote"+params("tokenIn", in, "tokenOut", out, "amount", amount)).into(t, &q)
		for _, r := range q.Routes {
			if r.TokenIn == lowerHex(weth) && in != weth {
				steps++
			}
		}
		return steps
	}
	if through(false, wmon, usdc, units(900_000, 18)) == 0 {
		t.Error("no unverified token without the rule: the market does not exercise this test")
	}
	if through(true, wmon, usdc, units(900_000, 18)) > 0 {
		t.Error("an unverified token between the first and the last")
	}
	through(true, rare, weth, units(1, 18)) // fails if there is no quote

	snap := testMarket(t)
	lane := univ2.NewPool(snap.Pools()[0].Info().Source, addr(0x900100), [2]common.Address{lone, weth}, units(900, 18), units(900, 18))
	snap, err := snap.Next(market.Block{Number: 19_000_124, Hash: common.HexToHash("0xb10d"), Time: blockTime}, []venue.Pool{lane}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(verified bool, more string) answer {
		s := serve(t, func(c *Config) { c.VerifiedHops, c.Head = verified, func() *market.Snapshot { return snap } })
		return s.get("/api/v1/quote" + params("tokenIn", lone, "tokenOut", usdc, "amount", units(1, 18)) + more)
	}
	if a := ask(false, ""); a.status != 200 {
		t.Errorf("%s", a.raw)
	}
	var b problemBody
	if ask(true, "&onlyVerified=false").into(t, &b); b.Code != noRoute || !strings.Contains(b.Detail, "unverified tokens lead from one token to the other, and this service") {
		t.Error(b.Code, b.Detail)
	}
	if ask(false, "&onlyVerified=true").into(t, &b); b.Code != noRoute || !strings.Contains(b.Detail, "leave out onlyVerified") {
		t.Error(b.Code, b.Detail)
	}
}

// word is the i-th 32-byte word of calldata after the selector.
func word(data []byte, i int) u256.Int { return u256.FromBytes(data[4+32*i : 36+32*i]) }

func TestSwap(t *testing.T) {
	s := serve(t)
	const tokenOutWord, minOutWord, recipientWord, deadlineWord = 2, 3, 4, 5
	ask := func(more ...any) swapBody {
		t.Helper()
		var b swapBody
		base := []any{"amount", units(100, 18), "recipient", alice}
		s.get("/api/v1/swap"+params(append(base, more...)...)).into(t, &b)
		return b
	}
	b := ask("tokenIn", wmon, "tokenOut", usdc)
	out := u256.MustDecimal(b.AmountOut)
	if b.Tx.To != testContracts.Router.Hex() || b.Tx.Value != "0" || b.Tx.EstimatedGas == "0" || b.Meta != nil || b.Approval != nil {
		t.Errorf("tx %+v", b.Tx)
	}
	if got := word(b.Tx.Data, recipientWord).Bytes(); common.BytesToAddress(got[:]) != alice {
		t.Errorf("recipient %x", got)
	}
	if got := word(b.Tx.Data, deadlineWord).Uint64(); got != uint64(now.Unix())+600 {
		t.Errorf("deadline %d", got)
	}
	for _, c := range []struct {
		name, value string
		minOut      u256.Int
	}{
		{"slippageBps", "50", out.Mul(u256.From(9950)).Div(u256.From(10000))},
		{"slippageBps", "0", out},
		{"slippageBps", "10000", u256.One},
		{"minAmountOut", b.AmountOut, out},
		{"minAmountOut", "0001", out.Mul(u256.From(9950)).Div(u256.From(10000))},
	} {
		got := ask("tokenIn", wmon, "tokenOut", usdc, c.name, c.value, "include", "meta")
		if minOut := word(got.Tx.Data, minOutWord); minOut != c.minOut || got.Meta.MinAmountOut != c.minOut.String() {
			t.Errorf("%s=%s: minimum %s and %s, want %s", c.name, c.value, minOut, got.Meta.MinAmountOut, c.minOut)
		}
	}

	native := ask("tokenIn", strings.ToLower(monad.NativePlaceholder.Hex()), "tokenOut", usdc, "include", "approval")
	if native.Tx.Value != native.AmountIn || native.TokenIn != lowerHex(wmon) || native.Approval != nil {
		t.Errorf("native input: %+v", native)
	}
	if hexutil.Encode(native.Tx.Data) != hexutil.Encode(b.Tx.Data) {
		t.Error("native input changes the calldata")
	}
	unwrapped := ask("tokenIn", weth, "tokenOut", "0x0000000000000000000000000000000000000000", "maxPriceImpactBps", "10000")
	if unwrapped.TokenOut != lowerHex(wmon) || !word(unwrapped.Tx.Data, tokenOutWord).IsZero() {
		t.Errorf("native output: %+v", unwrapped)
	}
}

func TestInclude(t *testing.T) {
	s := serve(t)
	q := params("tokenIn", usdc, "tokenOut", wmon, "amount", units(100, 6), "recipient", alice, "deadlineSeconds", "30", "include", " meta, approval,")
	var b swapBody
	s.get("/api/v1/swap"+q).into(t, &b)
	gas := u256.MustDecimal(b.Tx.EstimatedGas).Mul(u256.From(102_000_000_000))
	if b.Meta.BlockNumber != 19_000_123 || b.Meta.GasCostWei != gas.String() || b.Meta.ExpiresAt != uint64(now.Unix())+30 {
		t.Errorf("meta %+v", b.Meta)
	}
	want := "0x095ea7b3" + fmt.Sprintf("%064x%064x", testContracts.Router.Big(), 100_000_000)
	if b.Approval.To != usdc.Hex() || hexutil.Encode(b.Approval.Data) != want || b.Approval.Value != "0" {
		t.Errorf("approval %+v", b.Approval)
	}
	var quote quoteBody
	s.get("/api/v1/quote"+params("tokenIn", usdc, "tokenOut", wmon, "amount", units(100, 6), "include", "meta")).into(t, &quote)
	if quote.Meta == nil || quote.Meta.MinAmountOut != b.Meta.MinAmountOut || quote.Meta.ExpiresAt != uint64(now.Unix())+600 {
		t.Errorf("meta of a quote %+v", quote.Meta)
	}
}

// TestDeadlineFollowsTheBlock: a block may be later than the wall clock.
func TestDeadlineFollowsTheBlock(t *testing.T) {
	s := serve(t, func(c *Config) {
		c.Now = func() time.Time { return now.Add(-1000 * time.Second) }
	})
	var b swapBody
	s.get("/api/v1/swap"+params("tokenIn", usdc, "tokenOut", wmon, "amount", units(1, 6), "recipient", alice, "include", "meta")).into(t, &b)
	if b.Meta.ExpiresAt != blockTime+600 {
		t.Errorf("expires at %d", b.Meta.ExpiresAt)
	}
}

func TestUnknownPrice(t *testing.T) {
	s := serve(t)
	a := s.get("/api/v1/quote" + params("tokenIn", island, "tokenOut", reef, "amount", units(1, 18)))
	var q quoteBody
	a.into(t, &q)
	if q.AmountInUsd != "0" || q.AmountOutUsd != "0" || a.header.Get("X-Warnings") != "USD_PRICE_UNAVAILABLE" {
		t.Errorf("%q: %s", a.header.Get("X-Warnings"), a.raw)
	}
}

func TestUSD(t *testing.T) {
	for _, c := range []struct {
		amount u256.Int
		price  float64
		want   string
	}{
		{u256.From(1), 1, "1.00"},
		{u256.From(1500), 1e-3, "1.50"},
		{u256.From(1234567), 1e-6, "1.234567"},
		{u256.From(12345678), 1e-7, "1.234568"},
		{u256.From(1), 1e-9, "0.00"},
		{u256.From(1_000_000), 1e9, "1000000000000000.00"},
		{u256.From(7), 0, "0"},
		{u256.Max, 1e300, "0"},
	} {
		if got := formatUSD(c.amount, c.price); got != c.want {
			t.Errorf("usd(%s, %g) = %s, want %s", c.amount, c.price, got, c.want)
		}
	}
}
