package feed

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"braid/codec"
	"braid/market"
	"braid/venue"
)

// ErrFenced is the end of a Writer when another process has taken its name.
var ErrFenced = errors.New("feed: another process publishes under this name: give each its own --name")

// Status is what the indexer says of its newest market.
type Status struct {
	Reachable bool      // the nodes last agreed on a head
	Lag       uint64    // blocks by which the nodes are ahead
	Final     uint64    // number of the newest final block
	State     string    // of the head: how far consensus about it has come; empty: not told
	Updated   time.Time // when the nodes last confirmed the market
	Paused    map[string]string
}

// WriterConfig is what a Writer needs. All but Log, Registry and Changed must be set.
type WriterConfig struct {
	Conn     *nats.Conn
	Name     string
	Key      ed25519.PrivateKey
	Manifest Manifest
	Families []venue.Family
	Head     func() *market.Snapshot // the newest market; its block is what counts
	Changed  func() <-chan struct{}  // closed when Head changes
	Status   func() Status
	Log      *slog.Logger
	Registry prometheus.Registerer
}

// Writer sends the markets of an indexer. Publish may be called at any time; Run does
// the work. What it sends is kept in memory for those who ask.
type Writer struct {
	WriterConfig
	sealer
	storers     []venue.Storer
	fingerprint [sha256.Size]byte
	metrics     *writerMetrics
	began       time.Time // from which monotonic times count
	wake        chan struct{}
	revision    uint64 // of the manifest

	mu          sync.Mutex // guards what follows
	queue       []built
	recent      map[ID]*sent
	byHash      map[[32]byte]ID
	order       []ID   // of recent, oldest first
	blocks      uint64 // sequence of the last block message
	heads       uint64 // sequence of the last head
	last        head   // the last that was sent
	eligibility eligibilityMessage
	eligible    uint64 // sequence of its message
	snapshot    *sentSnapshot
	snapshots   uint64 // sequence of its message
	making      bool   // one is being made for those who ask
	manifest    []byte // message
	manifests   uint64 // sequence of it
	answers     recordsAnswer
	inbox       string            // where the stream's acks go
	unacked     map[string]uint64 // block by ack's subject
	parts       uint64            // of block messages, so far
}

// built is a market to be sent, and the one it was made from.
type built struct{ parent, next *market.Snapshot }

// sent is a market that was sent, with its message; none if it has no base.
type sent struct {
	id       ID
	market   *market.Snapshot
	unusable map[string]string // reasons by pool
	parts    [][]byte
	series   uint64 // number of the first market that it leads back to by messages
}

type eligibilityMessage struct {
	digest [sha256.Size]byte
	parts  [][]byte
}

// NewWriter is a Writer that does nothing until Run.
func NewWriter(c WriterConfig) (*Writer, error) {
	if err := CheckName(c.Name); err != nil {
		return nil, err
	}
	c.Manifest.Format = codec.Format
	fingerprint, err := c.Manifest.fingerprint()
	if err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	w := &Writer{
		WriterConfig: c,
		sealer:       sealer{subjects: subjects{c.Manifest.Chain, c.Name}, key: c.Key},
		storers:      codec.Storers(c.Families), fingerprint: fingerprint,
		began: time.Now(), wake: make(chan struct{}, 1),
		recent: map[ID]*sent{}, byHash: map[[32]byte]ID{}, inbox: nats.NewInbox(), unacked: map[string]uint64{},
	}
	w.metrics = newWriterMetrics(c.Registry)
	return w, nil
}

// Publish takes a market that is about to become the head, or is an ancestor of one,
// and the market it was made from. It does not wait. Markets that come faster than
// they are sent are dropped, oldest first; the next is sent whole.
func (w *Writer) Publish(parent, next *market.Snapshot) {
	w.mu.Lock()
	if w.queue = append(w.queue, built{parent, next}); len(w.queue) > Recent {
		w.queue = w.queue[1:]
		w.metrics.dropped.Inc()
	}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Run sends until ctx ends, or until another process takes the name: ErrFenced.
func (w *Writer) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := w.claim(ctx); err != nil {
		return ended(ctx, err)
	}
	stop, err := w.serve(func() { cancel(ErrFenced) })
	if err != nil {
		return ended(ctx, err)
	}
	defer stop()
	var g sync.WaitGroup
	defer g.Wait()
	g.Go(func() {
		if err := w.keepSnapshots(ctx); err != nil {
			cancel(err)
		}
	})
	tick := time.NewTicker(HeadEvery)
	defer tick.Stop()
	for {
		changed := w.Changed()
		w.sendQueue()
		w.sendHead()
		select {
		case <-ctx.Done():
			return ended(ctx, nil)
		case <-w.wake:
		case <-changed:
		case <-tick.C:
		}
	}
}

