package exact

import (
	"testing"

	"braid/markettest"
	"braid/plan"
	"braid/router/flow"
	"braid/router/path"
	"braid/u256"
)

const e18 = 1e18

func begin(t *testing.T, w *markettest.World, in, out string) (*path.Search, *flow.Network) {
	s := w.Snapshot()
	budget := &flow.Budget{Limit: 1 << 20}
	search := path.NewSearch(s, w.Names[in], w.Names[out], path.Limits{MaxHops: 5, MaxSteps: 32}, budget)
	t.Cleanup(search.Release)
	n := &flow.Network{GasPrice: search.GasPrice, Budget: budget}
	n.Reset(len(s.Tokens()), len(s.Pools()), search.In, search.Out)
	return search, n
}

// hop is the link from a token through a pool.
func hop(t *testing.T, s *path.Search, from string, w *markettest.World, pool int32) flow.Hop {
	t.Helper()
	for _, l := range s.Graph.All(w.Names[from]) {
		if l.Pool == pool {
			return flow.Hop{Direction: path.DirectionOf(&l), From: w.Names[from], To: int(l.To), Supply: l.Supply}
		}
	}
	t.Fatalf("no link from %s through pool %d", from, pool)
	return flow.Hop{}
}

func TestBetter(t *testing.T) {
	of := func(out, gas uint64) *plan.Plan { return &plan.Plan{AmountOut: u256.From(out), Gas: gas} }
	for _, c := range []struct {
		p, q     *plan.Plan
		gasPrice float64
		want     bool
	}{
		{of(101, 0), of(100, 0), 0, true},
		{of(100, 0), of(100, 0), 0, false},
		{of(101, 20), of(100, 10), 0.09, true},
		{of(101, 20), of(100, 10), 0.11, false},
		{of(99, 10), of(100, 30), 0.1, true},
		{of(100, 10), of(100, 20), 1e-9, true}, // less than a unit counts
	} {
		if got := Better(c.p, c.q, c.gasPrice); got != c.want {
			t.Errorf("%v for %d gas against %v for %d at %g: %v", c.p.AmountOut, c.p.Gas, c.q.AmountOut, c.q.Gas, c.gasPrice, got)
		}
	}
}

// TestRound: a network of equal pools becomes equal shares, and what the plan pays is what
// plan.Run says. Pools that floats fill to the brim are left headroom.
func TestRound(t *testing.T) {
	w := markettest.New(t)
	w.Pool("one", "A", 1e6*e18, "B", 1e6*e18)
	w.Pool("two", "A", 1e6*e18, "B", 1e6*e18)
	s, n := begin(t, w, "A", "B")
	n.Begin(1e4*e18, []flow.Hop{hop(t, s, "A", w, 0)})
	n.Insert([]flow.Hop{hop(t, s, "A", w, 1)})
	n.Shed(flow.Fine)
	p, refused, ok := Round(&s.Problem, n, u256.FromFloat(1e4*e18))
	if !ok || len(refused) > 0 || w.Show(p) != "one A>B 5000, two A>B 5000" {
		t.Fatalf("%s, refused %v, %v", w.Show(p), refused, ok)
	}
	for _, edge := range saturated(n, 1e-4) {
		if edge {
			t.Error("a pool that is nearly empty counts as full")
		}
	}
	n.Edges[0].Supply.Max = n.Edges[0].X
	if full := saturated(n, 1e-4); !full[0] || full[1] || saturated(n, 0) != nil {
		t.Errorf("full are %v", full)
	}
}

// TestLots: a step takes no more than its lots need, and a parallel pool the rest.
func TestLots(t *testing.T) {
	w := markettest.New(t)
	w.Book("book", "A", "B", markettest.Level{1000, 1e3 * e18})
	w.Pool("two", "A", 1e6*e18, "B", 1e6*e18)
	s, _ := begin(t, w, "A", "B")
	amount := u256.FromFloat(1.9e15) // lots are of 1e15
	alone, err := Path(&s.Problem, amount, []flow.Hop{hop(t, s, "A", w, 0)})
	if err != nil {
		t.Fatal(err)
	}
	if p := Lots(&s.Problem, alone); len(p.Steps) != 2 || !p.AmountOut.Gt(alone.AmountOut) {
		t.Errorf("%s pays %v, %s pays %v", w.Show(p), p.AmountOut, w.Show(alone), alone.AmountOut)
	}
}

// TestExchange: a worse pool between the same tokens leaves, and one pool alone wins where
// it pays more.
func TestExchange(t *testing.T) {
	w := markettest.New(t)
	w.Pool("thin", "A", 1e5*e18, "C", 1e5*e18)
	w.Pool("deep", "A", 1e6*e18, "C", 1e6*e18)
	w.Pool("one", "C", 1e6*e18, "B", 1e6*e18)
	w.Pool("alone", "A", 1e6*e18, "B", 1e6*e18)
	s, _ := begin(t, w, "A", "B")
	amount := u256.FromFloat(10 * e18)
	p, err := Path(&s.Problem, amount, []flow.Hop{hop(t, s, "A", w, 0), hop(t, s, "C", w, 2)})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Show(Exchange(&s.Problem, p)); got != "deep A>C 10000, one C>B 10000" {
		t.Error(got)
	}
	if got := w.Show(OnePool(&s.Problem, amount, p)); got != "alone A>B 10000" {
		t.Error(got)
	}
}

// TestSequential: two paths that pass C and D in opposite directions, which no network
// holds.
func TestSequential(t *testing.T) {
	w := markettest.New(t)
	w.Pool("one", "A", 1e7*e18, "C", 1e7*e18)
	w.Pool("one", "A", 1e7*e18, "D", 1e7*e18)
	w.Pool("one", "C", 1e7*e18, "B", 1e7*e18)
	w.Pool("one", "D", 1e7*e18, "B", 1e7*e18)
	w.Pool("two", "C", 1e7*e18, "D", 1.02e7*e18)
	w.Pool("three", "D", 1e2*e18, "C", 1e3*e18)
	s, _ := begin(t, w, "A", "B")
	amount := u256.FromFloat(1e4 * e18)
	first, _ := s.Best(amount.Float(), path.Avoid{})
	alone, err := Path(&s.Problem, amount, first)
	if err != nil {
		t.Fatal(err)
	}
	for _, integers := range []bool{false, true} {
		p, _ := Sequential(s, alone, 0.97, nil, nil, integers)
		if want := "one A>C 9786, two C>D 9786, one D>B 9786, one A>D 214, three D>C 214, one C>B 214"; w.Show(p) != want {
			t.Errorf("integers %v: got  %s\nwant %s", integers, w.Show(p), want)
		}
		if !Better(&p, &alone, s.GasPrice) {
			t.Errorf("%v is no more than %v", p.AmountOut, alone.AmountOut)
		}
	}
}
