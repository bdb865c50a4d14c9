package api

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// TestWhy: each alternative is the best of its kind, as separate requests find it.
func TestWhy(t *testing.T) {
	s, snap := serve(t), testMarket(t)
	for _, c := range []struct {
		in, out common.Address
		amount  u256.Int
	}{
		{wmon, usdc, units(1, 18)}, {wmon, usdc, units(50_000, 18)}, {usdc, wmon, units(900_000, 6)}, {rare, usdc, units(100, 18)}, {weth, usdt, units(3, 18)}, {island, reef, units(1, 18)},
	} {
		base := params("tokenIn", c.in, "tokenOut", c.out, "amount", c.amount)
		var q quoteBody
		s.get("/api/v1/quote"+base+"&include=why").into(t, &q)
		ours := u256.MustDecimal(q.AmountOut)

		var pool u256.Int
		for _, p := range snap.Pools() {
			tokens := p.Info().Tokens
			in, out := slices.Index(tokens, c.in), slices.Index(tokens, c.out)
			if in < 0 || out < 0 {
				continue
			}
			if got, err := p.Quote(in, out, c.amount); err == nil && got.Out.Gt(pool) {
				pool = got.Out
			}
		}
		checkAlternative(t, ours, q.Why.Pool, pool, 1)

		var alone u256.Int
		ids := sourceIDs(snap.Pools())
		for i := range ids {
			others := slices.Delete(slices.Clone(ids), i, i+1)
			if a := s.get("/api/v1/quote" + base + "&excludeSources=" + strings.Join(others, ",")); a.status == 200 {
				var one quoteBody
				a.into(t, &one)
				if n := u256.MustDecimal(one.AmountOut); n.Gt(alone) {
					alone = n
				}
			}
		}
		checkAlternative(t, ours, q.Why.Venue, alone, 99)
		if q.Why.Venue != nil && len(q.Why.Venue.Sources) != 1 {
			t.Errorf("venues %v", q.Why.Venue.Sources)
		}
		path := u256.MustDecimal(q.Why.Path.AmountOut)
		checkAlternative(t, ours, q.Why.Path, path, 5)
		if path.Lt(pool) || ours.Lt(path) {
			t.Errorf("pool %s, path %s, ours %s", pool, path, ours)
		}
	}
}

func sourceIDs(pools []venue.Pool) (ids []string) {
	for _, p := range pools {
		ids = append(ids, p.Info().Source.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func checkAlternative(t *testing.T, ours u256.Int, got *alternativeBody, want u256.Int, maxPools int) {
	t.Helper()
	if got == nil {
		if !want.IsZero() {
			t.Errorf("no alternative, but one pays %s", want)
		}
		return
	}
	gain := 1e4 * (ours.Float()/want.Float() - 1)
	if got.AmountOut != want.String() || math.Abs(got.GainBps-gain) > 1e-3 || len(got.Pools) > maxPools {
		t.Errorf("%+v, want %s, %g bps", got, want, gain)
	}
}
