package router

import (
	"errors"
	"testing"

	"braid/markettest"
	"braid/u256"
	"braid/venue"
)

const e18 = 1e18

func TestRefusals(t *testing.T) {
	w := markettest.New(t)
	w.Pool("one", "A", 1e6*e18, "B", 1e6) // B has few decimals
	w.Pool("two", "B", 1e6, "C", 1e6)
	w.Pool("one", "X", 1e6*e18, "Y", 1e6*e18)
	w.Pool("one", "A", 0, "Z", 0)
	w.Pool("one", "C", 1e6, "D", 1e6)
	w.Pool("one", "D", 1e6, "E", 1e6)
	w.Pool("one", "E", 1e6, "F", 1e6)
	w.Pool("one", "F", 1e6, "G", 1e6)
	s := w.Snapshot()
	unknown := order(w, "A", 1, "B")
	unknown.TokenOut[3]++
	excluded := order(w, "A", e18, "C")
	excluded.Exclude = map[string]bool{"two": true}
	unlisted := order(w, "A", e18, "C")
	unlisted.VerifiedHops = true
	short := order(w, "A", 5*e18, "C")
	short.MaxSteps = 1
	most := order(w, "A", 0, "B")
	most.AmountIn = u256.Max
	for name, c := range map[string]struct {
		order Order
		want  error
	}{
		"an unknown token":                   {unknown, ErrUnknownToken},
		"no pool between":                    {order(w, "A", e18, "X"), ErrNoRoute},
		"an empty pool":                      {order(w, "A", e18, "Z"), ErrNoRoute},
		"a token for itself":                 {order(w, "A", e18, "A"), ErrNoRoute},
		"six hops":                           {order(w, "A", 1e3*e18, "G"), ErrNoRoute},
		"the only way excluded":              {excluded, ErrNoRoute},
		"only through an unverified token":   {unlisted, ErrNoRoute},
		"fewer steps than hops":              {short, ErrNoRoute},
		"nothing":                            {order(w, "A", 0, "B"), venue.ErrTooSmall},
		"less than a unit comes out":         {order(w, "A", 1e11, "B"), venue.ErrTooSmall},
		"a reserve would pass 112 bits":      {order(w, "A", 0x1p112, "B"), venue.ErrTooLarge},
		"all there can be":                   {most, venue.ErrTooLarge},
		"the second pool gives nothing back": {order(w, "A", 1.1e12, "C"), venue.ErrTooSmall},
	} {
		if _, err := Find(s, c.order); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	w := markettest.New(t)
	w.Pool("one", "A", 1e6*e18, "B", 1e6)
	w.Pool("one", "B", 1e6, "C", 1e12)
	w.Pool("one", "X", 1, "Y", 1)
	s := w.Snapshot()
	o := order(w, "A", 0, "C")

	least, ok := MinIn(s, o)
	if !ok {
		t.Fatal("no least amount")
	}
	o.AmountIn = least
	if _, err := Find(s, o); err != nil {
		t.Errorf("the least amount %v: %v", least, err)
	}
	o.AmountIn = least.Sub(u256.One)
	if _, err := Find(s, o); !errors.Is(err, venue.ErrTooSmall) {
		t.Errorf("one unit less than the least: %v", err)
	}

	most, ok := MaxIn(s, o)
	if !ok {
		t.Fatal("no greatest amount")
	}
	o.AmountIn = most
	if _, err := Find(s, o); err != nil {
		t.Errorf("the greatest amount %v: %v", most, err)
	}
	o.AmountIn = most.Add(most.Rsh(9))
	if _, err := Find(s, o); !errors.Is(err, venue.ErrTooLarge) {
		t.Errorf("a fifth of a percent more than the greatest: %v", err)
	}

	for _, o := range []Order{order(w, "X", 0, "Y"), order(w, "A", 0, "X"), {}} {
		if _, ok := MinIn(s, o); ok {
			t.Errorf("%v has a least amount", o)
		}
		if _, ok := MaxIn(s, o); ok {
			t.Errorf("%v has a greatest amount", o)
		}
	}
}
