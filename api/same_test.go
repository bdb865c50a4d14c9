package api

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"braid/market"
)

// TestSameAnswer: what is answered depends on the order and the snapshot alone, not on
// what was asked before. Orders are asked of services that have answered nothing, and
// in random sequences, by several clients at once, of services that have.
func TestSameAnswer(t *testing.T) {
	for _, snap := range []*market.Snapshot{testMarket(t), arbitrageMarket(t)} {
		fresh := func() service {
			return serve(t, func(c *Config) { c.Head = func() *market.Snapshot { return snap } })
		}
		rng := rand.New(rand.NewPCG(6, 6))
		var orders, want []string
		for len(orders) < 60 {
			in, out, amount := randomOrder(rng)
			if in == out {
				continue
			}
			order := "/api/v1/quote" + params("tokenIn", in, "tokenOut", out, "amount", amount) + []string{"", "&include=meta,why", "&maxHops=2", "&maxSteps=3"}[rng.IntN(4)]
			orders, want = append(orders, order), append(want, answered(fresh(), order))
		}
		warm := fresh()
		var clients sync.WaitGroup
		for range 3 {
			sequence := rng.Perm(len(orders))
			clients.Go(func() {
				for _, i := range sequence {
					if got := answered(warm, orders[i]); got != want[i] {
						t.Errorf("%s\nalone %.400s\nafter others %.400s", orders[i], want[i], got)
					}
				}
			})
		}
		clients.Wait()
	}
}

// answered is all of an answer that is no matter of time.
func answered(s service, path string) string {
	a := s.get(path, "X-Request-Id", "same")
	return fmt.Sprint(a.status, a.header.Get("X-Warnings"), string(a.raw))
}
