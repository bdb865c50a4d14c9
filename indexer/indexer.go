// Package indexer follows a chain and publishes a snapshot of the market after each block.
//
// A snapshot is the state of all pools and tokens after one block. Every snapshot
// is made from that of the block's parent, the block's own logs, and a record of
// what was learned of tokens and pools beside the blocks. Nothing is undone: after a reorg the indexer continues from the
// snapshot of the common ancestor; some of the last Config.Keep snapshots are kept for
// that. Heads may come late, twice or not at all; missing blocks are found by
// following parent hashes back from the newest head.
package indexer

import (
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"braid/chain"
	"braid/market"
	"braid/proof"
	"braid/venue"
)

// Config is what an Indexer needs. Node, Families and Start must be set.
type Config struct {
	Node     *chain.Client
	Families []venue.Family
	Start    *market.Snapshot      // the snapshot before the first block
	Listed   []market.Token        // tokens described without reading the chain
	Log      *slog.Logger          // nil: nothing is logged
	Registry prometheus.Registerer // nil: metrics are counted but not exported

	// Sources are those of the families: their factories, and the blocks from
	// which on creation events are searched for. If it is empty, or a family is
	// no venue.Storer, a chain is joined by reading all its logs.
	Sources []venue.Source

	// FirstBlock is the number of the first block with a log of interest; 0:
	// the lowest FirstBlock of the sources. A chain that has not reached it is
	// read from block 0.
	FirstBlock uint64

	// AuditEvery is the number of blocks between audits, in which some pools are
	// compared with their state on the chain; 0: no audits.
	AuditEvery uint64

	// Prover tries pools: only those that it proves are in the market. Nil: the chain
	// is our own, and no pool needs a proof.
	Prover *proof.Prover

	Store    *Store         // nil: nothing is saved, and every start joins the chain
	Publish  Publish        // nil, or called with every market that is built, before it becomes the head
	Progress func(Progress) // nil, or called a few times a second while the chain is joined

	// Keep is the depth of reorgs for which recent snapshots are kept, and that, in
	// blocks below the head, from which on a block counts as settled when the
	// chain is joined or caught up with; a followed block counts as settled at
	// half of it. 0: 64.
	Keep int
}

// Publish takes a market and the one that it was made from, with the pools of paused
// sources in both. It must not wait.
type Publish func(parent, next *market.Snapshot)

// Indexer follows a chain in Run, which alone writes its state. All other methods
// are safe for concurrent use.
type Indexer struct {
	node       *chain.Client
	empty      *market.Snapshot // before the first block
	log        *slog.Logger
	firstBlock uint64
	keep       int
	list       []market.Token
	listed     map[common.Address]market.Token
	families   map[common.Hash][]venue.Family // by first topic of the logs they decode
	topics     []common.Hash
	recent     recentStates
	metrics    *metrics
	progress   func(Progress)
	hook       Publish

	sources        []venue.Source
	storers        []venue.Storer // families whose pools can be read and stored
	creationTopics []common.Hash  // of creation events; empty: the chain is joined by reading all logs
	discovery      *discovery     // while joining; else nil
	carried        trie           // verdicts from a store of other sources
	saved          *state         // loaded from the store; nil: none
	store          *Store
	saver          saver
	auditor        auditor
	prover         *proof.Prover // nil: pools need no proof

	record   record                // what was learned beside the blocks
	findings chan findings         // learned, and not yet recorded
	epoch    int                   // how often the chain was started over
	latest   atomic.Pointer[state] // that of the head, for the goroutines that read beside the blocks

	tip             *state  // the newest state, with the pools of paused sources
	publishedPauses *pauses // in force when head was published
	head            atomic.Pointer[market.Snapshot]
	paused          atomic.Pointer[pauses]
	firstProofs     atomic.Bool // the deepest pools have been tried since the start
	proofs          atomic.Pointer[proofCounts]
	changed         atomic.Pointer[chan struct{}] // closed when head changes
	ready           chan struct{}

	mu     sync.Mutex
	health Health
}

// New is an Indexer that does nothing until Run.
func New(c Config) *Indexer {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Keep == 0 {
		c.Keep = 64
	}
	x := &Indexer{
		node: c.Node, empty: c.Start, log: c.Log, firstBlock: c.FirstBlock, keep: c.Keep, list: c.Listed,
		listed:   map[common.Address]market.Token{},
		families: map[common.Hash][]venue.Family{},
		recent:   recentStates{max: c.Keep, byHash: map[common.Hash]*state{}, blocks: map[common.Hash]market.Block{}},
		metrics:  newMetrics(c.Registry),
		progress: c.Progress, hook: c.Publish, prover: c.Prover, sources: c.Sources, store: c.Store, auditor: newAuditor(c.AuditEvery), saver: saver{wake: make(chan struct{}, 1)},
		findings: make(chan findings, 4),
		ready:    make(chan struct{}),
		health:   Health{Joining: "joining: no block yet"},
	}
	x.changed.Store(new(make(chan struct{})))
	if c.Registry != nil {
		c.Registry.MustRegister(poolCollector{x.Head}, pauseCollector{x}, proofCollector{x})
	}
	for _, t := range c.Listed {
		x.listed[t.Address] = t
	}
	for _, f := range c.Families {
		if j, ok := f.(venue.Storer); ok {
			x.storers, x.creationTopics = append(x.storers, j), append(x.creationTopics, j.CreationTopic())
		}
		for _, topic := range f.Topics() {
			x.families[topic] = append(x.families[topic], f)
			if !slices.Contains(x.topics, topic) {
				x.topics = append(x.topics, topic)
			}
		}
	}
	if len(x.storers) < len(c.Families) || len(c.Sources) == 0 {
		x.creationTopics = nil
	}
	for _, s := range c.Sources {
		if s.FirstBlock > 0 && c.FirstBlock == 0 && (x.firstBlock == 0 || s.FirstBlock < x.firstBlock) {
			x.firstBlock = s.FirstBlock
		}
	}
	return x
}

// Head is the newest snapshot, in which the pools of paused sources are unusable;
// nil until the chain has been joined.
func (x *Indexer) Head() *market.Snapshot { return x.head.Load() }

// Changed is a channel that is closed when Head is another than at the time of
// the call.
func (x *Indexer) Changed() <-chan struct{} { return *x.changed.Load() }

// Ready is a channel that is closed when Head is not nil any more.
func (x *Indexer) Ready() <-chan struct{} { return x.ready }
