package indexer_test

import (
	"context"
	"io"
	"math/big"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/prometheus/client_golang/prometheus"

	"braid/chain"
	"braid/devchain"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// fixture is a local chain, and an indexer that follows it through a TCP proxy which
// can cut the connection.
type fixture struct {
	testing.TB
	chain    *devchain.Chain
	proxy    *tcpProxy
	node     *chain.Client
	index    *indexer.Indexer
	registry *prometheus.Registry
	families []venue.Family
	nonce    uint64 // of the dev account on the branch we build
}

func newFixture(t testing.TB, keep int) *fixture {
	t.Helper()
	return newFixtureWith(t, keep, univ2.New(monad.Sources()))
}

func newFixtureWith(t testing.TB, keep int, families ...venue.Family) *fixture {
	t.Helper()
	return newFixtureFrom(t, keep, market.New(monad.Chain()), families...)
}

// newFixtureFrom has an indexer that starts with a snapshot.
func newFixtureFrom(t testing.TB, keep int, start *market.Snapshot, families ...venue.Family) *fixture {
	t.Helper()
	local, err := devchain.Start(t.Context(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Seed: 1, Sources: monad.Sources(), Families: families,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { local.Close() })
	w := &fixture{TB: t, chain: local, proxy: newTCPProxy(t, local.URL()), registry: prometheus.NewRegistry(), families: families}
	w.node = dial(t, w.proxy.url())
	w.index = indexer.New(indexer.Config{
		Node: w.node, Families: families, Start: start, Listed: monad.Tokens(), Registry: w.registry,
		FirstBlock: 1_000_000, Keep: keep,
	})
	run(t, w.index)
	w.awaitHead()
	return w
}

func dial(t testing.TB, url string) *chain.Client {
	t.Helper()
	node, err := chain.Dial(t.Context(), url, monad.ChainID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	return node
}

// run runs an indexer until the test ends.
func run(t testing.TB, x *indexer.Indexer) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- x.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("run: %v", err)
		}
	})
}

// awaitHead waits for the snapshot of the chain's head.
func (w *fixture) awaitHead() *market.Snapshot {
	w.Helper()
	return await(w.TB, w.index, w.chain.Head().Hash())
}

func await(t testing.TB, x *indexer.Indexer, head common.Hash) *market.Snapshot {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Microsecond) {
		if s := x.Head(); s != nil && s.Block().Hash == head {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("head %s is not reached: %+v", head, x.Health())
		}
	}
}

// parity compares the reserves of every pool of a snapshot with what its contract
// returns at the same block.
func parity(t testing.TB, node *chain.Client, s *market.Snapshot) {
	t.Helper()
	getReserves := crypto.Keccak256([]byte("getReserves()"))[:4]
	var calls []chain.Call
	for _, p := range s.Pools() {
		calls = append(calls, chain.Call{To: common.HexToAddress(string(p.Info().ID)), Data: getReserves})
	}
	results, err := node.Calls(t.Context(), s.Block().Hash, calls)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range s.Pools() {
		r0, r1 := p.(*univ2.Pool).Reserves()
		d := results[i].Data
		if !results[i].OK || len(d) != 96 || u256.FromBytes(d[:32]) != r0 || u256.FromBytes(d[32:64]) != r1 {
			t.Errorf("block %d: pool %s holds %x, the market says %s and %s", s.Block().Number, p.Info().ID, d, r0, r1)
		}
	}
}

// nonceAt is how many transactions the dev account had sent by that block.
func (w *fixture) nonceAt(number uint64) uint64 {
	w.Helper()
	node, err := ethclient.Dial(w.chain.URL())
	if err != nil {
		w.Fatal(err)
	}
	defer node.Close()
	n, err := node.NonceAt(w.Context(), devchain.DevAccount, new(big.Int).SetUint64(number))
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// header is the header of a block on any branch.
func (w *fixture) header(hash common.Hash) *types.Header {
	w.Helper()
	node, err := ethclient.Dial(w.chain.URL())
	if err != nil {
		w.Fatal(err)
	}
	defer node.Close()
	h, err := node.HeaderByHash(w.Context(), hash)
	if err != nil {
		w.Fatal(err)
	}
	return h
}

// tx is a transaction of the dev account.
func (w *fixture) tx(to common.Address, data []byte) *types.Transaction {
	return w.sign(venue.Tx{To: to, Data: data, Gas: 5_000_000})
}

func (w *fixture) sign(tx venue.Tx) *types.Transaction {
	w.nonce++
	return devchain.Sign(devchain.DevKey, w.nonce-1, tx)
}

func (w *fixture) mine(txs ...*types.Transaction) {
	w.Helper()
	receipts, err := w.chain.Mine(txs...)
	if err != nil {
		w.Fatal(err)
	}
	for i, r := range receipts {
		if r.Status != types.ReceiptStatusSuccessful {
			w.Fatalf("transaction %d of %d reverted", i, len(txs))
		}
	}
}

// transferAndSync raises a pool's reserve of its first token by an amount, and makes
// the pool emit a Sync.
func (w *fixture) transferAndSync(p venue.Pool, amount uint64) []*types.Transaction {
	pair := common.HexToAddress(string(p.Info().ID))
	return []*types.Transaction{
		w.tx(p.Info().Tokens[0], pack("transfer(address,uint256)", pair[:], u256.From(amount).Big().Bytes())),
		w.tx(pair, pack("sync()")),
	}
}

func pack(signature string, words ...[]byte) []byte {
	data := crypto.Keccak256([]byte(signature))[:4]
	for _, w := range words {
		data = append(data, common.LeftPadBytes(w, 32)...)
	}
	return data
}

// tcpProxy forwards TCP connections to a node, until it is cut.
type tcpProxy struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	cut   bool
	conns []net.Conn
}

func newTCPProxy(t testing.TB, to string) *tcpProxy {
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &tcpProxy{listener: l, to: u.Host}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go w.forward(conn)
		}
	}()
	t.Cleanup(func() { l.Close(); w.setCut(true) })
	return w
}

func (w *tcpProxy) url() string { return "http://" + w.listener.Addr().String() }

func (w *tcpProxy) forward(client net.Conn) {
	defer client.Close()
	node, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer node.Close()
	w.mu.Lock()
	cut := w.cut
	w.conns = append(w.conns, client, node)
	w.mu.Unlock()
	if cut {
		return
	}
	go io.Copy(node, client)
	io.Copy(client, node)
}

// setCut closes all connections and refuses new ones, or accepts them again.
func (w *tcpProxy) setCut(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	if cut {
		for _, c := range w.conns {
			c.Close()
		}
		w.conns = slices.Delete(w.conns, 0, len(w.conns))
	}
}
