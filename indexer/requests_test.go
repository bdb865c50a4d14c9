package indexer_test

import (
	"fmt"
	"testing"
	"time"

	"braid/chain"
	"braid/faults"
	"braid/indexer"
	"braid/market"
	"braid/monad"
)

// With a subscription the market is followed with at most 1.5 requests a block and
// node, while each block, one in 300 ms, has swaps. Where the nodes announce states,
// the state of the snapshot's block is known.
func TestFollowRequests(t *testing.T) {
	const blocks, blockTime = 40, 300 * time.Millisecond
	for _, c := range []struct {
		nodes  int
		states bool
	}{{1, false}, {1, true}, {3, false}, {3, true}} {
		t.Run(fmt.Sprintf("nodes=%d states=%v", c.nodes, c.states), func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, 0)
			var proxies []*faults.Proxy
			var urls []string
			for range c.nodes {
				p, err := faults.Start(faults.Config{Node: w.chain.URL(), States: c.states})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(p.Close)
				proxies, urls = append(proxies, p), append(urls, p.URL())
			}
			node, err := chain.Open(t.Context(), chain.Config{URLs: urls, ChainID: monad.ChainID})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(node.Close)
			x := indexer.New(indexer.Config{
				Node: node, Families: w.families, Start: market.New(monad.Chain()), Listed: monad.Tokens(), FirstBlock: 1_000_000,
			})
			run(t, x)
			pools := await(t, x, w.chain.Head().Hash()).Pools()
			time.Sleep(2 * time.Second) // until the subscriptions are there
			before := make([]int, c.nodes)
			for i, p := range proxies {
				before[i] = p.Requests()
			}
			began, tick := time.Now(), time.NewTicker(blockTime)
			defer tick.Stop()
			known := 0
			for i := range blocks {
				<-tick.C
				w.mine(w.transferAndSync(pools[i%10], 1000)...)
				await(t, x, w.chain.Head().Hash())
				if x.Health().State != chain.StateUnknown {
					known++
				}
			}
			slots := max(blocks, time.Since(began).Seconds()/blockTime.Seconds()) // more than blocks on a machine that is too slow
			for i, p := range proxies {
				requests := float64(p.Requests()-before[i]) / slots
				if requests > 1.5 {
					t.Errorf("node %d: %.2f requests a block", i, requests)
				}
				fmt.Printf("follow: nodes=%d states=%v node=%d requests_per_block=%.2f states_known=%d of %d\n", c.nodes, c.states, i, requests, known, blocks)
			}
			if c.states && known < blocks/2 || !c.states && known > 0 {
				t.Errorf("the state of %d of %d blocks is known", known, blocks)
			}
		})
	}
}
