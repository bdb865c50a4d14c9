package score_test

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"

	"braid/router"
	"braid/score"
)

// TestGenerate: a market is a function of its Config; it has the pools that were asked
// for; each swaps both ways, at a price that differs from the reference by less than
// the fee, or by the noise.
func TestGenerate(t *testing.T) {
	for seed := range uint64(20) {
		c := score.Sized(300, seed)
		c.Noise = 0.003 * float64(seed%2)
		m, s := generated(t, c)
		if !bytes.Equal(text(t, m), text(t, score.Generate(c))) {
			t.Fatalf("seed %d: the same Config gives two markets", seed)
		}
		other := c
		other.Seed++
		if bytes.Equal(text(t, m), text(t, score.Generate(other))) {
			t.Fatalf("seeds %d and %d give one market", c.Seed, other.Seed)
		}
		if len(s.Pools()) != c.Pools || len(s.Tokens()) != c.Tokens {
			t.Errorf("seed %d: %d pools and %d tokens, want %d and %d", seed, len(s.Pools()), len(s.Tokens()), c.Pools, c.Tokens)
		}
		raw := func(token int) float64 {
			return m.File.Tokens[token].USD / math.Pow10(int(m.File.Tokens[token].Decimals))
		}
		for i, p := range s.Pools() {
			there, back := p.Spot(0, 1), p.Spot(1, 0)
			if !(there > 0 && back > 0 && p.Depth(0) > 0 && p.Depth(1) > 0) {
				t.Fatalf("seed %d: pool %d is empty: spot %g and %g, depth %g and %g", seed, i, there, back, p.Depth(0), p.Depth(1))
			}
			f := &m.File.Pools[i]
			skew := math.Log(math.Sqrt(there/back) / (raw(f.T0) / raw(f.T1)))
			// Reserves of at least four digits are rounded by up to a thousandth.
			if limit := float64(f.FeePpm)/1e6 + 6*c.Noise + 2e-3; math.Abs(skew) > limit {
				t.Errorf("seed %d: the price of pool %d is off by %g, more than %g", seed, i, skew, limit)
			}
		}
	}
}

// TestOrders: orders are a function of market, set and seed, and those of the set
// impact cost what they should.
func TestOrders(t *testing.T) {
	m, s := generated(t, score.Sized(300, 5))
	for _, set := range score.Sets {
		list, err := m.Orders(s, set, 18, 7)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := m.Orders(s, set, 18, 7); !bytes.Equal(text(t, list), text(t, again)) {
			t.Errorf("%s: one seed gives two lists", set)
		}
		for i := range list {
			o := order(t, s, &list[i], 100)
			if _, err := router.Find(s, o); err != nil && set != "large" {
				t.Errorf("%s %d: %v", set, i, err)
			}
			if set != "impact" {
				continue
			}
			rate := func(o router.Order) float64 {
				most, _ := router.Bound(s, o)
				return (most.Float() - 1) / o.AmountIn.Float()
			}
			spot := 0.0
			for bits := uint(2); bits < 30; bits += 2 {
				part := o
				part.AmountIn = o.AmountIn.Rsh(bits)
				spot = max(spot, rate(part))
			}
			want := []float64{0.0005, 0.003, 0.01, 0.03, 0.08, 0.20}[i/3]
			if impact := 1 - rate(o)/spot; impact < want/2 || impact > want*2 {
				t.Errorf("impact %d: the optimum costs %g, not %g", i, impact, want)
			}
		}
	}
	if _, err := m.Orders(s, "retial", 1, 1); err == nil {
		t.Error("a set that does not exist has orders")
	}
}

func text(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