// ended is the error with which work ended: none if it was told to end.
func ended(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, ErrFenced) {
		return cause
	} else if cause != nil {
		return nil
	}
	return err
}

// sendQueue sends the markets that were published.
func (w *Writer) sendQueue() {
	for {
		w.mu.Lock()
		if len(w.queue) == 0 {
			w.mu.Unlock()
			return
		}
		b := w.queue[0]
		w.queue = w.queue[1:]
		var parent *sent
		if b.parent != nil {
			parent = w.recent[w.byHash[b.parent.Block().Hash]]
		}
		w.mu.Unlock()
		if parent != nil && parent.market != b.parent {
			parent = nil
		}
		s := w.encode(parent, b.next)
		w.add(s)
		for i, part := range s.parts {
			w.send(s.id, i, part)
		}
	}
}

// add keeps a market for those who ask for it.
func (w *Writer) add(s *sent) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.recent[s.id] == nil {
		w.order = append(w.order, s.id)
	}
	w.recent[s.id], w.byHash[s.id.Hash] = s, s.id
	if len(w.order) > Recent {
		old := w.order[0]
		w.order = w.order[1:]
		delete(w.recent, old)
		if w.byHash[old.Hash] == old {
			delete(w.byHash, old.Hash)
		}
	}
}

// encode makes the message of a market. Without a parent that was sent it has none:
// replicas load a whole market.
func (w *Writer) encode(parent *sent, next *market.Snapshot) *sent {
	began := time.Now()
	s := &sent{market: next, unusable: map[string]string{}}
	d := delta{fingerprint: w.fingerprint, block: next.Block()}
	var old []venue.Pool
	tokens := 0
	if parent != nil {
		s.series = parent.series
		d.base, old, tokens = parent.id, parent.market.Pools(), len(parent.market.Tokens())
		for id, why := range parent.unusable {
			s.unusable[id] = why
		}
	}
	sum := d.base.Sum
	for i, p := range next.Pools() {
		if i < len(old) && old[i] == p {
			continue
		}
		if i < len(old) {
			sum = sum.minus(poolDigest(codec.EncodePool(w.storers, old[i])))
		}
		record := encodeRecord(w.storers, p)
		sum = sum.plus(poolDigest([]byte(record.state)))
		delete(s.unusable, string(p.Info().ID))
		if u, ok := p.(codec.Unusable); ok {
			s.unusable[string(p.Info().ID)] = venue.Idle(u)
		}
		if parent != nil {
			d.pools = append(d.pools, record)
		}
	}
	d.tokens = next.Tokens()[tokens:]
	for _, t := range d.tokens {
		sum = sum.plus(tokenDigest(t))
	}
	s.id = ID{next.Block().Hash, sum}
	d.id = s.id
	w.blocks++
	if parent == nil {
		s.series = w.blocks
	} else {
		s.parts = w.message(kindBlock, w.blocks, pack(kindBlock, venue.Encode(d.fields)), maxPart)
	}
	w.metrics.encode.Observe(time.Since(began).Seconds())
	return s
}

// send publishes a part of a block, which the stream keeps too. Its Msg-Id tells the
// stream what it has already: a corrected block has another sum.
func (w *Writer) send(id ID, part int, data []byte) {
	m := nats.NewMsg(w.block())
	m.Data = data
	m.Header.Set(nats.MsgIdHdr, messageID(w.epoch, id, part, data))
	m.Reply = w.expectAck()
	if err := w.Conn.PublishMsg(m); err != nil {
		w.metrics.failed.Inc()
		return
	}
	w.metrics.sent(len(data))
}
