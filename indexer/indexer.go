// Package indexer follows a chain and publishes the market after each block.
//
// Laws: every market it publishes is that of one real block, made from the
// market of the block's parent and the block's own logs. Nothing is undone: on
// a new branch the work goes on from the market of the common ancestor, of
// which the last ones are kept. Blocks may come late, twice or not at all;
// what is missing is found by walking parents back from the newest head.
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

	// Sources are those of the families: where births are looked for, and from
	// which block on.
	Sources []venue.Source

	// FirstBlock is the first that can hold a log of interest; 0: that of the
	// oldest source. A chain that has not come so far is a young one and is
	// read from its beginning.
	FirstBlock uint64

	// AuditEvery is after how many blocks some pools are held to the chain; 0:
	// never.
	AuditEvery uint64

	Store    *Store         // nil: a restart begins anew
	Progress func(Progress) // nil, or hears how a join comes along

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
	progress   func(Progress)

	sources []venue.Source
	joiners []venue.Joiner // all families, or else a chain is read log by log
	births  []common.Hash
	finds   *finds           // while joining
	saved   *market.Snapshot // that the store held
	store   *Store
	saver   saver
	reload  []venue.ID // pools to be read anew
	auditor auditor

	tip     *market.Snapshot // the newest market as the chain has it; Run's own
	shown   *holds           // with which it was published
	head    atomic.Pointer[market.Snapshot]
	held    atomic.Pointer[holds]
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
		progress: c.Progress, sources: c.Sources, store: c.Store, auditor: newAuditor(c.AuditEvery), saver: saver{wake: make(chan struct{}, 1)},
		ready:  make(chan struct{}),
		health: Health{Reason: "joining: no block yet"},
	}
	x.changed.Store(new(make(chan struct{})))
	if c.Registry != nil {
		c.Registry.MustRegister(stock{x.Head}, pauses{x})
	}
	for _, t := range c.Listed {
		x.listed[t.Address] = t
	}
	for _, f := range c.Families {
		if j, ok := f.(venue.Joiner); ok {
			x.joiners, x.births = append(x.joiners, j), append(x.births, j.Birth())
		}
		for _, topic := range f.Topics() {
			x.families[topic] = append(x.families[topic], f)
			if !slices.Contains(x.topics, topic) {
				x.topics = append(x.topics, topic)
			}
		}
	}
	if len(x.joiners) < len(c.Families) || len(c.Sources) == 0 {
		x.births = nil
	}
	for _, s := range c.Sources {
		if s.FirstBlock > 0 && c.FirstBlock == 0 && (x.firstBlock == 0 || s.FirstBlock < x.firstBlock) {
			x.firstBlock = s.FirstBlock
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
