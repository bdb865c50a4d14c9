package indexer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"braid/monad"
	"braid/venue/nadfun"
	"braid/venue/univ2"
)

// The metrics count usable pools by source, and idle ones by source and reason.
func TestPoolMetrics(t *testing.T) {
	w := newFixtureWith(t, 0, univ2.New(monad.Sources()), nadfun.New(monad.Sources(), monad.WrappedNative))
	factory, a, b := w.unpaired()
	w.mine(w.tx(factory, pack("createPair(address,address)", a[:], b[:])))
	s := w.awaitHead()
	waiting := w.waiting("no liquidity")

	usable, idle, total := map[string]float64{}, map[string]float64{}, 0.0
	families, err := w.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			n := m.GetGauge().GetValue()
			switch label := m.GetLabel(); f.GetName() {
			case "braid_market_pools":
				usable[label[0].GetValue()] = n
				total += n
			case "braid_market_idle_pools": // labels are in the order of their names
				idle[label[1].GetValue()+": "+label[0].GetValue()] = n
				total += n
			}
		}
	}
	if total != float64(len(s.Pools())) || usable["NadFun"] != 5 || len(usable) != 10 {
		t.Errorf("of %d pools: %v", len(s.Pools()), usable)
	}
	want := map[string]float64{"NadFun: locked at its target": 1, "NadFun: graduated": 1}
	if diff := cmp.Diff(want, idle); diff != "" {
		t.Error(diff)
	}
	if waiting != 1 {
		t.Errorf("%v pools wait for liquidity", waiting)
	}
}
