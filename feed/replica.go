package feed

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"braid/codec"
	"braid/market"
	"braid/venue"
)

// ReplicaConfig is what a Replica needs. All but Log and Registry must be set.
type ReplicaConfig struct {
	Conn     *nats.Conn
	Chain    uint64
	Keys     Keys
	Start    *market.Snapshot                            // the market before the first block
	Families func(sources []venue.Source) []venue.Family // of the sources of an indexer
	Log      *slog.Logger
	Registry prometheus.Registerer
}

// Replica follows one of several indexers and makes its markets anew. Run alone changes
// its state; messages and answers are handed to it as functions. All other methods are
// safe for concurrent use.
type Replica struct {
	ReplicaConfig
	metrics *replicaMetrics
	began   time.Time
	inbox   chan *nats.Msg // as they come
	work    chan func()

	peers    map[string]*peer
	followed *peer // nil before the first
	blocks   *nats.Subscription
	storers  []venue.Storer
	sources  [32]byte                // fingerprint of what the markets are decoded by
	markets  map[ID]*market.Snapshot // recent ones
	order    []ID                    // of markets, oldest first
	waiting  map[ID]*delta           // blocks whose base is not there yet
	shown    view                    // what Head was made of
	gap      bool                    // the market of the head could not be made, and was counted
	fetching bool                    // what is missing is being fetched
	resync   bool                    // a whole market must be loaded: a sum was wrong
	arrival  arrival                 // of the last block message
	retryAt  time.Time               // not to be fetched again before
	silentAt time.Time               // when the connection was last replaced, because all were silent

	head     atomic.Pointer[market.Snapshot]
	changed  atomic.Pointer[chan struct{}]
	ready    chan struct{}
	manifest atomic.Pointer[Manifest]
	known    chan struct{} // closed when manifest is set

	mu     sync.Mutex
	health Health
	faults map[string]int
}

// arrival is when the message of a block came.
type arrival struct {
	id ID
	at time.Time
}

// view is what a published market was made of.
type view struct {
	id          ID
	eligibility [32]byte
	contested   string
}

// maxQueue is how many messages may wait for Run. What comes beyond is dropped: a whole
// market is cheaper than a long queue. A block has some two messages, so that this is
// minutes of them.
const maxQueue = 1024

// NewReplica is a Replica that does nothing until Run.
func NewReplica(c ReplicaConfig) *Replica {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	r := &Replica{
		ReplicaConfig: c, metrics: newReplicaMetrics(c.Registry), began: time.Now(),
		inbox: make(chan *nats.Msg, maxQueue), work: make(chan func(), maxQueue), peers: map[string]*peer{}, markets: map[ID]*market.Snapshot{}, waiting: map[ID]*delta{},
		ready: make(chan struct{}), known: make(chan struct{}), faults: map[string]int{},
		health: Health{Reason: "no indexer has been heard yet"},
	}
	r.changed.Store(new(make(chan struct{})))
	for name, keys := range c.Keys {
		r.peers[name] = &peer{subjects: subjects{c.Chain, name}, keys: keys, wake: make(chan struct{}, 1)}
	}
	return r
}

// Head is the newest market; nil until there is one.
func (r *Replica) Head() *market.Snapshot { return r.head.Load() }

// Changed is a channel that is closed when Head is another than at the time of the call.
func (r *Replica) Changed() <-chan struct{} { return *r.changed.Load() }

// Ready is a channel that is closed when Head is not nil any more.
func (r *Replica) Ready() <-chan struct{} { return r.ready }

// Known is a channel that is closed when Manifest is not nil any more.
func (r *Replica) Known() <-chan struct{} { return r.known }

// Manifest is that of the first indexer whose manifest was read. Only indexers that
// agree with it are followed.
func (r *Replica) Manifest() *Manifest { return r.manifest.Load() }

// checkEvery is the time between looks at who is silent and what is missing.
const checkEvery = 50 * time.Millisecond

// Run follows until ctx ends.
func (r *Replica) Run(ctx context.Context) error {
	var g sync.WaitGroup
	defer g.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := r.listen(); err != nil {
		return err
	}
	g.Go(func() { r.receive(ctx) })
	for _, p := range r.peers {
		g.Go(func() { r.meet(ctx, p) })
	}
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case do := <-r.work:
			do()
		case <-tick.C:
		}
		r.choose()
		r.advance(ctx, &g)
		r.updateHealth()
	}
}

