package plan

import (
	"math"
	"testing"
)

func TestImpact(t *testing.T) {
	const keep = 0.997
	for _, x := range []float64{1e-9, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5, 1, 10, 1e6} {
		direct := run(t, x*1e6*e18, 1, through(0, 0, 1, 1e6*e18, 3e6*e18, All))
		want := int(math.Round(whole * (1 - 1/(1+keep*x))))
		if got := direct.ImpactBps(); got != want {
			t.Errorf("%g of the reserve: %d bps, want %d", x, got, want)
		}
		// Two equal pools halve the load of each.
		split := run(t, 2*x*1e6*e18, 1, through(0, 0, 1, 1e6*e18, 3e6*e18, 1<<31), through(1, 0, 1, 1e6*e18, 3e6*e18, All))
		if got := split.ImpactBps(); got != want {
			t.Errorf("twice %g over two pools: %d bps, want %d", x, got, want)
		}
	}
}

// The second pool is so deep that all impact is the first one's, and the
// shares of the middle token do not matter.
func TestImpactOfHops(t *testing.T) {
	p := run(t, 1e5*e18, 2, through(0, 0, 1, 1e6*e18, 1e6*e18, All), through(1, 1, 2, 1e15*e18, 1e12*e18, 1<<30), through(2, 1, 2, 1e15*e18, 1e12*e18, All))
	if got, want := p.ImpactBps(), int(math.Round(whole*(1-1/(1+0.0997)))); got != want {
		t.Errorf("%d bps, want %d", got, want)
	}
}

// What integers lose is not impact, also where a unit of the middle token is
// worth a million of the last.
func TestImpactOfRounding(t *testing.T) {
	for amount := 2e12; amount < 1e14; amount *= 1.1 {
		p := run(t, amount, 2, through(0, 0, 1, 1e9*e18, 1e9*1e6, All), through(1, 1, 2, 1e9*1e6, 1e9*e18, All))
		if got := p.ImpactBps(); got != 0 {
			t.Errorf("%g units, %v out: %d bps", amount, p.AmountOut, got)
		}
	}
}

func TestImpactGrows(t *testing.T) {
	eachRandom(t, 300, func(p *Plan) {
		last := 0
		for range 20 {
			got := p.ImpactBps()
			if got < last || got > whole {
				t.Fatalf("%d bps, %d for half of it", got, last)
			}
			last = got
			next, err := Run(p.TokenIn, p.TokenOut, p.AmountIn.Lsh(1), p.Steps)
			if err != nil {
				return // beyond 112 bits
			}
			*p = next
		}
	})
}
