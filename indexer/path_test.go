package indexer

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
)

// Of the recent states most are dropped, but of each of the last blocks there is a
// state less than maxGap below on its branch, as far as blocks are kept, and how
// blocks lie to each other is known as if all states were. Without reorgs so many
// blocks are kept that each of the last Keep has such a state.
func TestRecentStates(t *testing.T) {
	const keep, blocks = 32, 400
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		recent := recentStates{max: keep, byHash: map[common.Hash]*state{}, blocks: map[common.Hash]market.Block{}}
		start := 1000 + r.Uint64N(10)
		all := []market.Block{{Number: start, Hash: common.Hash{1}}}
		parents, tip := map[common.Hash]market.Block{}, all[0]
		add := func(b market.Block) {
			s := &state{Snapshot: market.New(market.Chain{})}
			s.Snapshot, _ = s.Next(b, nil, nil)
			recent.add(s)
		}
		add(tip)
		for i := range blocks {
			if seed%4 > 0 && r.IntN(20) == 0 { // a reorg
				for range min(r.IntN(10), int(tip.Number-start)) {
					tip = parents[tip.Hash]
				}
			}
			parents[common.Hash{2, byte(i >> 8), byte(i)}] = tip
			tip = market.Block{Number: tip.Number + 1, Hash: common.Hash{2, byte(i >> 8), byte(i)}, Parent: tip.Hash}
			all = append(all, tip)
			add(tip)
			checkRecent(t, &recent, parents, tip, start, seed%4 == 0)
			if other := all[len(all)-1-r.IntN(min(len(all), keep/2))]; recent.forked(tip, other) != forks(parents, tip, other) {
				t.Fatalf("seed %d: forked from %d to %d: %v", seed, other.Number, tip.Number, recent.forked(tip, other))
			}
		}
		if n := len(recent.byHash); n > keep/2 {
			t.Errorf("seed %d: %d states are kept of %d blocks", seed, n, len(recent.blocks))
		}
	}
}

// forks is recentStates.forked by all blocks.
func forks(parents map[common.Hash]market.Block, a, b market.Block) bool {
	for a.Number > b.Number {
		a = parents[a.Hash]
	}
	return a.Hash != b.Hash
}

func checkRecent(t *testing.T, recent *recentStates, parents map[common.Hash]market.Block, tip market.Block, start uint64, straight bool) {
	t.Helper()
	for depth, b := 0, tip; depth < recent.max && b.Number > start; depth, b = depth+1, parents[b.Hash] {
		gap, at := 0, b
		for recent.byHash[at.Hash] == nil && gap < maxGap && at.Number > start {
			gap, at = gap+1, parents[at.Hash]
		}
		_, known := recent.blocks[at.Hash]
		if gap == maxGap && (known || straight) || gap > 0 && depth < maxDense && straight {
			t.Fatalf("block %d of %d: the next state is %d below", b.Number, tip.Number, gap)
		}
	}
	s := &state{Snapshot: market.New(market.Chain{})}
	s.Snapshot, _ = s.Next(tip, nil, nil)
	settled := recent.settledAncestor(s)
	switch {
	case settled == nil && straight && tip.Number >= start+uint64(recent.max/2):
		t.Fatalf("block %d has no settled ancestor", tip.Number)
	case settled == nil:
	case settled.Block().Number+uint64(recent.max/2) > tip.Number || settled.Block().Number+uint64(recent.max/2+maxGap) < tip.Number,
		forks(parents, tip, settled.Block()):
		t.Fatalf("block %d: settled block %d", tip.Number, settled.Block().Number)
	}
}
