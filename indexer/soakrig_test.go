package indexer_test

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"braid/chain"
	"braid/faults"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
)

// soakRig is an indexer that follows faulty nodes, and what it has published.
type soakRig struct {
	*testing.T
	chain    *busyChain
	proxies  []*faults.Proxy
	client   *chain.Client
	index    *indexer.Indexer
	registry *prometheus.Registry
	stop     context.CancelFunc
	done     sync.WaitGroup
	before   int // goroutines

	wrong     atomic.Int64
	alive     atomic.Int64 // snapshots published and not yet garbage-collected
	published atomic.Int64
	compared  int

	mu      sync.Mutex
	blocks  map[common.Hash]bool             // that the chain ever had
	dropped map[common.Hash]time.Time        // blocks that were replaced, and when
	direct  map[common.Hash]*market.Snapshot // snapshots of an indexer without faulty nodes, of recent blocks
	pending map[common.Hash]*market.Snapshot // published, and not yet compared
}

func newRig(t *testing.T, b *busyChain, seed uint64) *soakRig {
	t.Helper()
	b.awaitHead()
	r := &soakRig{
		T: t, chain: b, registry: prometheus.NewRegistry(), before: goroutines(),
		blocks: map[common.Hash]bool{}, dropped: map[common.Hash]time.Time{},
		direct: map[common.Hash]*market.Snapshot{}, pending: map[common.Hash]*market.Snapshot{},
	}
	r.recordBlocks()
	var urls []string
	for i, c := range []faults.Config{{Rate: 0.1}, {Rate: 0.3, Byzantine: true}, {Rate: 0.1}} {
		c.Node, c.Seed = b.chain.URL(), seed*3+uint64(i)
		p, err := faults.Start(c)
		if err != nil {
			t.Fatal(err)
		}
		p.SetPassThrough(true) // until the client has connected
		r.proxies, urls = append(r.proxies, p), append(urls, p.URL())
	}
	var err error
	if r.client, err = chain.Open(t.Context(), chain.Config{URLs: urls, ChainID: monad.ChainID, Registry: r.registry}); err != nil {
		t.Fatal(err)
	}
	for _, p := range r.proxies {
		p.SetPassThrough(false)
	}
	r.index = indexer.New(indexer.Config{
		Node: r.client, Families: b.families, Start: market.New(monad.Chain()), Listed: monad.Tokens(), Registry: r.registry,
		FirstBlock: 1_000_000,
	})
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	r.done.Go(func() {
		if err := r.index.Run(ctx); err != nil {
			t.Errorf("run: %v", err)
		}
	})
	r.done.Go(func() { r.watch(ctx) })
	return r
}

// watch records what is published, and checks that dropped blocks are not quoted
// from for too long.
func (r *soakRig) watch(ctx context.Context) {
	var last *market.Snapshot
	for ; ctx.Err() == nil; time.Sleep(200 * time.Microsecond) {
		s := r.index.Head()
		if s == nil {
			continue
		}
		hash := s.Block().Hash
		r.mu.Lock()
		if since, gone := r.dropped[hash]; gone && time.Since(since) > staleAfter+slack && time.Since(r.index.Health().Updated) < staleAfter {
			r.fail("block %d was dropped %v ago and is still quoted from", s.Block().Number, time.Since(since))
			delete(r.dropped, hash)
		}
		if s != last {
			last = s
			r.published.Add(1)
			r.pending[hash] = s
			r.alive.Add(1)
			runtime.AddCleanup(s, func(n *atomic.Int64) { n.Add(-1) }, &r.alive)
		}
		r.mu.Unlock()
	}
}

func (r *soakRig) fail(format string, args ...any) {
	if r.wrong.Add(1) <= 20 {
		r.Errorf(format, args...)
	}
}

