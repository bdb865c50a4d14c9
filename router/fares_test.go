package router

import (
	"math"
	"math/rand/v2"
	"testing"

	"braid/u256"
)

// The bound of few steps is never less than the best of all choices of so few,
// arbitrage or not, and mostly no more; that of many is that of any number.
func TestBoundSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	orders, tight, free := 0, 0, 0
	for market := range 80 {
		w := random(t, r, 4, 9, []float64{0.001, 0.05}[market%2])
		w.pool("anchor", "NATIVE", 1e22, "USD", 1e22)
		s := w.snapshot()
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
		best := bestOf(s, o, o.MaxSteps)
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
