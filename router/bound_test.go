package router

import (
	"math"
	"math/rand/v2"
	"testing"

	"braid/markettest"
	"braid/u256"
)

// Arbitrage far larger than the order counts only as far as the order could
// drive it: a circle that gains 5%, once around.
func TestBoundOfSmall(t *testing.T) {
	w := markettest.New(t)
	w.PoolFee("s", 5, "A", 1e24, "B", 1e24)
	w.PoolFee("s", 5, "B", 1e24, "C", 1e24)
	w.PoolFee("s", 5, "C", 1e24, "D", 1e24)
	w.PoolFee("s", 5, "D", 1e24, "E", 1e24)
	w.PoolFee("s", 5, "E", 1e24, "C", 1.05e24)
	s := w.Snapshot()
	for amount := 1e12; amount < 1e24; amount *= 10 {
		o := order(w, "A", amount, "B")
		b, ok := Bound(s, o)
		p, err := Find(s, o)
		if gap := 1 - p.AmountOut.Float()/b.Float(); !ok || err != nil || gap < 0 || gap > 0.05 {
			t.Errorf("%g: bound %v, %v; the plan pays %v, %v", amount, b, ok, p.AmountOut, err)
		}
	}
}

// The bound of few steps is never less than the best of all choices of so few,
// arbitrage or not, and mostly no more; that of many is that of any number.
func TestBoundSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	orders, tight, free := 0, 0, 0
	for market := range 80 {
		w := markettest.Random(t, r, 4, 9, []float64{0.001, 0.05}[market%2])
		w.Pool("anchor", "NATIVE", 1e22, "USD", 1e22)
		s := w.Snapshot()
		o := randomOrder(w, r)
		usd := s.USD(o.TokenIn)
		if usd == 0 || s.USD(o.TokenOut) == 0 {
			continue
		}
		o.AmountIn = u256.FromFloat(math.Exp(3+r.Float64()*8) / usd)
		any, ok := Bound(s, o)
		o.MaxSteps = 1000
		if many, _ := BoundSteps(s, o); !ok || many != any {
			t.Errorf("market %d: %v in many steps, want %v", market, many, any)
		}
		o.MaxSteps = 1 + r.IntN(4)
		few, ok := BoundSteps(s, o)
		all, _ := bestOf(s, o, o.MaxSteps, true)
		best := all[o.MaxSteps]
		if best == 0 {
			continue // no path is so short
		}
		if !ok || few.Float() < best*(1-1e-12) || few.Gt(any) {
			t.Errorf("market %d: bound %v, %v; a plan of %d steps pays %g, the bound of any %v", market, few, ok, o.MaxSteps, best, any)
		}
		if market%2 == 0 {
			orders++
			if best > few.Float()*(1-1e-4) {
				tight++
			}
			if best > any.Float()*(1-1e-4) {
				free++
			}
		}
	}
	t.Logf("of %d orders %d are within 1 bps of the bound, %d of that of any steps", orders, tight, free)
	if orders < 30 || tight < orders*3/4 || tight-free < orders/4 {
		t.Errorf("of %d orders %d are within 1 bps of the bound, %d of that of any steps", orders, tight, free)
	}
}
