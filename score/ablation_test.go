package score_test

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"braid/market"
	"braid/plan"
	"braid/router"
	"braid/score"
	"braid/venuetest"
)

// variants are the router and what it is without a part.
func variants() []score.Variant {
	with := func(change func(*router.Order)) func(*market.Snapshot, router.Order) (plan.Plan, error) {
		return func(s *market.Snapshot, o router.Order) (plan.Plan, error) {
			change(&o)
			return router.Find(s, o)
		}
	}
	list := []score.Variant{
		{Name: "full", Find: router.Find},
		{Name: "single path", Find: router.Single},
		{Name: "3 hops", Find: with(func(o *router.Order) { o.MaxHops = 3 })},
		{Name: "8 steps", Find: with(func(o *router.Order) { o.MaxSteps = 8 })},
		{Name: "half the budget", Find: with(func(o *router.Order) { o.Budget = max(1, o.MaxSteps) * router.DefaultBudget / 2 })},
	}
	for _, stage := range router.Stages() {
		list = append(list, score.Variant{Name: "without " + stage, Find: func(s *market.Snapshot, o router.Order) (plan.Plan, error) {
			return router.FindWithout(s, o, stage)
		}})
	}
	return list
}

// arbitrage is the noise of markets that hold arbitrage, hostile the fraction of pools out
// of line in markets that somebody attacks.
const arbitrage, hostile = 0.001, 0.1

// TestAblation prints what each variant loses, on markets of POOLS (numbers separated
// by spaces) pools, sane, with arbitrage and with pools out of line, for retail and large orders. make
// ablation sets the sizes; without it the market is small. The full router loses
// nothing to itself, and a single path loses something.
func TestAblation(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	seed, n := venuetest.Setting(t, "SEED", 1), int(venuetest.Setting(t, "ORDERS", 24))
	markets := strings.Fields(cmp.Or(os.Getenv("MARKETS"), "sane arbitrage"))
	fmt.Println("| market | orders | variant | bps lost: median | mean | p99 | worst | most gained | refused | time |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, pools := range sizes(t) {
		for _, kind := range []struct {
			name             string
			noise, outOfLine float64
		}{{"sane", 0, 0}, {"arbitrage", arbitrage, 0}, {"hostile", 0, hostile}} {
			if !slices.Contains(markets, kind.name) {
				continue
			}
			c := score.Sized(pools, seed)
			c.Noise, c.OutOfLine = kind.noise, kind.outOfLine
			m, s := generated(t, c)
			for _, set := range []string{"retail", "large"} {
				trades, err := m.Orders(s, set, n, seed)
				if err != nil {
					t.Fatal(err)
				}
				var orders []router.Order
				for i := range trades {
					orders = append(orders, order(t, s, &trades[i], router.DefaultMaxSteps))
				}
				losses, err := score.Ablate(s, orders, variants())
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range losses {
					fmt.Printf("| %d %s | %d %s | %s | %.4f | %.4f | %.3f | %.3f | %.3f | %d | %.2f |\n",
						pools, kind.name, n, set, l.Name, l.Bps.Median, l.Bps.Mean, l.Bps.P99, l.Bps.Worst, l.Gain, l.Refused, l.Time)
				}
				if full, single := losses[0], losses[1]; full.Bps.Worst != 0 || full.Gain != 0 || full.Time != 1 || !(single.Bps.Mean > 0) {
					t.Errorf("%d pools, %s, %s: the full router against itself %+v, a single path %+v", pools, kind.name, set, full, single)
				}
			}
		}
	}
}

func sizes(t *testing.T) (list []int) {
	for _, text := range strings.Fields(os.Getenv("POOLS")) {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("POOLS: %q is not a number", text)
		}
		list = append(list, n)
	}
	if list == nil {
		list = []int{300}
	}
	return list
}
