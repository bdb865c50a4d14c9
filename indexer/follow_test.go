package indexer_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/chain"
	"braid/indexer"
	"braid/market"
	"braid/u256"
	"braid/venue"
)

func TestFollowsARealChain(t *testing.T) {
	w := newFixture(t, 0)
	s := w.index.Head()
	if len(s.Pools()) < 100 {
		t.Fatalf("joined with %d pools", len(s.Pools()))
	}
	parity(t, w.node, s)

	random := rand.New(rand.NewPCG(1, 2))
	var slowest, sum time.Duration
	const blocks = 60
	for range blocks {
		var txs []*types.Transaction
		for range 1 + random.IntN(8) { // often the same pool twice
			p := s.Pools()[random.IntN(10)]
			txs = append(txs, w.transferAndSync(p, 1+random.Uint64N(1_000_000))...)
		}
		w.mine(txs...)
		began := time.Now()
		w.awaitHead()
		sum, slowest = sum+time.Since(began), max(slowest, time.Since(began))
	}
	t.Logf("sealed block to published market: mean %v, slowest %v", sum/blocks, slowest)
	parity(t, w.node, w.awaitHead())

	h := w.index.Health()
	if !h.Ready || !h.Reachable || h.Reason != "" || h.Lag != 0 || h.Block != w.chain.Head().Number.Uint64() || time.Since(h.Updated) > 5*time.Second {
		t.Errorf("health: %+v", h)
	}
}

func TestReorgs(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	pools := w.index.Head().Pools()
	for depth := 1; depth <= 5; depth++ {
		root := w.nonce
		for range depth {
			w.mine(w.transferAndSync(pools[depth], 1000)...)
		}
		old := w.awaitHead()
		// The new branch is longer, as long, or shorter, in turn.
		w.nonce = root
		branch := make([][]*types.Transaction, max(1, depth+1-depth%3))
		for i := range branch {
			branch[i] = w.transferAndSync(pools[depth], 7)
		}
		if err := w.chain.Reorg(depth, branch...); err != nil {
			t.Fatal(err)
		}
		s := w.awaitHead()
		if s.Block().Hash == old.Block().Hash {
			t.Fatal("nothing was replaced")
		}
		parity(t, w.node, s)
		parity(t, w.node, old) // a published snapshot does not change
	}
	if n := w.metric("reorgs_total"); n != 5 {
		t.Errorf("%v reorgs counted", n)
	}
	if n := w.metric("resyncs_total"); n != 0 {
		t.Errorf("%v resyncs counted", n)
	}
}

// A pair created in a dropped block is no pool; created again, and given liquidity
// in the same block, it is one.
func TestReorgDropsACreation(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	before := w.index.Head()
	factory, a, b := w.unpaired()
	create := func() *types.Transaction { return w.tx(factory, pack("createPair(address,address)", a[:], b[:])) }

	root := w.nonce
	w.mine(create())
	s := w.awaitHead()
	if n := w.waiting("no liquidity"); len(s.Pools()) != len(before.Pools()) || n != 1 {
		t.Fatalf("%d pools after a creation, %d before; %v wait", len(s.Pools()), len(before.Pools()), n)
	}
	made := w.pairOf(factory, a, b)

	w.nonce = root
	if err := w.chain.Reorg(1, w.transferAndSync(before.Pools()[0], 5)); err != nil {
		t.Fatal(err)
	}
	s = w.awaitHead()
	if n := w.waiting("no liquidity"); len(s.Pools()) != len(before.Pools()) || n != 0 {
		t.Fatal("the pool is still there though its block was dropped")
	}
	parity(t, w.node, s)

	w.mine(slices.Concat([]*types.Transaction{create()}, w.fillPair(made, a, b, 12345))...)
	s = w.awaitHead()
	p, ok := s.Pool(venue.AddressID(made))
	if !ok || p.Depth(0) != 12345 {
		t.Fatalf("pool made and filled in one block: %v", p)
	}
	parity(t, w.node, s)
}

