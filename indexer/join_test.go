package indexer_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"braid/families"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

func everyFamily(sources []venue.Source) []venue.Family {
	return families.Of(sources, monad.WrappedNative)
}

// sameSnapshots compares two snapshots of one block, pool by pool: their encodings,
// and their quotes before and after a round trip through the encoding. It gives
// the number of pools.
func sameSnapshots(t testing.TB, a, b *market.Snapshot) int {
	t.Helper()
	if a.Block().Hash != b.Block().Hash {
		t.Fatalf("markets of blocks %d and %d", a.Block().Number, b.Block().Number)
	}
	storers := everyFamily(monad.Sources())
	write := func(p venue.Pool) (data []byte, again venue.Pool) {
		for _, f := range storers {
			if data = f.(venue.Storer).Save(p); data == nil {
				continue
			}
			again, err := f.(venue.Storer).Restore(data)
			if err != nil {
				t.Fatalf("pool %s is not restored: %v", p.Info().ID, err)
			}
			if _, err := f.(venue.Storer).Restore(data[:len(data)-1]); err == nil {
				t.Errorf("pool %s is restored from a part", p.Info().ID)
			}
			return data, again
		}
		return nil, nil
	}
	faults := 0
	for _, p := range a.Pools() {
		info := p.Info()
		q, ok := b.Pool(info.ID)
		if !ok && venue.Idle(p) != "" {
			continue // one that once held liquidity stays in the market of who has seen it
		}
		if !ok {
			t.Errorf("%s pool %s is in one market only", info.Source.ID, info.ID)
			continue
		}
		x, again := write(p)
		y, _ := write(q)
		if x == nil || !bytes.Equal(x, y) || !samePools(p, q) || !samePools(p, again) {
			if faults++; faults < 10 {
				t.Errorf("block %d: %s pool %s:\n%x\n%x", a.Block().Number, info.Source.ID, info.ID, x, y)
			}
		}
	}
	for _, q := range b.Pools() {
		if _, ok := a.Pool(q.Info().ID); !ok && venue.Idle(q) == "" {
			t.Errorf("%s pool %s is in one market only", q.Info().Source.ID, q.Info().ID)
		}
	}
	return len(a.Pools())
}

// samePools tells whether two pools give the same quotes for amounts of 1 to 2^128,
// and the same prices and depths.
func samePools(p, q venue.Pool) bool {
	n := len(p.Info().Tokens)
	for i := range n * n {
		in, out := i/n, i%n
		if in == out {
			continue
		}
		for bit := uint(0); bit < 128; bit += 5 {
			amount := u256.One.Lsh(bit).Add(u256.From(uint64(bit)))
			a, errA := p.Quote(in, out, amount)
			b, errB := q.Quote(in, out, amount)
			if a != b || errA != errB {
				return false
			}
		}
		if p.Spot(in, out) != q.Spot(in, out) || p.Depth(in) != q.Depth(in) {
			return false
		}
	}
	return cmp.Equal(p.Info(), q.Info()) && cmp.Equal(p.Call(0, 1), q.Call(0, 1))
}

// TestJoinIsFollowing: for every pool, the state read at a block equals the state
// from following its logs since its creation, and stays equal.
func TestJoinIsFollowing(t *testing.T) {
	t.Parallel()
	b := newBusyChain(t, 7)
	for range venuetest.Setting(t, "BLOCKS", 80) {
		b.block()
	}
	late := indexer.New(indexer.Config{
		Node: dial(t, b.chain.URL()), Families: everyFamily(monad.Sources()), Sources: monad.Sources(),
		Start: market.New(monad.Chain()), Listed: monad.Tokens(), Keep: 8,
	})
	run(t, late)
	b.admitAll(b.index)
	b.admitAll(late)
	s := await(t, late, b.chain.Head().Hash())
	n, kinds := sameSnapshots(t, b.awaitHead(), s), map[string]int{}
	for _, p := range s.Pools() {
		kinds[p.Info().Source.Family]++
	}
	if len(kinds) != 7 {
		t.Errorf("kinds joined: %v", kinds)
	}
	for range 20 {
		b.block()
	}
	b.admitAll(b.index)
	b.admitAll(late)
	sameSnapshots(t, b.awaitHead(), await(t, late, b.chain.Head().Hash()))
	t.Logf("%d pools alike", n)
}
