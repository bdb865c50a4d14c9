package indexer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"braid/venuetest"
)

// staleAfter is the age from which on the service does not quote; slack is what a
// busy machine adds.
const (
	staleAfter = 5 * time.Second
	slack      = 2 * time.Second
)

// TestSoak follows a busy chain with reorgs through three faulty nodes, one of which
// is Byzantine, and compares all published snapshots with the chain. The
// environment variables BLOCKS, REORGS and SEED set its length and its random
// choices.
func TestSoak(t *testing.T) {
	blocks, reorgs, seed := int(venuetest.Setting(t, "BLOCKS", 100)), int(venuetest.Setting(t, "REORGS", 6)), venuetest.Setting(t, "SEED", 1)
	b := newBusyChain(t, seed)
	r := newRig(t, b, seed)
	a := newQuoteChecker(t, b.chain.URL(), seed)
	a.ignoreGas = true

	const deepest = 5
	made := b.chain.Head().Number.Uint64() // the blocks that created the venues are not replaced
	when := rand.New(rand.NewPCG(seed, 13)).Perm(max(0, blocks-deepest))
	when = when[:min(reorgs, len(when))]
	for n := range blocks {
		if slices.Contains(when, n-deepest) {
			from := b.chain.Head().Hash()
			depth := min(1+b.random.IntN(deepest), int(b.chain.Head().Number.Uint64()-made))
			b.reorg(depth)
			r.recordDropped(from, depth)
		} else {
			b.block()
		}
		r.recordBlocks()
		r.pace()
		if (n+1)%auditEvery == 0 || n+1 == blocks {
			s := await(t, r.index, b.chain.Head().Hash())
			a.check(t, s)
			r.wrong.Add(int64(a.mismatches))
			a.mismatches = 0
			r.compare(s, b.awaitHead())
			t.Logf("block %d: %d published, %d wrong", n+1, r.published.Load(), r.wrong.Load())
		}
	}
	b.mine()            // at least one block comes after the last check
	b.admitAll(b.index) // and one more for each time that a pool still waits
	b.admitAll(r.index)
	r.recordBlocks()
	ours, direct := await(t, r.index, b.chain.Head().Hash()), b.awaitHead()
	r.contains("directly", direct, ours)
	r.contains("by the faulty nodes", ours, direct)
	pools := len(r.index.Head().Pools())
	r.close()
	faultCount := 0
	for _, p := range r.proxies {
		for _, n := range p.Counts() {
			faultCount += n
		}
		t.Logf("faults: %v", p.Counts())
	}
	fmt.Printf("blocks=%d reorgs=%d faults=%d pools=%d wrong=%d resyncs=%v p50ms=%.1f seed=%d published=%d compared=%d checks=%d\n",
		blocks, len(when), faultCount, pools, r.wrong.Load(), r.metric("resyncs_total"), r.median(), seed, r.published.Load(), r.compared, a.swaps)
	if r.wrong.Load() > 0 {
		t.Errorf("%d wrong", r.wrong.Load())
	}
	if faultCount < blocks {
		t.Errorf("only %d faults in %d blocks", faultCount, blocks)
	}
}
