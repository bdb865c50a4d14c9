package path

import (
	"math"
	"math/rand/v2"
	"testing"

	"braid/markettest"
	"braid/router/flow"
)

// bestOfAll is the most that a path of up to so many hops pays that meets no token and no
// pool twice, by trying all of them.
func bestOfAll(s *Search, token int, amount float64, hops int, met []bool, used map[int32]bool) (best float64) {
	if token == s.Out {
		return amount
	}
	links := s.Graph.All(token)
	for i := range links {
		l := &links[i]
		if hops == 0 || met[l.To] || used[l.Pool] || amount > l.Supply.Max {
			continue
		}
		paid, _ := l.Pay(amount)
		if !(paid > 0) {
			continue
		}
		met[l.To], used[l.Pool] = true, true
		best = max(best, bestOfAll(s, int(l.To), paid, hops-1, met, used))
		met[l.To], used[l.Pool] = false, false
	}
	return best
}

// TestBest: on markets of 400 held-out seeds, half of them full of arbitrage, the best path
// of up to five hops pays what the best of all paths pays, for amounts of which a raw unit
// is no part that counts.
func TestBest(t *testing.T) {
	const heldOut = 1_000_000
	found := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(heldOut+seed, 3))
		w := markettest.Random(t, r, 3+r.IntN(5), 4+r.IntN(16), []float64{0.001, 0.3}[seed%2])
		w.GasWei = 0
		snapshot := w.Snapshot()
		in, out := r.IntN(len(w.Tokens)), r.IntN(len(w.Tokens))
		if in == out {
			continue
		}
		s := NewSearch(snapshot, in, out, Limits{MaxHops: 5, MaxSteps: 32}, &flow.Budget{Limit: math.MaxInt})
		amount := 1e15 * math.Exp(r.Float64()*math.Log(1e9))
		hops, _ := s.Best(amount, Avoid{})
		met := make([]bool, len(w.Tokens))
		met[in] = true
		want, got := bestOfAll(s, in, amount, 5, met, map[int32]bool{}), 0.0
		if hops != nil {
			last := &hops[len(hops)-1]
			got, _, _ = last.Supply.Pay(last.Amount)
			found++
		}
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("seed %d: %g of token %d pay %g of token %d, want %g", seed, amount, in, got, out, want)
		}
		s.Release()
	}
	if found < 200 {
		t.Errorf("only %d of 400 markets have a path", found)
	}
}
