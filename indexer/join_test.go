package indexer_test

import (
	"bytes"
	"testing"

	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/venue"
	"braid/venue/balancer"
	"braid/venue/hanji"
	"braid/venue/kuru"
	"braid/venue/nadfun"
	"braid/venue/univ2"
	"braid/venue/univ3"
	"braid/venue/univ4"
)

func everyFamily(sources []venue.Source) []venue.Family {
	wrapped := monad.WrappedNative
	return []venue.Family{
		univ2.New(sources), univ3.New(sources), univ4.New(sources, wrapped), balancer.New(sources),
		kuru.New(sources, wrapped), hanji.New(sources, wrapped), nadfun.New(sources, wrapped),
	}
}

// same holds two markets of one block to each other, pool by pool, by all that
// is ever written down of a pool. It says how many pools there are.
func same(t *testing.T, a, b *market.Snapshot) int {
	t.Helper()
	if a.Block().Hash != b.Block().Hash {
		t.Fatalf("markets of blocks %d and %d", a.Block().Number, b.Block().Number)
	}
	joiners := everyFamily(monad.Sources())
	write := func(p venue.Pool) []byte {
		for _, f := range joiners {
			if data := f.(venue.Joiner).Save(p); data != nil {
				return data
			}
		}
		return nil
	}
	faults := 0
	for _, p := range a.Pools() {
		info := p.Info()
		q, ok := b.Pool(info.ID)
		if !ok {
			t.Errorf("%s pool %s is in one market only", info.Source.ID, info.ID)
			continue
		}
		if x, y := write(p), write(q); x == nil || !bytes.Equal(x, y) {
			if faults++; faults < 10 {
				t.Errorf("block %d: %s pool %s:\n%x\n%x", a.Block().Number, info.Source.ID, info.ID, x, y)
			}
		}
	}
	if len(a.Pools()) != len(b.Pools()) || len(a.Tokens()) != len(b.Tokens()) {
		t.Errorf("%d pools and %d tokens, or %d and %d", len(a.Pools()), len(a.Tokens()), len(b.Pools()), len(b.Tokens()))
	}
	return len(a.Pools())
}

// TestJoinIsFollowing: of every pool, what is read at a block is what following
// it from its birth has made of it, and goes on so.
func TestJoinIsFollowing(t *testing.T) {
	b := newBusy(t, 7)
	for range setting(t, "BLOCKS", 80) {
		b.block()
	}
	for round := range 2 {
		late := indexer.New(indexer.Config{
			Node: dial(t, b.chain.URL()), Families: everyFamily(monad.Sources()), Sources: monad.Sources(),
			Start: market.New(monad.Chain()), Listed: monad.Tokens(), Keep: 8,
		})
		run(t, late)
		s := await(t, late, b.chain.Head().Hash())
		n := same(t, b.settle(), s)
		kinds := map[string]int{}
		for _, p := range s.Pools() {
			kinds[p.Info().Source.Family]++
		}
		if len(kinds) != 7 {
			t.Errorf("kinds joined: %v", kinds)
		}
		for range 20 {
			b.block()
		}
		same(t, b.settle(), await(t, late, b.chain.Head().Hash()))
		t.Logf("round %d: %d pools alike", round, n)
	}
}
