// Package indexer follows a chain and publishes the market after each block.
//
// Laws: every market it publishes is that of one real block, made from the
// market of the block's parent and the block's own logs. Nothing is undone: on
// a new branch the work goes on from the market of the common ancestor, of
// which the last ones are kept. Blocks may come late, twice or not at all;
// what is missing is found by walking parents back from the newest head.
package indexer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"braid/chain"
	"braid/market"
	"braid/venue"
)

// Config is what an Indexer needs.
type Config struct {
	Node     *chain.Client
	Families []venue.Family
	Start    *market.Snapshot      // the market before the first block
	Listed   []market.Token        // known without asking the chain
	Log      *slog.Logger          // nil: silent
	Registry prometheus.Registerer // nil: metrics are kept but not shown

	// FirstBlock is the first that can hold a log of interest. A chain that
	// has not come so far is a young one and is read from its beginning.
	FirstBlock uint64

	// Keep is how many markets are kept for reorgs and how far down blocks
	// are told apart by hash; what lies deeper is settled. 0: 64.
	Keep int
}

// Indexer has one writer, Run; any number of goroutines may ask it the rest.
type Indexer struct {
	node       *chain.Client
	start      *market.Snapshot
	log        *slog.Logger
	firstBlock uint64
	keep       int
	list       []market.Token
	listed     map[common.Address]market.Token
	families   map[common.Hash][]venue.Family // by topic
	topics     []common.Hash
	kept       kept
	metrics    *metrics

	head    atomic.Pointer[market.Snapshot]
	changed atomic.Pointer[chan struct{}] // closed when head is another
	ready   chan struct{}

	mu     sync.Mutex
	health Health
}

// New is an Indexer that waits for Run.
func New(c Config) *Indexer {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Keep == 0 {
		c.Keep = 64
	}
	x := &Indexer{
		node: c.Node, start: c.Start, log: c.Log, firstBlock: c.FirstBlock, keep: c.Keep, list: c.Listed,
		listed:   map[common.Address]market.Token{},
		families: map[common.Hash][]venue.Family{},
		kept:     kept{max: c.Keep, byHash: map[common.Hash]*market.Snapshot{}},
		metrics:  newMetrics(c.Registry),
		ready:    make(chan struct{}),
		health:   Health{Reason: "joining: no block yet"},
	}
	x.changed.Store(new(make(chan struct{})))
	if c.Registry != nil {
		c.Registry.MustRegister(stock{x.Head})
	}
	for _, t := range c.Listed {
		x.listed[t.Address] = t
	}
	for _, f := range c.Families {
		for _, topic := range f.Topics() {
			x.families[topic] = append(x.families[topic], f)
			if !slices.Contains(x.topics, topic) {
				x.topics = append(x.topics, topic)
			}
		}
	}
	return x
}

// Head is the newest market; nil until the first one is whole.
func (x *Indexer) Head() *market.Snapshot { return x.head.Load() }

// Changed is closed when there is another Head than at the time of the call.
func (x *Indexer) Changed() <-chan struct{} { return *x.changed.Load() }

// Ready is closed when there is a Head.
func (x *Indexer) Ready() <-chan struct{} { return x.ready }

// Run joins the chain and follows it until ctx ends, which is no error, or
// until the node turns out to follow another chain. Faults are tried again.
func (x *Indexer) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	heads := x.node.Heads(ctx)
	defer func() {
		cancel()
		for range heads { // until the watch has ended
		}
	}()
	for s := range heads {
		for failures := 0; ; failures++ {
			err := x.see(ctx, s)
			if ctx.Err() != nil {
				return nil
			}
			if err == nil {
				x.well(failures)
				break
			}
			if errors.Is(err, chain.ErrWrongChain) {
				return err
			}
			x.fault(err, failures)
			s = newer(ctx, heads, s, failures)
		}
	}
	return nil
}

// see brings the market to a sighted head.
func (x *Indexer) see(ctx context.Context, s chain.Sighting) error {
	x.sighted(s)
	if s.Err != nil {
		return s.Err
	}
	ours := x.Head()
	if known := x.kept.byHash[s.Block.Hash]; known != nil && ours != nil {
		// A node that is behind shows us an ancestor of our head. That is no
		// reorg, and no proof that our head still stands.
		if known != ours && !x.kept.forked(ours, known) {
			return nil
		}
		x.publish(known, s)
		return nil
	}
	base, path, err := x.path(ctx, s.Block)
	if err != nil {
		return err
	}
	for _, b := range path {
		if base, err = x.next(ctx, base, b); err != nil {
			return err
		}
		x.kept.add(base)
		x.metrics.blocks.Inc()
	}
	x.publish(base, s)
	return nil
}

// next is the market after a block, made from that of its parent.
func (x *Indexer) next(ctx context.Context, parent *market.Snapshot, b market.Block) (*market.Snapshot, error) {
	logs, err := x.node.Logs(ctx, b, x.topics)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", b.Number, err)
	}
	d := newDraft(parent)
	for i := range logs {
		x.read(d, &logs[i])
	}
	return x.finish(ctx, d, b, b.Hash)
}

func (x *Indexer) publish(next *market.Snapshot, s chain.Sighting) {
	if ours := x.Head(); ours != next {
		if ours == nil {
			defer close(x.ready)
			x.log.Info("joined", "block", next.Block().Number, "pools", len(next.Pools()), "tokens", len(next.Tokens()))
		} else {
			x.metrics.latency.Observe(time.Since(s.At).Seconds())
			if x.kept.forked(next, ours) {
				x.metrics.reorgs.Inc()
				x.log.Info("reorg", "from", ours.Block().Number, "to", next.Block().Number)
			}
		}
		x.head.Store(next)
		close(*x.changed.Swap(new(make(chan struct{}))))
		x.metrics.show(next)
	}
	x.confirm(next.Block(), s)
}

// newer rests and gives the newest sighting by then; the same one if there is
// no other.
func newer(ctx context.Context, heads <-chan chain.Sighting, s chain.Sighting, failures int) chain.Sighting {
	rest(ctx, failures)
	if s.Err != nil { // nothing to try again: wait for the next look
		if next, open := <-heads; open {
			return next
		}
		return s
	}
	select {
	case next, open := <-heads:
		if open && next.Err == nil {
			return next
		}
	default:
	}
	return s
}