// recordBlocks records the head and its ancestors up to a known block, and compares
// the snapshots published since.
func (r *soakRig) recordBlocks() {
	r.Helper()
	s := r.chain.awaitHead()
	var fresh []common.Hash
	for h := r.chain.chain.Head(); ; {
		r.mu.Lock()
		known := r.blocks[h.Hash()]
		r.mu.Unlock()
		if fresh = append(fresh, h.Hash()); known || h.Number.Sign() == 0 || len(r.blocks) == 0 {
			break
		}
		h = r.chain.header(h.ParentHash)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range fresh {
		r.blocks[h] = true
		delete(r.dropped, h)
	}
	r.direct[s.Block().Hash] = s
	for hash, p := range r.pending {
		if d := r.direct[hash]; d != nil {
			r.compare(p, d)
			delete(r.pending, hash)
		} else if !r.blocks[hash] && p.Block().Number+64 < s.Block().Number {
			r.fail("block %d %s was published and never was", p.Block().Number, hash)
			delete(r.pending, hash)
		}
	}
	maps.DeleteFunc(r.direct, func(_ common.Hash, d *market.Snapshot) bool { return d.Block().Number+32 < s.Block().Number })
	maps.DeleteFunc(r.pending, func(h common.Hash, p *market.Snapshot) bool {
		return r.blocks[h] && p.Block().Number+32 < s.Block().Number
	})
}

// pace waits up to a block time of mainnet for the indexer, and in one of eight cases
// not at all.
func (r *soakRig) pace() {
	const blockTime = 300 * time.Millisecond
	if r.chain.random.IntN(8) == 0 {
		return
	}
	head := r.chain.chain.Head().Hash()
	for late := time.Now().Add(blockTime); time.Now().Before(late); time.Sleep(time.Millisecond) {
		if s := r.index.Head(); s != nil && s.Block().Hash == head {
			return
		}
	}
}

// recordDropped records the blocks that a reorg dropped.
func (r *soakRig) recordDropped(head common.Hash, depth int) {
	for range depth {
		r.mu.Lock()
		r.dropped[head] = time.Now()
		r.mu.Unlock()
		head = r.chain.header(head).ParentHash
	}
}

// compare compares the pools and quotes of a snapshot with those of an indexer that
// follows the chain without faulty nodes.
func (r *soakRig) compare(ours, direct *market.Snapshot) {
	r.compared++
	for _, p := range ours.Pools() {
		if _, ok := direct.Pool(p.Info().ID); !ok && describes(direct, p) {
			r.fail("block %d: pool %s is not there directly", ours.Block().Number, p.Info().ID)
		}
	}
	for _, d := range direct.Pools() {
		p, ok := ours.Pool(d.Info().ID)
		if !ok && (!describes(ours, d) || venue.Idle(d) != "") {
			continue
		}
		if !ok {
			r.fail("block %d: no pool %s", ours.Block().Number, d.Info().ID)
			continue
		}
		n := len(d.Info().Tokens)
		for i := range n * n {
			in, out := i/n, i%n
			if in == out {
				continue
			}
			amount := u256.FromFloat(d.Depth(in) / 7)
			if a, b := quoted(p, in, out, amount), quoted(d, in, out, amount); a != b {
				r.fail("block %d: pool %s: %v for %v, directly %v", ours.Block().Number, d.Info().ID, a, amount, b)
			}
		}
	}
}

// contains checks that a market has the pools of another that can be traded. One
// that can no longer be, such as a curve that has ended, is only in the market of an
// indexer that saw it before.
func (r *soakRig) contains(name string, s, other *market.Snapshot) {
	for _, p := range other.Pools() {
		if _, ok := s.Pool(p.Info().ID); !ok && venue.Idle(p) == "" {
			r.fail("%s there is no pool %s of %s at the end", name, p.Info().ID, p.Info().Source.ID)
		}
	}
}

// describes tells whether a market has the tokens of a pool. Each indexer describes
// tokens in its own time.
func describes(s *market.Snapshot, p venue.Pool) bool {
	return !slices.ContainsFunc(p.Info().Tokens, func(a common.Address) bool { _, ok := s.Token(a); return !ok })
}

func quoted(p venue.Pool, in, out int, amount u256.Int) u256.Int {
	q, err := p.Quote(in, out, amount)
	if err != nil {
		return u256.Max
	}
	return q.Out
}

// close stops everything and checks that no goroutine or old snapshot is left.
func (r *soakRig) close() {
	r.Helper()
	r.stop()
	r.done.Wait()
	for h, p := range r.pending {
		if !r.blocks[h] {
			r.fail("block %d %s was published and never was", p.Block().Number, h)
		}
	}
	clear(r.pending)
	r.direct = nil
	const kept = 64
	r.until("old snapshots are collected", func() bool { runtime.GC(); return r.alive.Load() <= kept+1 })
	r.client.Close()
	for _, p := range r.proxies {
		p.Close()
	}
	r.until("goroutines have ended", func() bool { return goroutines() <= r.before })
}

// goroutines counts those of our packages and of their connections.
func goroutines() (n int) {
	stacks := make([]byte, 4<<20)
	for _, s := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(s, "braid/chain.") || strings.Contains(s, "braid/faults.") || strings.Contains(s, "braid/indexer.") || strings.Contains(s, "rpc.(*Client)") {
			n++
		}
	}
	return n
}

func (r *soakRig) until(what string, is func() bool) {
	r.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.Fatalf("never: %s: %d goroutines, %d before; %d snapshots", what, goroutines(), r.before, r.alive.Load())
		}
	}
}

func (r *soakRig) metric(name string) float64 {
	return (&fixture{TB: r.T, registry: r.registry}).metric(name)
}

// median is the median time from the first report of a block to its snapshot, in
// milliseconds, by the histogram of the metrics.
func (r *soakRig) median() float64 {
	families, err := r.registry.Gather()
	if err != nil {
		r.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "braid_indexer_block_to_snapshot_seconds" {
			continue
		}
		h := f.GetMetric()[0].GetHistogram()
		low, below := 0.0, uint64(0)
		for _, bucket := range h.GetBucket() {
			if n := bucket.GetCumulativeCount(); 2*n >= h.GetSampleCount() {
				part := (float64(h.GetSampleCount())/2 - float64(below)) / max(1, float64(n-below))
				return 1000 * (low + part*(bucket.GetUpperBound()-low))
			} else {
				low, below = bucket.GetUpperBound(), n
			}
		}
	}
	return 0
}
