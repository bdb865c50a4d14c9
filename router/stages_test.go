package router

import (
	"math/rand/v2"
	"testing"

	"braid/markettest"
	"braid/plan"
)

// TestFindWithout: whichever stage is left out, plans stay valid; without none they stay
// the same, and without the ones that act on most small markets they do not.
func TestFindWithout(t *testing.T) {
	differ := map[string]int{}
	r := rand.New(rand.NewPCG(21, 22))
	for market := range 60 {
		w := markettest.Random(t, r, 3+r.IntN(7), 10+r.IntN(40), []float64{0.001, 0.3}[market%2])
		s := w.Snapshot()
		for range 10 {
			o := randomOrder(w, r)
			o.MaxSteps = []int{0, 2, 4}[r.IntN(3)]
			p, err := Find(s, o)
			if err != nil {
				continue
			}
			if q, err := FindWithout(s, o, "no such stage"); err != nil || p.AmountOut != q.AmountOut || w.Show(p) != w.Show(q) {
				t.Fatalf("%s with all stages, not %s: %v", w.Show(q), w.Show(p), err)
			}
			for _, stage := range Stages() {
				q, err := FindWithout(s, o, stage)
				if err != nil {
					differ[stage]++ // an order that only a split carries
					continue
				}
				again, err := plan.Run(o.TokenIn, o.TokenOut, o.AmountIn, q.Steps)
				if err != nil || again.AmountOut != q.AmountOut || o.MaxSteps > 0 && len(q.Steps) > o.MaxSteps {
					t.Fatalf("without %s: %s pays %v, and not %v in at most %d steps: %v", stage, w.Show(q), again.AmountOut, q.AmountOut, o.MaxSteps, err)
				}
				if w.Show(p) != w.Show(q) {
					differ[stage]++
				}
			}
		}
	}
	t.Log(differ)
	for _, stage := range []string{stageSplit, "grow", "refill"} {
		if differ[stage] == 0 {
			t.Errorf("%s makes no difference", stage)
		}
	}
}
