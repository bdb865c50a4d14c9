package chain

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// openInMemory connects to providers without a network, so that the clock of a
// synctest bubble advances while requests wait.
func openInMemory(t *testing.T, rate float64, providers ...*provider) *Client {
	t.Helper()
	config := Config{ChainID: 143, Rate: rate}
	network := map[string]pipes{}
	for i, p := range providers {
		listener := make(pipes)
		server := &http.Server{Handler: p}
		go server.Serve(listener)
		t.Cleanup(func() { close(listener); server.Close() })
		host := fmt.Sprintf("node%d:80", i)
		network[host] = listener
		config.URLs = append(config.URLs, "http://"+host)
	}
	config.dialContext = func(ctx context.Context, name, host string) (net.Conn, error) {
		return network[host].dial(ctx, name, host)
	}
	c, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// search reads the logs of blocks 0 to head, and checks that all are there.
func search(t *testing.T, c *Client, head uint64) {
	t.Helper()
	next, found := uint64(0), uint64(0)
	err := c.LogsOf(t.Context(), []common.Address{{1}}, 0, head, []common.Hash{{1}}, func(logs []types.Log, upTo uint64) error {
		for _, l := range logs {
			if l.BlockNumber < next || l.BlockNumber > upTo || l.BlockNumber != 70*found {
				t.Fatalf("log of block %d in the page %d to %d, want %d", l.BlockNumber, next, upTo, 70*found)
			}
			found++
		}
		next = upTo + 1
		return nil
	})
	if err != nil || next != head+1 || found != head/70+1 {
		t.Fatalf("%d logs up to block %d: %v", found, int64(next)-1, err)
	}
}

// A chain of 200 ranges that the provider grants (20,000 blocks where it grants 100)
// is searched in at most 1.1 requests per range, and within 25 requests per second.
func TestPagesPerGrant(t *testing.T) {
	const ranges = 200
	for _, granted := range []uint64{10, 37, 100, 101, 128, 250, 1000, 1001} {
		synctest.Test(t, func(t *testing.T) {
			p := newProvider(t, &provider{maxBlocks: granted, perSecond: 25, head: 1 << 40})
			c := openInMemory(t, 25, p)
			for _, most := range []int{ranges * 110 / 100, ranges * 105 / 100} { // the second search knows what the first has found
				p.pages, p.tooLarge = nil, 0
				search(t, c, ranges*granted-1)
				if requests := len(p.pages) + p.tooLarge; requests > most {
					t.Errorf("%d blocks granted: %d requests for %d ranges, of which %d were refused", granted, requests, ranges, p.tooLarge)
				}
				t.Logf("granted=%d ranges=%d answered=%d refused=%d", granted, ranges, len(p.pages), p.tooLarge)
			}
			if p.refused > 0 {
				t.Errorf("%d requests exceeded the rate limit", p.refused)
			}
		})
	}
}

// With overload answers to 30 % of the requests, in every known form, no page is
// asked for in parts, no batch is split, and no read fails.
func TestPagesUnderOverload(t *testing.T) {
	const blocks, pools, batch = 20_000, 2_000, 100
	for seed := range uint64(5) {
		synctest.Test(t, func(t *testing.T) {
			p := newProvider(t, &provider{maxBlocks: 100, perSecond: 25, head: 2 * blocks, share: 0.3, random: rand.New(rand.NewPCG(seed, 1))})
			for _, name := range slices.Sorted(maps.Keys(overloadAnswers())) {
				p.overloads = append(p.overloads, overloadAnswers()[name])
			}
			began := time.Now()
			c := openInMemory(t, 25, p)
			search(t, c, blocks-1)
			if requests := len(p.pages) + p.tooLarge; requests > 220 {
				t.Errorf("seed %d: %d pages were asked for, of which %d were refused for their size; 220 would do", seed, requests, p.tooLarge)
			}
			var calls []Call
			for i := range pools {
				calls = append(calls, Call{To: common.BytesToAddress([]byte{byte(i >> 8), byte(i), 1}), Gas: maxCallGas / batch})
			}
			before, overloaded := p.asked["eth_call"], p.refused
			results, err := c.Calls(t.Context(), common.Hash{1}, calls)
			if err != nil {
				t.Fatal(err)
			}
			spoiled := 0
			for _, r := range results {
				if !r.OK {
					spoiled++
				}
			}
			answered := p.asked["eth_call"] - before - (p.refused - overloaded)
			if spoiled > 0 || p.single > 0 || answered != pools/batch {
				t.Errorf("seed %d: %d of %d reads failed, %d batches were answered, %d single reads", seed, spoiled, pools, answered, p.single)
			}
			t.Logf("seed %d: %d pages, %d refused for size; %d of %v requests overloaded; %d reads failed, %d split; %s", seed, len(p.pages), p.tooLarge, p.refused, p.asked, spoiled, p.single, time.Since(began))
		})
	}
}

// A node that also limits the logs of an answer is asked for smaller pages where
// there are many, and for the largest again behind them.
func TestPagesByLogs(t *testing.T) {
	const maxBlocks, maxLogs, blocks = 1000, 10_000, 300_000
	random := rand.New(rand.NewPCG(1, 2))
	logs := make([]int, blocks+1) // in the blocks before this one
	for n := range blocks {
		perBlock := 1 // on average
		if n >= blocks/3 && n < blocks*2/3 {
			perBlock = 200
		}
		logs[n+1] = logs[n] + random.IntN(2*perBlock+1)
	}
	var p pager
	requests, refused := 0, 0
	for from := uint64(0); from < blocks; {
		size, _ := p.next()
		upTo := min(from+size, blocks)
		requests++
		if upTo-from > maxBlocks || logs[upTo]-logs[from] > maxLogs {
			p.refused(upTo - from)
			refused++
			continue
		}
		p.answered(upTo - from)
		from = upTo
	}
	ideal := blocks*2/3/maxBlocks + (logs[blocks*2/3]-logs[blocks/3])/maxLogs
	if requests > ideal*14/10 || refused > requests/8 {
		t.Errorf("%d requests, of which %d were refused; %d would do", requests, refused, ideal)
	}
	if size, _ := p.next(); size < maxBlocks*9/10 {
		t.Errorf("pages of %d blocks at the end, %d are granted", size, maxBlocks)
	}
	t.Logf("requests=%d refused=%d ideal=%d", requests, refused, ideal)
}

// Pages are as large as a quorum of nodes answers; a node that does not answer such
// pages is not asked for them again and again.
func TestPagesOfNodes(t *testing.T) {
	const blocks = 200_000
	synctest.Test(t, func(t *testing.T) {
		var nodes []*provider
		for _, granted := range []uint64{100, 1000, 1000} {
			nodes = append(nodes, newProvider(t, &provider{maxBlocks: granted, head: 2 * blocks}))
		}
		search(t, openInMemory(t, 0, nodes...), blocks-1)
		if n := len(nodes[0].pages) + nodes[0].tooLarge; n > 12 {
			t.Errorf("%d requests to the node that grants 100 blocks", n)
		}
		for _, p := range nodes[1:] {
			if requests := len(p.pages) + p.tooLarge; requests > 220 {
				t.Errorf("%d requests to a node that grants 1000 blocks, 200 would do", requests)
			}
		}
	})
}
