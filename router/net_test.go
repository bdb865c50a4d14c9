package router

import "testing"

// A path that joins pays more than its first token is worth. Were that left to
// a deep pool, it would trade any number of orders at the values.
func TestValuesOfANewPath(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"C", "D"} {
		w.pool("deep", "A", 1e9*e18, name, 1e9*e18)
		w.pool("thin", name, 1e3*e18, "B", 1e3*e18)
	}
	o := w.order("A", 100*e18, "B")
	f, err := newFinder(w.snapshot(), o, true)
	if err != nil {
		t.Fatal(err)
	}
	defer f.release()
	path, ok := f.alone(o.AmountIn.Float())
	if !ok {
		t.Fatal("no path")
	}
	n := &f.net
	n.amount = o.AmountIn.Float()
	n.add(path, f.pools)
	n.order()
	n.solve(rough)
	f.price(n.amount * n.nodes[source].v / 4)
	if len(f.columns) == 0 || !n.add(f.trace(&f.columns[0]), f.pools) {
		t.Fatal("no second path joins")
	}
	n.newton.grow(len(n.nodes))
	n.evaluate()
	for i := range n.legs {
		if l := &n.legs[i]; l.x > 2*n.amount {
			t.Errorf("%s would take %.0f times the order", w.ids[l.pool.Info().ID], l.x/n.amount)
		}
	}
}
