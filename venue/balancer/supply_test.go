package balancer_test

import (
	"math"
	"testing"

	"braid/u256"
	"braid/venue/balancer"
)

// TestSupply: the floats follow the integers from dust to the most the pool
// takes, and no further; to a part of a hundred thousand while the price is
// above half of the first.
func TestSupply(t *testing.T) {
	v := newVault(t)
	shapes := v.shapes()
	shapes["98/2"] = shape{tokens: []int{1, 2}, amounts: v.units(1, 98e4, 3e4)[1:], weights: percent(98, 2), fee: 1e15, rated: -1}
	shapes["2/98"] = shape{tokens: []int{1, 2}, amounts: v.units(1, 2e4, 3e6)[1:], weights: percent(2, 98), fee: 1e15, rated: -1}
	shapes["leaning"] = shape{tokens: []int{1, 2}, amounts: v.units(1, 1e6, 3e4)[1:], amp: 500, fee: 1e14, rated: -1}
	shapes["rigid"] = shape{tokens: []int{1, 2, 3}, amounts: v.units(1, 1e6, 2e3, 3e5)[1:], amp: 5000, fee: 1e14, rated: -1}
	shapes["soft"] = shape{tokens: []int{1, 2}, amounts: v.units(1, 7e3, 9e3)[1:], amp: 1, fee: 1e14, rated: 1}
	huge := u256.One.Lsh(128).Sub(u256.One.Lsh(125)) // near to what the vault holds
	shapes["huge"] = shape{tokens: []int{1, 2}, amounts: []u256.Int{huge, huge}, weights: percent(30, 70), fee: 1e15, rated: -1}
	for name, shape := range shapes {
		p := mustOpen(t, v, shape)
		n := len(shape.tokens)
		for i := range n * n {
			if in, out := i/n, i%n; in != out {
				checkSupply(t, name, p, in, out)
			}
		}
	}
}

func checkSupply(t *testing.T, name string, p *balancer.Pool, in, out int) {
	t.Helper()
	s := p.Supply(in, out)
	quote := func(x float64) float64 {
		q, err := p.Quote(in, out, u256.FromFloat(x))
		if err != nil {
			return -1
		}
		return q.Out.Float()
	}
	if quote(s.Max) < 0 || quote(math.Ceil(1.0001*s.Max)) >= 0 {
		t.Errorf("%s: %d to %d: %g is not the most it takes", name, in, out, s.Max)
	}
	for x := s.Max; x > 1e-5*p.Depth(in); x *= 0.97 {
		x := math.Floor(x)
		y, price, _ := s.Pay(x)
		part := 2e-4
		if price > s.Spot()/2 {
			part = 4e-5
		}
		if pays := quote(x); math.Abs(y-pays) > part*pays+2 {
			t.Errorf("%s: %d to %d: supplies %g for %g at %.2f of its price, but pays %g: off %.1g", name, in, out, y, x, price/s.Spot(), pays, y/pays-1)
		}
	}
}

// BenchmarkSupply is one direction of a pool.
func BenchmarkSupply(b *testing.B) {
	v := newVault(b)
	for name, shape := range v.shapes() {
		b.Run(name, func(b *testing.B) {
			p := mustOpen(b, v, shape)
			b.ReportAllocs()
			for b.Loop() {
				p.Supply(0, 1)
			}
		})
	}
}
