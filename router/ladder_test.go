package router

import (
	"fmt"
	"testing"

	"braid/markettest"
)

// TestDeepConnector: a large order finds the one deep way among a hundred shallow ones
// that pay more for the first unit, whichever stage looks for it.
func TestDeepConnector(t *testing.T) {
	w := markettest.New(t)
	w.Pool("direct", "NATIVE", 1e22, "USD", 1e22)
	for i := range 100 {
		name := fmt.Sprint("T", i)
		w.PoolFee("shallow", 5, "NATIVE", 1e21, name, 1e21)
		w.PoolFee("shallow", 5, name, 1e21, "USD", 1e21)
	}
	w.PoolFee("deep", 100, "NATIVE", 1e25, "DEEP", 1e25)
	w.PoolFee("deep", 100, "DEEP", 1e25, "USD", 1e25)
	s := w.Snapshot()
	o := order(w, "NATIVE", 1e24, "USD")
	for _, find := range []string{"", "ladder"} {
		for _, steps := range []int{2, 8, 32} {
			o.MaxSteps = steps
			p, err := FindWithout(s, o, find)
			if err != nil || p.AmountOut.Float() < 0.8e24 {
				t.Errorf("without %q: %d steps pay %v: %s, %v", find, steps, p.AmountOut, w.Show(p), err)
			}
		}
	}
}
