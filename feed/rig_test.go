package feed

import (
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"braid/codec"
	"braid/families"
	"braid/feed/broker"
	"braid/market"
	"braid/monad"
	_ "braid/router" // its index is made with every market, as in the product
	"braid/score"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venue/univ3"
)

// The tests have a chain of their own, which is generated; broker, writers and replicas
// are real.

func testLog(t testing.TB) *slog.Logger {
	if os.Getenv("VERBOSE") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return slog.New(slog.DiscardHandler)
}

func testFamilies() []venue.Family { return families.Of(monad.Sources(), monad.WrappedNative) }

// generated is a market of so many pools, of sources of chain 143.
func generated(t testing.TB, pools int, seed uint64) *market.Snapshot {
	t.Helper()
	m, err := score.Generate(score.Sized(pools, seed)).File.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var factories [2]common.Address // of a source with pairs, and one with concentrated liquidity
	for _, s := range monad.Sources() {
		if s.Family == univ2.Name && factories[0] == (common.Address{}) {
			factories[0] = s.Factory
		}
		if s.Family == univ3.Name && factories[1] == (common.Address{}) {
			factories[1] = s.Factory
		}
	}
	storers := codec.Storers(testFamilies())
	list := make([]venue.Pool, len(m.Pools()))
	for i, p := range m.Pools() {
		data := codec.EncodePool(storers, p)
		factory := factories[0]
		if p.Info().Source.Family == univ3.Name {
			factory = factories[1]
		}
		copy(data[4:], factory[:]) // an encoded pool begins with its family, then its source
		if list[i], err = codec.DecodePool(storers, data); err != nil {
			t.Fatal(err)
		}
	}
	next, err := market.New(monad.Chain()).Next(market.Block{Number: 1, Hash: common.Hash{31: 1}}, list, m.Tokens())
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// ledger is a generated chain. Any number of indexers follow it.
type ledger struct {
	testing.TB
	mu    sync.Mutex
	r     *rand.Rand
	tip   *market.Snapshot
	made  uint64
	pairs *venue.Source // of pairs
	every []func(parent, next *market.Snapshot)
}

func newLedger(t testing.TB, pools int, seed uint64) *ledger {
	l := &ledger{TB: t, r: rand.New(rand.NewPCG(seed, 2)), tip: generated(t, pools, seed)}
	for _, p := range l.tip.Pools() {
		if p.Info().Source.Family == univ2.Name {
			l.pairs = p.Info().Source
		}
	}
	return l
}

// block makes the next block on a parent, in which trades change some pools, and a token
// and a pool are new now and then.
func (l *ledger) block(parent *market.Snapshot, changes int) *market.Snapshot {
	l.made++
	b := parent.Block()
	next := market.Block{Number: b.Number + 1, Parent: b.Hash, Time: 1_700_000_000 + b.Number, BaseFee: u256.From(50e9 + l.made)}
	binary.BigEndian.PutUint64(next.Hash[:], l.made)
	var pools []venue.Pool
	for range changes {
		p := parent.Pools()[l.r.IntN(len(parent.Pools()))]
		in := l.r.IntN(2)
		amount := u256.FromFloat(p.Depth(in) * 0.001 * l.r.Float64())
		if q, err := p.Swap(in, 1-in, amount); err == nil {
			pools = append(pools, q)
		}
	}
	var tokens []market.Token
	if l.r.IntN(4) == 0 {
		var a, pair common.Address
		binary.BigEndian.PutUint64(a[:], l.r.Uint64())
		binary.BigEndian.PutUint64(pair[:], l.r.Uint64())
		tokens = append(tokens, market.Token{Address: a, Symbol: "NEW", Name: "new", Decimals: 18})
		pools = append(pools, univ2.NewPool(l.pairs, pair, [2]common.Address{a, monad.WrappedNative}, u256.FromFloat(1e21), u256.FromFloat(1e20)))
	}
	m, err := parent.Next(next, pools, tokens)
	if err != nil {
		l.Fatal(err)
	}
	return m
}

// advance makes a block on the tip, which all indexers are told of.
func (l *ledger) advance(changes int) *market.Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	parent := l.tip
	l.tip = l.block(parent, changes)
	for _, f := range l.every {
		f(parent, l.tip)
	}
	return l.tip
}

// indexer is an indexer of the chain, with a Writer.
type testIndexer struct {
	*Writer
	head     atomic.Pointer[market.Snapshot]
	changed  atomic.Pointer[chan struct{}]
	status   atomic.Pointer[Status]
	mute     atomic.Bool // its nodes confirm nothing
	registry *prometheus.Registry
	conn     *nats.Conn
	cancel   context.CancelFunc
	ended    chan error
}

// set makes a market the head, after those that lead to it were published.
func (x *testIndexer) set(m *market.Snapshot) {
	x.head.Store(m)
	close(*x.changed.Swap(new(make(chan struct{}))))
}

func (x *testIndexer) follow(parent, next *market.Snapshot) {
	x.Publish(parent, next)
	x.set(next)
}

// rig is a broker with indexers and replicas.
type rig struct {
	testing.TB
	*broker.Broker
	*ledger
	keys    Keys
	secrets map[string]ed25519.PrivateKey
}

