package router

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/rival"
	"braid/u256"
)

// BenchmarkRivals routes the orders of BenchmarkFind as others do. behind is
// how much less they pay than Find, net of gas, on average and at worst;
// beaten counts orders of which they pay more.
func BenchmarkRivals(b *testing.B) {
	w, s := town(b)
	orders := townOrders(w, s, 100)
	ours := make([]float64, len(orders))
	for i, o := range orders {
		p, err := Find(s, o)
		if err != nil {
			b.Fatal(err)
		}
		ours[i] = rival.Answer{Out: p.AmountOut, Gas: p.Gas}.Net(s, o.TokenOut)
	}
	for _, r := range []struct {
		name  string
		route func(*market.Snapshot, common.Address, common.Address, u256.Int) (rival.Answer, bool)
	}{{"single-path", rival.Single}, {"grid", rival.Grid}, {"chunks", rival.Chunks}} {
		b.Run(r.name, func(b *testing.B) {
			sum, worst, beaten, n := 0.0, 0.0, 0, 0
			for b.Loop() {
				i := n % len(orders)
				o := &orders[i]
				a, ok := r.route(s, o.TokenIn, o.TokenOut, o.AmountIn)
				if !ok {
					b.Fatalf("order %d: no way", i)
				}
				behind := 1e4 * (1 - a.Net(s, o.TokenOut)/ours[i])
				sum, worst, n = sum+behind, max(worst, behind), n+1
				if behind < -1e-9 {
					beaten++
				}
			}
			b.ReportMetric(sum/float64(n), "bps-behind")
			b.ReportMetric(worst, "bps-worst")
			b.ReportMetric(float64(beaten)/float64(n), "beaten")
		})
	}
}
