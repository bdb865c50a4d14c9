package router

import (
	"errors"
	"testing"

	"braid/markettest"
	"braid/u256"
	"braid/venue"
)

// TestFindOutput: what is asked for is paid, and a search pays less for a millionth and
// a unit less.
func TestFindOutput(t *testing.T) {
	w, s := town(t)
	for _, o := range townOrders(w, s, 40) {
		whole, err := Find(s, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, out := range []u256.Int{u256.One, u256.From(12_345), whole.AmountOut} {
			p, err := FindOutput(s, o, out)
			if err != nil || p.AmountOut.Lt(out) {
				t.Fatalf("%s of %s: pays %s, %v", out, o.TokenOut, p.AmountOut, err)
			}
			o.AmountIn = p.AmountIn.Sub(p.AmountIn.Rsh(tightness)).Sub(u256.One)
			if o.AmountIn.IsZero() {
				continue
			}
			if less, err := Find(s, o); err == nil && !less.AmountOut.Lt(out) {
				t.Errorf("%s of %s: takes %s, and %s is enough", out, o.TokenOut, p.AmountIn, o.AmountIn)
			}
		}
	}
}

// TestFindOutputRefuses: more than there is cannot be bought, nor what no pool joins.
func TestFindOutputRefuses(t *testing.T) {
	w := markettest.New(t)
	w.Pool("one", "A", 1e18, "B", 1e18)
	w.Pool("one", "C", 1e18, "D", 1e18)
	s := w.Snapshot()
	order := func(in, out string) Order { return Order{TokenIn: w.Token(in), TokenOut: w.Token(out)} }
	if p, err := FindOutput(s, order("A", "B"), u256.From(1e18)); !errors.Is(err, venue.ErrTooLarge) {
		t.Errorf("all of the reserve for %s: %v", p.AmountIn, err)
	}
	if p, err := FindOutput(s, order("A", "B"), u256.From(9e17)); err != nil || p.AmountOut.Lt(u256.From(9e17)) {
		t.Errorf("nine tenths: %s, %v", p.AmountOut, err)
	}
	if _, err := FindOutput(s, order("A", "D"), u256.From(1e9)); !errors.Is(err, ErrNoRoute) {
		t.Errorf("%v", err)
	}
}
