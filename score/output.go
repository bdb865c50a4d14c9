package score

import (
	"fmt"

	"braid/market"
	"braid/router"
	"braid/u256"
)

// Tight is how close router.FindOutput comes to the least amounts in.
type Tight struct {
	Orders int
	Deep   int       // orders left out, because their price impact is maxDeepBps or more
	Loose  int       // orders of which a fresh search pays enough for a millionth and a unit less
	Excess Quantiles // bps by which an amount in could be lower and a fresh search pay enough, of those tried
	Ratio  Quantiles // CPU time in searches for the amount that was found
}

func (t Tight) String() string {
	return fmt.Sprintf("orders=%d deep=%d loose=%d excess_bps_p99=%.4f excess_bps_worst=%.4f searches_median=%.2f searches_p99=%.2f",
		t.Orders, t.Deep, t.Loose, t.Excess.P99, t.Excess.Worst, t.Ratio.Median, t.Ratio.P99)
}

// maxDeepBps is the price impact from which orders are not judged: /swap refuses them,
// and where pools are nearly used up, what a search finds varies by more than the amount.
const maxDeepBps = 5000

// excesses are the parts, in bps, by which amounts are lowered to see whether they
// still pay enough.
var excesses = []float64{0.01, 0.03, 0.1, 0.3, 1}

// JudgeOutput asks for what each order pays, and holds the amounts in that are found to
// searches below them.
func JudgeOutput(s *market.Snapshot, orders []router.Order) (t Tight, err error) {
	var over, ratios []float64
	for i, o := range orders {
		want, err := router.Find(s, o)
		if err != nil {
			continue
		}
		if want.ImpactBps() >= maxDeepBps {
			t.Deep++
			continue
		}
		began := cpuTime()
		p, err := router.FindOutput(s, o, want.AmountOut)
		took := cpuTime() - began
		if err != nil {
			return t, fmt.Errorf("order %d: %w", i, err)
		}
		if p.AmountOut.Lt(want.AmountOut) {
			return t, fmt.Errorf("order %d pays %s, not %s", i, p.AmountOut, want.AmountOut)
		}
		o.AmountIn = p.AmountIn
		if _, err := Replay(s, o, p.Steps, p.AmountOut); err != nil {
			return t, fmt.Errorf("order %d: %w", i, err)
		}
		once := answer(s, o, router.Find)
		excess := 0.0
		for _, bps := range excesses {
			o.AmountIn = u256.FromFloat(p.AmountIn.Float() * (1 - bps/1e4)).Sub(u256.One)
			if less, err := router.Find(s, o); err == nil && !less.AmountOut.Lt(want.AmountOut) {
				excess = bps
			}
		}
		if t.Orders++; excess > 0 {
			t.Loose++
		}
		over = append(over, excess)
		ratios = append(ratios, float64(took)/float64(max(once.CPU, 1)))
	}
	t.Excess, t.Ratio = QuantilesOf(over), QuantilesOf(ratios)
	return t, nil
}
