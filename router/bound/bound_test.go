package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"braid/market"
	"braid/markettest"
	"braid/router/flow"
	"braid/router/path"
	"braid/u256"
)

// begin is a search between two tokens, with an empty network.
func begin(s *market.Snapshot, in, out string, w *markettest.World) (*path.Search, *flow.Network) {
	from, _ := s.Token(w.Token(in))
	to, _ := s.Token(w.Token(out))
	budget := &flow.Budget{Limit: 1200 * 32}
	search := path.NewSearch(s, from, to, path.Limits{MaxHops: 5, MaxSteps: 32}, budget)
	n := &flow.Network{GasPrice: search.GasPrice, Budget: budget}
	n.Reset(len(s.Tokens()), len(s.Pools()), from, to)
	return search, n
}

// On a market of more tokens than have their prices found together, with much
// dust that promises too much: the others hardly matter, and whatever bounds a
// tenth of an order, ten times that bounds the order.
func TestBoundOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	w := markettest.New(t)
	add := func(a, b string, depth float64) {
		w.PoolFee("s", []uint64{5, 30}[r.IntN(2)], a, depth, b, depth*math.Exp(r.NormFloat64()*0.001))
	}
	hubs := []string{"NATIVE", "USD", "H2", "H3", "H4"}
	for i := range hubs {
		for j := range i {
			add(hubs[i], hubs[j], 1e21)
		}
	}
	for i := range 700 {
		for _, hub := range r.Perm(len(hubs))[:2+r.IntN(2)] {
			add(hubs[hub], fmt.Sprint("T", i), math.Exp(math.Log(1e15)+r.Float64()*math.Log(1e8)))
		}
	}
	s := w.Snapshot()
	for range 10 {
		in, out := hubs[r.IntN(len(hubs))], fmt.Sprint("T", r.IntN(700))
		last := math.Inf(1)
		for amount := 1e17; amount < 1e23; amount *= 10 {
			search, n := begin(s, in, out, w)
			b, ok := newCertificate(search, n, u256.FromFloat(amount))
			if !ok {
				t.Fatalf("%g: no bound", amount)
			}
			if b.left > 1e-4*b.sum || b.best > 10*last*(1+1e-6) {
				t.Errorf("%g: %g, of which %g is left outside; a tenth pays %g at most", amount, b.best, b.left, last)
			}
			last = b.best
			search.Release()
		}
	}
}
