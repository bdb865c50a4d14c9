package router

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"braid/market"
	"braid/markettest"
	"braid/u256"
)

// town is a market like the local chain's: 105 tokens, 300 pools of nine
// sources; few hubs, most pools against a hub, depths over four decades.
func town(t testing.TB) (*markettest.World, *market.Snapshot) {
	r := rand.New(rand.NewPCG(1, 2))
	w := markettest.New(t)
	const tokens, hubs = 105, 6
	price := []float64{0.03, 1}
	for i := 2; i < tokens; i++ {
		w.Token(fmt.Sprint("T", i))
		price = append(price, math.Exp(r.NormFloat64()*3))
	}
	add := func(i, j int, usd float64) {
		skew := math.Exp(r.NormFloat64() * 0.002)
		raw := func(t int) float64 { return usd / price[t] * 1e18 }
		source := r.IntN(9)
		w.PoolFee(fmt.Sprint("s", source), []uint64{30, 25, 30, 20}[source%4], w.Tokens[i].Symbol, raw(i)*skew, w.Tokens[j].Symbol, raw(j))
	}
	for i := range hubs {
		for j := range i {
			for range 3 {
				add(i, j, 1e5*math.Exp(r.Float64()*math.Log(50)))
			}
		}
	}
	for i := hubs; i < tokens; i++ {
		add(i, r.IntN(2), 1e4*math.Exp(r.Float64()*math.Log(100)))
	}
	for len(w.Pools) < 300 {
		i := hubs + r.IntN(tokens-hubs)
		j := r.IntN(hubs)
		if r.IntN(8) == 0 {
			j = hubs + r.IntN(tokens-hubs)
		}
		if i != j {
			add(i, j, 1e3*math.Exp(r.Float64()*math.Log(300)))
		}
	}
	return w, w.Snapshot()
}

// townOrders are of 10 to 100,000 dollars between any two tokens.
func townOrders(w *markettest.World, s *market.Snapshot, n int) []Order {
	r := rand.New(rand.NewPCG(3, 4))
	orders := make([]Order, 0, n)
	for len(orders) < n {
		i, j := r.IntN(len(w.Tokens)), r.IntN(len(w.Tokens))
		if r.IntN(2) == 0 {
			i = r.IntN(6)
		}
		if i == j {
			continue
		}
		usd := 10 * math.Exp(r.Float64()*math.Log(1e4))
		amount := usd / s.Price(i).USD
		orders = append(orders, Order{TokenIn: w.Tokens[i].Address, TokenOut: w.Tokens[j].Address, AmountIn: u256.FromFloat(amount)})
	}
	return orders
}

func BenchmarkFind(b *testing.B) {
	w, s := town(b)
	orders := townOrders(w, s, 1000)
	b.ReportAllocs()
	var times []time.Duration
	steps, n := 0, 0
	for b.Loop() {
		start := time.Now()
		p, err := Find(s, orders[n%len(orders)])
		times = append(times, time.Since(start))
		if err != nil {
			b.Fatal(err)
		}
		steps += len(p.Steps)
		n++
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-median")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "µs-p99")
	b.ReportMetric(float64(times[len(times)-1].Microseconds()), "µs-worst")
	b.ReportMetric(float64(steps)/float64(n), "steps")
}
