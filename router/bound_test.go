package router

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"braid/u256"
)

// On a market of more tokens than have their values found together, with much
// dust that promises too much: the others hardly matter, and whatever bounds a
// tenth of an order, ten times that bounds the order.
func TestBoundOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	w := newWorld(t)
	add := func(a, b string, depth float64) {
		w.poolFee("s", []uint64{5, 30}[r.IntN(2)], a, depth, b, depth*math.Exp(r.NormFloat64()*0.001))
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
	s := w.snapshot()
	for range 10 {
		o := w.order(hubs[r.IntN(len(hubs))], 0, fmt.Sprint("T", r.IntN(700)))
		last := math.Inf(1)
		for amount := 1e17; amount < 1e23; amount *= 10 {
			o.AmountIn = u256.FromFloat(amount)
			b, ok := newAppraisal(s, o)
			if !ok {
				t.Fatalf("%g: no bound", amount)
			}
			if b.left > 1e-4*b.sum || b.best > 10*last*(1+1e-6) {
				t.Errorf("%g: %g, of which %g is left outside; a tenth pays %g at most", amount, b.best, b.left, last)
			}
			last = b.best
			b.release()
		}
	}
}

// Arbitrage far larger than the order counts only as far as the order could
// drive it: a circle that gains 5%, once around.
func TestBoundOfSmall(t *testing.T) {
	w := newWorld(t)
	w.poolFee("s", 5, "A", 1e24, "B", 1e24)
	w.poolFee("s", 5, "B", 1e24, "C", 1e24)
	w.poolFee("s", 5, "C", 1e24, "D", 1e24)
	w.poolFee("s", 5, "D", 1e24, "E", 1e24)
	w.poolFee("s", 5, "E", 1e24, "C", 1.05e24)
	s := w.snapshot()
	for amount := 1e12; amount < 1e24; amount *= 10 {
		o := w.order("A", amount, "B")
		b, ok := Bound(s, o)
		p, err := Find(s, o)
		if gap := 1 - p.AmountOut.Float()/b.Float(); !ok || err != nil || gap < 0 || gap > 0.05 {
			t.Errorf("%g: bound %v, %v; the plan pays %v, %v", amount, b, ok, p.AmountOut, err)
		}
	}
}
