package router

import (
	"testing"

	"braid/markettest"
)

// TestRate: the rate of a pair is that of $100, whatever else is asked, and of a part of
// what the market takes where there is no price or not so much to take.
func TestRate(t *testing.T) {
	w := markettest.New(t)
	w.Pool("deep", "NATIVE", 1e7*e18, "USD", 1e6*e18)
	w.Pool("dust", "NATIVE", 1*e18, "USD", 2*e18) // twenty times the price, for next to nothing
	w.Pool("thin", "USD", 20*e18, "MEME", 1e6*e18)
	w.Pool("island", "A", 1e6*e18, "B", 2e6*e18)
	s := w.Snapshot()
	for _, row := range []struct {
		in, out string
		least   float64 // of the rate
		most    float64
	}{
		{"NATIVE", "USD", 0.099, 0.1}, // $100 do not fit into dust
		{"USD", "MEME", 4.9e4, 5e4},   // in thin they would move the price
		{"A", "B", 1.9, 2},
	} {
		r, err := RateOf(s, w.Token(row.in), w.Token(row.out), false)
		if err != nil || r.PerUnit < row.least || r.PerUnit > row.most || r.Gas == 0 {
			t.Errorf("%s to %s: %v, %v, want %g to %g", row.in, row.out, r, err, row.least, row.most)
		}
	}
	if _, err := RateOf(s, w.Token("A"), w.Token("USD"), false); err != ErrNoRoute {
		t.Errorf("tokens that no path joins: %v", err)
	}
}

// TestRateImpact: it grows with the amount, where that against the route's own prices
// falls.
func TestRateImpact(t *testing.T) {
	w := markettest.New(t)
	w.Pool("deep", "NATIVE", 1e7*e18, "USD", 1e6*e18)
	w.Pool("better", "NATIVE", 2e4*e18, "USD", 3e3*e18)
	s := w.Snapshot()
	rate, err := RateOf(s, w.Token("NATIVE"), w.Token("USD"), false)
	if err != nil {
		t.Fatal(err)
	}
	last, fell := 0, false
	before := 0
	for amount := 1e18; amount < 1e26; amount *= 2 {
		p, err := Find(s, order(w, "NATIVE", amount, "USD"))
		if err != nil {
			t.Fatal(err)
		}
		impact := rate.ImpactBps(&p, s.GasIn(1))
		if impact < last {
			t.Errorf("%g: impact %d after %d", amount, impact, last)
		}
		own := p.ImpactBps()
		fell = fell || own < before
		last, before = impact, own
	}
	if last < 3000 || !fell {
		t.Errorf("impact ends at %d; the other falls: %v", last, fell)
	}
}
