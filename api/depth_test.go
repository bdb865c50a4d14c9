package api

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// TestDepth: every point equals the quote for its amount, and the points reach from
// where the price hardly moves to where it has fallen by at least a quarter.
func TestDepth(t *testing.T) {
	s := serve(t)
	for _, in := range []common.Address{wmon, usdc, weth, rare, evil, island, reef} {
		for _, out := range []common.Address{wmon, usdc, rare, reef, island} {
			if in == out || (in == island || in == reef) != (out == island || out == reef) {
				continue
			}
			var d depthBody
			s.get("/api/v1/depth"+params("tokenIn", in, "tokenOut", out)).into(t, &d)
			n := len(d.Points)
			if n < 16 || d.TokenIn != lowerHex(in) || d.TokenOut != lowerHex(out) {
				t.Errorf("%s to %s: %+v", in, out, d)
				continue
			}
			checkDepthPoints(t, d.Points)
			for _, p := range []depthPoint{d.Points[0], d.Points[n/2], d.Points[n-1]} {
				var q quoteBody
				s.get("/api/v1/quote"+params("tokenIn", in, "tokenOut", out, "amount", p.AmountIn)).into(t, &q)
				if q.AmountOut != p.AmountOut || q.PriceImpactBps != p.PriceImpactBps {
					t.Errorf("%s to %s: %+v, but a quote of %s and %d bps", in, out, p, q.AmountOut, q.PriceImpactBps)
				}
			}
			if first, last := d.Points[0].rate(), d.Points[n-1].rate(); d.Points[0].PriceImpactBps > 300 || last > 0.75*first {
				t.Errorf("%s to %s: from %g at %d bps to %g", in, out, first, d.Points[0].PriceImpactBps, last)
			}
		}
	}
}

func (p depthPoint) rate() float64 {
	return u256.MustDecimal(p.AmountOut).Float() / u256.MustDecimal(p.AmountIn).Float()
}

func checkDepthPoints(t *testing.T, points []depthPoint) {
	t.Helper()
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		if !u256.MustDecimal(a.AmountIn).Lt(u256.MustDecimal(b.AmountIn)) || u256.MustDecimal(b.AmountOut).Lt(u256.MustDecimal(a.AmountOut)) {
			t.Errorf("%+v, then %+v", a, b)
		}
	}
}

// TestDepthShowsTheAmount: the amount of the request is among the points, however
// small or large.
func TestDepthShowsTheAmount(t *testing.T) {
	s := serve(t)
	for _, amount := range []u256.Int{u256.From(12345678901234), units(123, 18), units(1_234_567_891, 18)} {
		var d depthBody
		s.get("/api/v1/depth"+params("tokenIn", wmon, "tokenOut", usdc, "amount", amount)).into(t, &d)
		checkDepthPoints(t, d.Points)
		found := false
		for _, p := range d.Points {
			found = found || p.AmountIn == amount.String()
		}
		if !found {
			t.Errorf("%s: %+v", amount, d.Points)
		}
	}
	// An amount that cannot be swapped is left out.
	for _, amount := range []u256.Int{u256.One, u256.Max} {
		var d depthBody
		s.get("/api/v1/depth"+params("tokenIn", rare, "tokenOut", wmon, "amount", amount)).into(t, &d)
		checkDepthPoints(t, d.Points)
		if len(d.Points) < 16 {
			t.Errorf("%s: %+v", amount, d.Points)
		}
	}
}

// TestDepthCostsItsSearches: to the rate limit, a request of /depth counts as many
// quotes.
func TestDepthCostsItsSearches(t *testing.T) {
	s := serve(t, func(c *Config) { c.RatePerSecond = 2 })
	if a := s.get("/api/v1/depth" + params("tokenIn", wmon, "tokenOut", usdc)); a.status != 200 {
		t.Fatalf("%s", a.raw)
	}
	if a := s.get(goodQuote); a.status != 429 || a.header.Get("Retry-After") != "12" {
		t.Errorf("%d, Retry-After %s", a.status, a.header.Get("Retry-After"))
	}
}
