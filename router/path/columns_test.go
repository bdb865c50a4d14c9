package path

import (
	"testing"

	"braid/markettest"
	"braid/router/flow"
)

// A path that joins pays more than its first token is worth. Were that left to
// a deep pool, it would trade any number of orders at the prices.
func TestPricesOfANewPath(t *testing.T) {
	const e18 = 1e18
	w := markettest.New(t)
	for _, name := range []string{"C", "D"} {
		w.Pool("deep", "A", 1e9*e18, name, 1e9*e18)
		w.Pool("thin", name, 1e3*e18, "B", 1e3*e18)
	}
	snapshot := w.Snapshot()
	budget := &flow.Budget{Limit: 10_000}
	s := NewSearch(snapshot, w.Names["A"], w.Names["B"], Limits{MaxHops: 5, MaxSteps: 32}, budget)
	defer s.Release()
	first, _ := s.Best(100*e18, Avoid{})
	if first == nil {
		t.Fatal("no path")
	}
	n := &flow.Network{GasPrice: s.GasPrice, Budget: budget}
	n.Reset(len(snapshot.Tokens()), len(snapshot.Pools()), s.In, s.Out)
	n.Begin(100*e18, first)
	columns, _, _ := s.price(n, look{chunk: n.Value() / 4}, nil)
	if len(columns) == 0 || !n.Add(s.trace(&columns[0])) {
		t.Fatal("no second path joins")
	}
	n.Evaluate()
	for i := range n.Edges {
		if e := &n.Edges[i]; e.X > 2*n.Amount {
			t.Errorf("%s would take %.0f times the order", w.IDs[snapshot.Pools()[e.Pool].Info().ID], e.X/n.Amount)
		}
	}
}
