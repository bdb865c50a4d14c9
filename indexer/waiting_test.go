package indexer

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venue/univ4"
)

// newTestIndexer has no node: it builds states of logs and findings alone.
func newTestIndexer(t testing.TB, families ...venue.Family) (*Indexer, *state) {
	x := New(Config{Families: families, Sources: monad.Sources(), Start: market.New(monad.Chain()), Listed: monad.Tokens(), Keep: 16})
	root, err := x.emptyState()
	if err != nil {
		t.Fatal(err)
	}
	root.Snapshot, err = root.Next(market.Block{Hash: common.Hash{1}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	x.tip = root // as if it was published: no block waits for tokens
	return x, root
}

// testBlock is a block of a made-up chain.
type testBlock struct {
	market.Block
	parent *testBlock
	logs   []types.Log
}

// build is the state after a block.
func (x *Indexer) build(t testing.TB, parent *state, b *testBlock) *state {
	x.takeFindings(parent.Block())
	changes := x.newChangeset(parent)
	for i := range b.logs {
		x.applyLog(changes, &b.logs[i])
	}
	s, err := x.buildState(t.Context(), changes, b.Block, b.Hash)
	if err != nil {
		t.Fatal(err)
	}
	x.addState(s)
	return s
}

// describeState is all that a state holds, in its order.
func describeState(x *Indexer, s *state) string {
	var text bytes.Buffer
	for _, p := range s.Pools() {
		fmt.Fprintf(&text, "pool %x\n", encodePool(x.storers, p))
	}
	for _, token := range s.Tokens() {
		fmt.Fprintln(&text, "token", token)
	}
	s.waiting.pools.from(nil, func(e entry) bool {
		p, err := unpack(x.storers, e)
		fmt.Fprintf(&text, "waiting %d %x %v\n", e.reason(), encodePool(x.storers, p), err)
		return true
	})
	return text.String()
}

// pairChain makes up blocks of pairs, some of whose tokens nobody knows.
type pairChain struct {
	*rand.Rand
	factory common.Address
	tokens  []common.Address
	pairs   []common.Address
	made    int
}

func (c *pairChain) block(parent *testBlock) *testBlock {
	c.made++
	b := &testBlock{parent: parent, Block: market.Block{Number: parent.Number + 1, Parent: parent.Hash, Hash: common.Hash{1, byte(c.made >> 8), byte(c.made)}}}
	for range c.IntN(4) {
		if c.IntN(2) == 0 {
			pair := common.Address{0xaa, byte(len(c.pairs) >> 8), byte(len(c.pairs))}
			c.pairs = append(c.pairs, pair)
			a, z := c.tokens[c.IntN(len(c.tokens))], c.tokens[c.IntN(len(c.tokens))]
			b.logs = append(b.logs, types.Log{Address: c.factory,
				Topics: []common.Hash{topic("PairCreated(address,address,address,uint256)"), common.BytesToHash(a[:]), common.BytesToHash(z[:])},
				Data:   slices.Concat(common.LeftPadBytes(pair[:], 32), make([]byte, 32))})
		} else if len(c.pairs) > 0 {
			r0, r1 := u256.From(c.Uint64N(3)).Bytes(), u256.From(c.Uint64N(3)).Bytes()
			b.logs = append(b.logs, types.Log{Address: c.pairs[c.IntN(len(c.pairs))], Topics: []common.Hash{topic("Sync(uint112,uint112)")}, Data: slices.Concat(r0[:], r1[:])})
		}
	}
	return b
}

// factoryOf is the factory of the first source of a family.
func factoryOf(family string) common.Address {
	list := monad.Sources()
	return list[slices.IndexFunc(list, func(s venue.Source) bool { return s.Family == family })].Factory
}

func topic(signature string) common.Hash { return crypto.Keccak256Hash([]byte(signature)) }

// A state is a function of its block and the record: an indexer that learns of
// tokens at random times while the chain reorganises has, for every block of every
// branch, the state of one that is given the record and builds each block once.
func TestStateFollowsFromRecord(t *testing.T) {
	admitted := 0
	for seed := range uint64(60) {
		c := &pairChain{Rand: rand.New(rand.NewPCG(seed, 2)), factory: factoryOf(univ2.Name), tokens: []common.Address{monad.USDC, monad.WrappedNative}}
		for i := range 6 {
			c.tokens = append(c.tokens, common.Address{0xbb, byte(i)})
		}
		x, root := newTestIndexer(t, univ2.New(monad.Sources()))
		states := map[*testBlock]*state{{}: root}
		var blocks []*testBlock
		for b := range states {
			blocks = append(blocks, b)
		}
		for head := blocks[0]; len(blocks) < 60; {
			if c.IntN(4) == 0 { // tokens are described at any time, some again
				var f findings
				for range 1 + c.IntN(2) {
					f.tokens = append(f.tokens, market.Token{Address: c.tokens[2+c.IntN(6)], Decimals: 18})
				}
				x.findings <- f
			}
			for range c.IntN(4) * c.IntN(2) { // a reorg
				if head.parent != nil {
					head = head.parent
				}
			}
			next := c.block(head)
			states[next] = x.build(t, states[head], next)
			blocks, head = append(blocks, next), next
		}

		y, again := newTestIndexer(t, univ2.New(monad.Sources()))
		y.record = x.record
		replayed := map[*testBlock]*state{blocks[0]: again}
		for _, b := range blocks[1:] {
			replayed[b] = y.build(t, replayed[b.parent], b)
			if ours, theirs := describeState(x, states[b]), describeState(y, replayed[b]); ours != theirs {
				t.Fatalf("seed %d: block %d:\n%s\nreplayed:\n%s", seed, b.Number, ours, theirs)
			}
			checkWaiting(t, x, states[b])
		}
		admitted += len(states[blocks[len(blocks)-1]].Tokens()) - len(root.Tokens())
	}
	if admitted < 60 {
		t.Errorf("%d tokens were described in all", admitted)
	}
}

// checkWaiting checks that no pool waits without a reason, and that the indices
// and counts of those that wait are right.
func checkWaiting(t *testing.T, x *Indexer, s *state) {
	t.Helper()
	var count [reasons]int
	known := x.known(s, s.Block().Number)
	for _, p := range s.waiting.all(x.storers) {
		e, _ := s.waiting.pools.get(p.Info().ID.Bytes())
		count[e.reason()]++
		missing := slices.ContainsFunc(p.Info().Tokens, func(a common.Address) bool { return !known(a) })
		if idle := venue.Idle(p) != ""; e.reason() == waitToken && (idle || !missing) || e.reason() == waitLiquidity && !idle {
			t.Errorf("block %d: pool %s waits: %s", s.Block().Number, p.Info().ID, reasonNames[e.reason()])
		}
		if e.reason() == waitToken && !slices.Contains(s.waiting.waitingFor(p.Info().Tokens[e.value[1]]), p.Info().ID) {
			t.Errorf("pool %s is not found by the token it waits for", p.Info().ID)
		}
	}
	if count != s.waiting.count || s.waiting.needs.count != count[waitToken] {
		t.Errorf("counted %v, want %v; %d wait for tokens", s.waiting.count, count, s.waiting.needs.count)
	}
}

// emptyPools4 are Initialize logs of V4 pools without liquidity between real tokens.
func emptyPools4(from, n int) (logs []types.Log) {
	manager := factoryOf(univ4.Name)
	word := func(n uint64) []byte { b := u256.From(n).Bytes(); return b[:] }
	price := u256.One.Lsh(96).Add(u256.From(12345)).Bytes()
	for i := from; i < from+n; i++ {
		id := crypto.Keccak256Hash(word(uint64(i)))
		logs = append(logs, types.Log{Address: manager,
			Topics: []common.Hash{topic("Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)"), id, common.BytesToHash(monad.WrappedNative[:]), common.BytesToHash(monad.USDC[:])},
			Data:   slices.Concat(word(uint64(i%900_000)), word(1), word(0), price[:], word(0))})
	}
	return logs
}

func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Waiting pools are in the store: what a restart reads equals what was written last,
// whatever came and went in between.
func TestStoreKeepsWaitingPools(t *testing.T) {
	families := []venue.Family{univ2.New(monad.Sources())}
	path := filepath.Join(t.TempDir(), "market")
	c := &pairChain{Rand: rand.New(rand.NewPCG(1, 3)), factory: factoryOf(univ2.Name), tokens: []common.Address{monad.USDC, monad.WrappedNative, {0xbb, 1}, {0xbb, 2}}}
	x, s := newTestIndexer(t, families...)
	for b, round := (&testBlock{}), 0; round < 20; round++ {
		store, err := OpenStore(path, monad.ChainID, monad.Sources(), families, nil)
		if err != nil {
			t.Fatal(err)
		}
		if round > 0 {
			y, _ := newTestIndexer(t, families...)
			if y.store = store; store.loaded == nil {
				t.Fatalf("round %d: nothing was read", round)
			}
			if err := y.resume(); err != nil {
				t.Fatal(err)
			}
			if ours, theirs := describeState(x, s), describeState(y, y.saved); ours != theirs || y.saved.waiting.count != s.waiting.count {
				t.Fatalf("round %d: written:\n%s\nread:\n%s", round, ours, theirs)
			}
			checkWaiting(t, y, y.saved)
		}
		for range 8 {
			if b = c.block(b); c.IntN(10) == 0 {
				x.findings <- findings{tokens: []market.Token{{Address: common.Address{0xbb, byte(1 + c.IntN(2))}, Decimals: 6}}}
			}
			s = x.build(t, s, b)
			if err := store.saveSnapshot(s); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if s.waiting.count[waitLiquidity] == 0 || s.waiting.count[waitToken] == 0 && len(s.Tokens()) == len(monad.Tokens()) {
		t.Errorf("waiting: %v", s.waiting.count)
	}
}

// A pool that waited since its creation is the same as one that was never encoded,
// also in what only its gas depends on; one that is not read yet fits into as few
// bytes.
func TestWaitingPoolIsUnchanged(t *testing.T) {
	family := univ4.New(monad.Sources(), monad.WrappedNative)
	x, root := newTestIndexer(t, family)
	logs := emptyPools4(0, 1)
	e, err := family.Decode(&logs[0])
	if err != nil {
		t.Fatal(err)
	}
	want, err := family.Apply(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	s := x.build(t, root, &testBlock{Block: market.Block{Number: 1}, logs: logs})
	got := s.waiting.pool(x.storers, e.Pool())
	if !family.IsFresh(want) || !family.IsFresh(got) || !bytes.Equal(family.Save(want), family.Save(got)) {
		t.Errorf("%+v, want %+v", got, want)
	}
	unread := family.Unloaded(want)
	if family.IsFresh(unread) {
		t.Error("a pool that was not followed is fresh")
	}
	if n := len(pack(x.storers, unread, waitDormant)); n > 150 {
		t.Errorf("a pool that is not read yet takes %d bytes besides its ID", n)
	}
}

// 100,000 pools without liquidity take less than 200 bytes each, with the states kept
// for reorgs in which they came less than 350, are not in the market, and cost
// nothing in a block that does not touch them.
func TestEmptyPoolsAreCheap(t *testing.T) {
	const blocks, each = 100, 1000
	x, s := newTestIndexer(t, univ4.New(monad.Sources(), monad.WrappedNative))
	x.keep, x.recent.max = 64, 64 // as by default
	b := market.Block{}
	next := func(logs []types.Log) {
		b = market.Block{Number: b.Number + 1, Parent: b.Hash, Hash: common.Hash{9, byte(b.Number >> 8), byte(b.Number)}}
		s = x.build(t, s, &testBlock{Block: b, logs: logs})
	}
	for range 80 { // of states kept for reorgs there are none without pools
		next(nil)
	}
	before := heap()
	for i := range blocks {
		next(emptyPools4(i*each, each))
	}
	kept := float64(heap()-before) / (blocks * each)
	for range 80 {
		next(nil)
	}
	n := float64(heap()-before) / (blocks * each)
	if n >= 200 || kept >= 350 {
		t.Errorf("%.0f bytes for a pool, %.0f with the states kept", n, kept)
	}
	t.Logf("%.0f bytes for a pool, %.0f with the states kept", n, kept)
	if len(s.Pools()) > 0 || s.waiting.count[waitLiquidity] != blocks*each {
		t.Errorf("%d pools in the market, %d wait", len(s.Pools()), s.waiting.count[waitLiquidity])
	}
	quiet := testing.AllocsPerRun(20, func() { next(nil) })
	y, empty := newTestIndexer(t, univ4.New(monad.Sources(), monad.WrappedNative))
	x, s = y, empty
	if alone := testing.AllocsPerRun(20, func() { next(nil) }); quiet > alone+5 {
		t.Errorf("a block makes %v allocations, without the pools %v", quiet, alone)
	}
}

// BenchmarkEmptyPools measures a block that creates 1,000 pools without liquidity
// while 100,000 wait, and one that creates none.
func BenchmarkEmptyPools(b *testing.B) {
	x, s := newTestIndexer(b, univ4.New(monad.Sources(), monad.WrappedNative))
	number := uint64(0)
	next := func(logs []types.Log) *state {
		number++
		return x.build(b, s, &testBlock{Block: market.Block{Number: number, Hash: common.Hash{31: 1}}, logs: logs})
	}
	s = next(emptyPools4(0, 100_000))
	more := emptyPools4(100_000, 1000)
	for name, logs := range map[string][]types.Log{"created=1000": more, "created=0": nil} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				next(logs)
			}
		})
	}
}