func newRig(t testing.TB, pools int, configure func(*server.Options)) *rig {
	t.Helper()
	b, err := broker.Start(configure)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return &rig{TB: t, Broker: b, ledger: newLedger(t, pools, 1), keys: Keys{}, secrets: map[string]ed25519.PrivateKey{}}
}

// options are those of a broker at the address of the one that was shut down.
func (g *rig) options(at net.Addr) *server.Options {
	return &server.Options{ServerName: "braid", Host: "127.0.0.1", Port: at.(*net.TCPAddr).Port, JetStream: true, StoreDir: g.TempDir(), NoSigs: true, NoLog: true}
}

func (g *rig) connect(name string) *nats.Conn {
	g.Helper()
	c, err := Connect(Broker{URLs: g.ClientURL()}, name, testLog(g))
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(c.Close)
	return c
}

func (g *rig) secret(name string) ed25519.PrivateKey {
	if g.secrets[name] == nil {
		pub, key, err := ed25519.GenerateKey(nil)
		if err != nil {
			g.Fatal(err)
		}
		g.secrets[name], g.keys[name] = key, append(g.keys[name], pub)
	}
	return g.secrets[name]
}

// start runs an indexer that follows the chain, unless follow is false.
func (g *rig) start(name string, follow bool, change func(*WriterConfig)) *testIndexer {
	g.Helper()
	x := &testIndexer{registry: prometheus.NewRegistry(), conn: g.connect(name), ended: make(chan error, 1)}
	x.changed.Store(new(make(chan struct{})))
	c := WriterConfig{
		Conn: x.conn, Name: name, Key: g.secret(name), Families: testFamilies(), Log: testLog(g), Registry: x.registry,
		Manifest: Manifest{Chain: monad.ChainID, Sources: monad.Sources(), Gas: "monad"},
		Head:     x.head.Load,
		Changed:  func() <-chan struct{} { return *x.changed.Load() },
		Status: func() Status {
			if s := x.status.Load(); s != nil {
				return *s
			}
			return Status{Reachable: true, Updated: time.Now().Add(-time.Millisecond)}
		},
	}
	if change != nil {
		change(&c)
	}
	var err error
	if x.Writer, err = NewWriter(c); err != nil {
		g.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	x.cancel = cancel
	go func() { x.ended <- x.Run(ctx) }()
	g.Cleanup(func() { cancel() })
	g.mu.Lock()
	defer g.mu.Unlock()
	x.Publish(nil, g.tip)
	x.set(g.tip)
	if follow {
		g.every = append(g.every, x.follow)
	}
	return x
}

// replica runs a replica of all indexers that have keys.
func (g *rig) replica(change func(*ReplicaConfig)) *Replica {
	g.Helper()
	c := ReplicaConfig{
		Conn: g.connect("replica"), Chain: monad.ChainID, Keys: g.keys, Start: market.New(monad.Chain()),
		Families: func(s []venue.Source) []venue.Family { return families.Of(s, monad.WrappedNative) },
		Log:      testLog(g), Registry: prometheus.NewRegistry(),
	}
	if change != nil {
		change(&c)
	}
	r := NewReplica(c)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	g.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			g.Errorf("replica: %v", err)
		}
	})
	return r
}

// await waits until a condition holds.
func (g *rig) await(what string, condition func() bool) {
	g.Helper()
	for end := time.Now().Add(20 * time.Second); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			g.Fatalf("waited 20 s in vain: %s", what)
		}
	}
}

func at(r *Replica, m *market.Snapshot) func() bool {
	return func() bool { h := r.Head(); return h != nil && h.Block().Hash == m.Block().Hash }
}

// encoded are all pools with their histories and all tokens, in their order.
func encoded(m *market.Snapshot) (list []string) {
	storers := codec.Storers(testFamilies())
	for _, p := range m.Pools() {
		r := encodeRecord(storers, p)
		list = append(list, r.state, r.history)
	}
	for _, t := range m.Tokens() {
		list = append(list, string(venue.Encode(func(c *venue.Codec) { codec.Token(c, &t) })))
	}
	return list
}

// same fails unless two markets are equal: blocks, pools with their histories, tokens
// and prices, all in one order.
func (g *rig) same(got, want *market.Snapshot) {
	g.Helper()
	if got.Block() != want.Block() {
		g.Fatalf("block %+v, want %+v", got.Block(), want.Block())
	}
	if !slices.Equal(encoded(got), encoded(want)) {
		g.Fatalf("block %d: the markets differ", want.Block().Number)
	}
	for i := range want.Tokens() {
		if got.Price(i) != want.Price(i) {
			g.Fatalf("block %d: price of token %d is %v, want %v", want.Block().Number, i, got.Price(i), want.Price(i))
		}
	}
}

// valueOf is the value of a counter or gauge.
func valueOf(m prometheus.Metric) float64 {
	var v dto.Metric
	if err := m.Write(&v); err != nil {
		panic(err)
	}
	return v.GetCounter().GetValue() + v.GetGauge().GetValue()
}

// meanOf is the mean of a histogram.
func meanOf(h prometheus.Histogram) float64 {
	var v dto.Metric
	if err := h.Write(&v); err != nil {
		panic(err)
	}
	return v.GetHistogram().GetSampleSum() / float64(max(1, v.GetHistogram().GetSampleCount()))
}
