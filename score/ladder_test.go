package score_test

import (
	"fmt"
	"math"
	"testing"

	"braid/market"
	"braid/router"
	"braid/score"
	"braid/u256"
	"braid/venuetest"
)

// A ladder of amounts: from $1 to $100M, four for each factor of ten.
const (
	lowestRung   = 1.
	rungs        = 33
	rungsPerTen  = 4
	mostFallsBps = 1
)

// TestLadders: along a ladder of amounts of one pair the price impact does not fall, but
// for a basis point. make ladders sets the sizes and prints by how much it falls.
func TestLadders(t *testing.T) {
	c := score.Sized(int(venuetest.Setting(t, "POOLS", 200)), venuetest.Setting(t, "SEED", 1))
	c.Noise = noise(t)
	m, s := generated(t, c)
	trades, err := m.Orders(s, "retail", int(venuetest.Setting(t, "LADDERS", 8)), c.Seed)
	if err != nil {
		t.Fatal(err)
	}
	var falls []float64
	for i := range trades {
		fall := ladder(t, s, order(t, s, &trades[i], router.DefaultMaxSteps))
		falls = append(falls, fall)
		if fall > mostFallsBps && c.Noise == 0 { // amid arbitrage plans are not that close to the best
			t.Errorf("ladder %d, %s to %s: the impact falls by %.0f bps", i, s.Tokens()[trades[i].In].Symbol, s.Tokens()[trades[i].Out].Symbol, fall)
		}
	}
	q := score.QuantilesOf(falls)
	fmt.Printf("pools=%d seed=%d noise=%g ladders=%d impact falls by bps: median=%.0f mean=%.2f p99=%.0f worst=%.0f\n",
		len(s.Pools()), c.Seed, c.Noise, len(falls), q.Median, q.Mean, q.P99, q.Worst)
}

// ladder is by how many bps the impact falls at most below what it was for less.
func ladder(t *testing.T, s *market.Snapshot, o router.Order) (fall float64) {
	t.Helper()
	rate, err := router.RateOf(s, o.TokenIn, o.TokenOut, false)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := s.Token(o.TokenIn)
	out, _ := s.Token(o.TokenOut)
	most := 0
	for i := range rungs {
		o.AmountIn = u256.FromFloat(lowestRung * math.Pow(10, float64(i)/rungsPerTen) / s.Price(in).USD)
		p, err := router.Find(s, o)
		if err != nil {
			continue // more than the market takes
		}
		impact := rate.ImpactBps(&p, s.GasIn(out))
		fall = max(fall, float64(most-impact))
		most = max(most, impact)
	}
	return fall
}
