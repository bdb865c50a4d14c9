package score_test

import (
	"fmt"
	"runtime"
	"testing"

	"braid/router"
	"braid/score"
	"braid/venuetest"
)

// TestOutput measures amounts in that are found for amounts out, a line a set. make
// output sets the sizes.
func TestOutput(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := score.Sized(int(venuetest.Setting(t, "POOLS", 200)), venuetest.Setting(t, "SEED", 1))
	m, s := generated(t, c)
	for _, set := range sets() {
		n := int(venuetest.Setting(t, "ORDERS", 24))
		if set == "impact" {
			n = min(n, 54)
		}
		trades, err := m.Orders(s, set, n, c.Seed)
		if err != nil {
			t.Fatal(err)
		}
		var orders []router.Order
		for i := range trades {
			orders = append(orders, order(t, s, &trades[i], router.DefaultMaxSteps))
		}
		got, err := score.JudgeOutput(s, orders)
		if err != nil {
			t.Fatalf("%s: %v", set, err)
		}
		fmt.Printf("pools=%d seed=%d set=%s %s\n", len(s.Pools()), c.Seed, set, got)
		if got.Loose*100 > got.Orders || got.Excess.Worst > 0.1 {
			t.Errorf("%s: not tight", set)
		}
	}
}