func TestGapsAndOutages(t *testing.T) {
	t.Parallel()
	const keep = 16
	w := newFixture(t, keep)
	pools := w.index.Head().Pools()
	for range 2 * keep {
		w.mine() // so that a deep branch can be replaced
	}
	w.awaitHead()
	for _, c := range []struct {
		name            string
		mined, dropped  int
		reorgs, resyncs float64
	}{
		{"nothing happened", 0, 0, 0, 0},
		{"a few blocks", 5, 0, 0, 0},
		{"another branch", 6, 3, 1, 0},
		{"more blocks than are kept", 10 * keep, 0, 0, 0},
		{"another branch, deeper than what is kept", 2, keep + 4, 1, 1},
	} {
		reorgs, resyncs, faults := w.metric("reorgs_total"), w.metric("resyncs_total"), w.metric("rpc_errors_total")
		w.proxy.setCut(true)
		w.until(c.name+": the outage is seen", func() bool {
			h := w.index.Health()
			return h.Ready && !h.Reachable && h.Reason != ""
		})
		if c.dropped > 0 {
			w.nonce = w.nonceAt(w.chain.Head().Number.Uint64() - uint64(c.dropped))
			branch := make([][]*types.Transaction, c.dropped)
			branch[0] = w.transferAndSync(pools[3], 99)
			if err := w.chain.Reorg(c.dropped, branch...); err != nil {
				t.Fatal(err)
			}
		}
		for i := range c.mined {
			w.mine(w.transferAndSync(pools[i%7], 1000)...)
		}
		w.proxy.setCut(false)

		parity(t, w.node, w.awaitHead())
		w.until(c.name+": health is back", func() bool {
			h := w.index.Health()
			return h.Reachable && h.Reason == "" && h.Lag == 0
		})
		reorgs, resyncs = w.metric("reorgs_total")-reorgs, w.metric("resyncs_total")-resyncs
		if reorgs != c.reorgs || resyncs != c.resyncs {
			t.Errorf("%s: %v reorgs and %v resyncs, want %v and %v", c.name, reorgs, resyncs, c.reorgs, c.resyncs)
		}
		if w.metric("rpc_errors_total") == faults {
			t.Errorf("%s: no fault counted", c.name)
		}
	}
}

// unpaired finds a source and two tokens that have no pool there.
func (w *fixture) unpaired() (factory, a, b common.Address) {
	w.Helper()
	s := w.index.Head()
	real := slices.IndexFunc(s.Pools(), func(p venue.Pool) bool { return p.Info().Source.Factory != common.Address{} })
	source := s.Pools()[real].Info().Source
	taken := map[[2]common.Address]bool{}
	for _, p := range s.Pools() {
		if i := p.Info(); i.Source == source {
			taken[[2]common.Address(i.Tokens)] = true
		}
	}
	for _, a := range s.Tokens() {
		for _, b := range s.Tokens() {
			if a.Address.Cmp(b.Address) < 0 && !taken[[2]common.Address{a.Address, b.Address}] {
				return source.Factory, a.Address, b.Address
			}
		}
	}
	w.Fatal("every pair is taken")
	return
}

// pairOf is the pair of two tokens at the head.
func (w *fixture) pairOf(factory, a, b common.Address) common.Address {
	w.Helper()
	results, err := w.node.Calls(w.Context(), w.chain.Head().Hash(), []chain.Call{{To: factory, Data: pack("getPair(address,address)", a[:], b[:])}})
	if err != nil || len(results[0].Data) != 32 {
		w.Fatalf("no pair: %v, %v", err, results)
	}
	return common.BytesToAddress(results[0].Data)
}

// fillPair gives a pair an amount of both tokens.
func (w *fixture) fillPair(pair, a, b common.Address, amount uint64) []*types.Transaction {
	give := func(token common.Address) *types.Transaction {
		return w.tx(token, pack("transfer(address,uint256)", pair[:], u256.From(amount).Big().Bytes()))
	}
	return []*types.Transaction{give(a), give(b), w.tx(pair, pack("sync()"))}
}

// waiting is the number of pools that wait for a reason.
func (w *fixture) waiting(reason string) float64 {
	w.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		w.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "braid_indexer_waiting_pools" && m.GetLabel()[0].GetValue() == reason {
				return m.GetGauge().GetValue()
			}
		}
	}
	return 0
}

// admitAll mines blocks until no pool that may hold liquidity waits in an indexer,
// and gives its snapshot of the head.
func (w *fixture) admitAll(x *indexer.Indexer) *market.Snapshot {
	w.Helper()
	for deadline := time.Now().Add(time.Minute); ; w.mine() {
		s := await(w.TB, x, w.chain.Head().Hash())
		if len(x.Health().Waiting) == 0 {
			return s
		}
		if time.Now().After(deadline) {
			w.Fatalf("pools wait: %v", x.Health().Waiting)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// metric is the value of a counter or gauge.
func (w *fixture) metric(name string) float64 {
	w.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		w.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "braid_indexer_"+name {
			m := f.GetMetric()[0]
			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	w.Fatalf("no metric %s", name)
	return 0
}

func (w *fixture) until(what string, is func() bool) {
	w.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatalf("never: %s: %+v", what, w.index.Health())
		}
	}
}