// hand gives a function to Run; false if the queue is full.
func (r *Replica) hand(do func()) bool {
	select {
	case r.work <- do:
		return true
	default:
		r.metrics.overflow.Inc()
		return false
	}
}

// listen subscribes to the heads of all indexers, and to what they say may not be routed.
// All subscriptions share one channel, so that messages are taken in the order in which
// they were sent: a block before its head.
func (r *Replica) listen() error {
	for _, p := range r.peers {
		for _, subject := range []string{p.subjects.head(), p.subjects.eligibility()} {
			if _, err := r.Conn.ChanSubscribe(subject, r.inbox); err != nil {
				return err
			}
		}
	}
	return nil
}

// receive hands messages to Run until ctx ends.
func (r *Replica) receive(ctx context.Context) {
	take := map[string]func(data []byte, at time.Time){}
	for _, p := range r.peers {
		take[p.subjects.head()] = func(data []byte, at time.Time) { r.reject(p, r.takeHead(p, data, at)) }
		take[p.subjects.eligibility()] = func(data []byte, _ time.Time) { r.reject(p, r.takeEligibility(p, data)) }
		take[p.block()] = func(data []byte, at time.Time) { r.reject(p, r.takeBlock(p, data, at)) }
	}
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-r.inbox:
			at := time.Now()
			r.metrics.bytes.Add(float64(len(m.Data)))
			if do := take[m.Subject]; do != nil {
				r.hand(func() { do(m.Data, at) })
			}
		}
	}
}

// follow goes on with another indexer. Its blocks are subscribed to at once; what it
// sent before is fetched.
func (r *Replica) follow(p *peer) {
	if r.blocks != nil {
		r.blocks.Unsubscribe() // fails only if the connection is closed
	}
	if r.followed != nil {
		r.metrics.switches.Inc()
		r.metrics.following.WithLabelValues(r.followed.name).Set(0)
		r.Log.Info("following another indexer", "indexer", p.name, "before", r.followed.name)
	}
	r.metrics.following.WithLabelValues(p.name).Set(1)
	r.followed, r.waiting, r.retryAt = p, map[ID]*delta{}, time.Time{}
	if r.storers == nil {
		r.storers = codec.Storers(r.Families(p.manifest.Sources))
	}
	var err error
	r.blocks, err = r.Conn.ChanSubscribe(p.block(), r.inbox)
	if err != nil {
		r.Log.Warn("cannot subscribe to blocks", "indexer", p.name, "err", err)
	}
}

// choose decides which indexer is followed: the one that is, until it is silent or its
// market is a second older than that of another; then the one with the youngest market.
func (r *Replica) choose() {
	now := time.Now()
	var usable []*peer
	heard := false
	for _, p := range r.peers {
		heard = heard || now.Sub(p.heard) < SilentAfter
		if p.usable(now) && p.fingerprint == r.commonSources(p) {
			usable = append(usable, p)
		}
	}
	if !heard && now.Sub(r.silentAt) > 2*time.Second && r.followed != nil && r.Conn.IsConnected() {
		r.silentAt = now // the broker may be hung: another one is tried
		if err := r.Conn.ForceReconnect(); err != nil {
			r.Log.Warn("cannot reconnect", "err", err)
		}
	}
	if len(usable) == 0 {
		return
	}
	slices.SortFunc(usable, func(a, b *peer) int {
		return cmp.Or(b.updated.Truncate(SilentAfter).Compare(a.updated.Truncate(SilentAfter)), cmp.Compare(a.name, b.name))
	})
	best, ours := usable[0], r.followed
	if ours == nil || ours != best && (!slices.Contains(usable, ours) || best.updated.Sub(ours.updated) > time.Second) {
		r.follow(best)
	}
}

// commonSources is the fingerprint that an indexer must have to be followed: that of
// the first manifest, by which requests are checked.
func (r *Replica) commonSources(p *peer) [32]byte {
	if r.manifest.Load() == nil {
		return p.fingerprint
	}
	return r.sources
}
