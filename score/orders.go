package score

import (
	"fmt"
	"math"
	"math/rand/v2"

	"braid/benchfile"
	"braid/market"
	"braid/router"
	"braid/u256"
)

// Sets are the names of the sets of orders that Orders makes.
var Sets = []string{"retail", "large", "impact"}

var (
	// retailUSD are the sizes of retail orders, in dollars.
	retailUSD = []float64{100, 1000, 10_000, 50_000}

	// impacts are the fractions of the price that orders of the set impact cost if
	// routed as well as can be.
	impacts = []float64{0.0005, 0.003, 0.01, 0.03, 0.08, 0.20}
)

const (
	mostOfValue    = 0.04 // fraction of the value in a token's pools that nobody sells at once
	leastPools     = 3    // of a token that is traded
	leastFactor    = 10   // from retail to large orders
	greatestFactor = 1000
)

// Orders makes n orders of a set on the market, of which s is the snapshot. retail is
// of 100 to 50,000 dollars between hubs, between a hub and another token, and between
// others; large is retail times 10 to 1,000; impact is sized by what it costs, found
// with router.Bound.
func (m *Market) Orders(s *market.Snapshot, set string, n int, seed uint64) ([]benchfile.Trade, error) {
	r := rand.New(rand.NewPCG(seed, 1))
	trades := make([]benchfile.Trade, n)
	for i := range trades {
		in, out, ok := m.tokens(r, i%3, r.IntN(2) == 1)
		if !ok {
			return nil, fmt.Errorf("the market is too small: fewer than two tokens have %d pools", leastPools)
		}
		raw := math.Pow10(int(m.File.Tokens[in].Decimals)) / m.File.Tokens[in].USD // raw units for a dollar
		amount := raw * min(retailUSD[i/3%len(retailUSD)], mostOfValue*min(m.value[in], m.value[out]))
		switch set {
		case "retail":
		case "large":
			amount *= leastFactor * math.Pow(greatestFactor/leastFactor, r.Float64())
		case "impact":
			amount = withImpact(s, in, out, raw, impacts[i/3%len(impacts)])
		default:
			return nil, fmt.Errorf("set %q is none of %v", set, Sets)
		}
		trades[i] = benchfile.Trade{ID: i, In: in, Out: out, Amount: decimal(max(1, amount))}
	}
	return trades, nil
}

// tokens picks two tokens of which so many (0 to 2) are no hubs; of one the order
// sells or buys the hub.
func (m *Market) tokens(r *rand.Rand, tail int, sellsHub bool) (in, out int, ok bool) {
	pick := func(hub bool) int {
		if hub {
			return r.IntN(len(hubs))
		}
		return len(hubs) + r.IntN(len(m.pools)-len(hubs))
	}
	for range 100_000 {
		in, out = pick(tail == 0 || tail == 1 && sellsHub), pick(tail == 0 || tail == 1 && !sellsHub)
		if in != out && m.pools[in] >= leastPools && m.pools[out] >= leastPools {
			return in, out, true
		}
	}
	return 0, 0, false
}

// withImpact is the amount at which the best plan pays a rate that is lower by a
// fraction than that for next to nothing; raw is raw units for a dollar.
func withImpact(s *market.Snapshot, in, out int, raw, fraction float64) float64 {
	// rate is at most one raw unit of output too low: the bound is rounded up.
	rate := func(amount float64) float64 {
		most, _ := router.Bound(s, router.Order{
			TokenIn: s.Tokens()[in].Address, TokenOut: s.Tokens()[out].Address, AmountIn: u256.FromFloat(amount),
		})
		return (most.Float() - 1) / amount
	}
	// Rates fall with the amount, but the unit weighs on small ones.
	spot := 0.0
	for usd := 0.5; usd < 1000; usd *= 10 {
		spot = max(spot, rate(raw*usd))
	}
	lo, hi := math.Log(raw), math.Log(1e10*raw) // 1 to 1e10 dollars
	for hi-lo > 0.01 {
		if mid := (lo + hi) / 2; rate(math.Exp(mid)) < spot*(1-fraction) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return math.Exp(lo)
}
