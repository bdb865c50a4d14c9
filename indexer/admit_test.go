package indexer_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/contracts"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ4"
)

// callsNode is a proxy of a node that looks at each eth_call before it is made.
func callsNode(t testing.TB, node string, look func(r *http.Request, call []byte)) string {
	at, err := url.Parse(node)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(at)
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, err error) {
		http.Error(w, err.Error(), http.StatusBadGateway)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var ask struct {
			Method string
			Params []json.RawMessage
		}
		if json.Unmarshal(body, &ask); ask.Method == "eth_call" {
			look(r, ask.Params[0])
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Blocks do not wait for tokens: with a node that does not answer for them the chain
// is followed and other pools are quoted. A pool of an unknown token is admitted
// once the token is described, and the next one of that token at once.
func TestBlocksDoNotWaitForTokens(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	factory := w.deploy(logEmitter)
	token := w.create(contracts.Token.Init("Honest", "HON", uint8(9), common.Address{1}, u256.One.Big()))
	first, second := w.pair(1), w.pair(2)
	selector := []byte(common.Bytes2Hex(crypto.Keccak256([]byte("tokens(uint256,address[])"))[:4]))
	answer := make(chan struct{})
	var asked atomic.Int64
	w.node = dial(t, callsNode(t, w.chain.URL(), func(r *http.Request, call []byte) {
		if bytes.Contains(call, selector) {
			asked.Add(1)
			select {
			case <-answer:
			case <-r.Context().Done():
			}
		}
	}))
	x, _ := w.followFactory(factory)
	pools := await(t, x, w.chain.Head().Hash()).Pools()

	w.mine(w.pairCreated(factory, token, first, 0), w.synced(first))
	for i := range 10 {
		w.mine(w.transferAndSync(pools[i%3], 1000)...)
		s := await(t, x, w.chain.Head().Hash())
		if _, ok := s.Pool(venue.AddressID(first)); ok {
			t.Fatal("a pool of an unknown token is in the market")
		}
		if _, err := s.Pools()[i%3].Quote(0, 1, u256.From(1_000_000)); err != nil {
			t.Errorf("another pool: %v", err)
		}
	}
	w.until("the token is asked for", func() bool { return asked.Load() > 0 })
	if n := x.Health().Waiting["token not described yet"]; n != 1 {
		t.Errorf("%d pools wait for a token", n)
	}
	close(answer)
	if _, ok := w.admitAll(x).Pool(venue.AddressID(first)); !ok {
		t.Error("the pool is not admitted")
	}
	w.mine(w.pairCreated(factory, token, second, 0), w.synced(second))
	if _, ok := await(t, x, w.chain.Head().Hash()).Pool(venue.AddressID(second)); !ok {
		t.Error("a pool of a known token is not admitted in its first block")
	}
}

// A join reads no bitmaps of pools without active liquidity. One of them that holds
// liquidity on one side is admitted soon after; the others never are.
func TestJoinLeavesEmptyPools(t *testing.T) {
	w := newFixtureWith(t, 0, univ4.New(monad.Sources(), monad.WrappedNative))
	pools := w.index.Head().Pools()
	manager := pools[0].Info().Source.Factory
	a, b := monad.USDC, monad.WrappedNative
	if a.Cmp(b) > 0 {
		a, b = b, a
	}
	initialize := func(fee uint64) *types.Transaction {
		price := u256.One.Lsh(96)
		return w.tx(manager, pack("initialize((address,address,uint24,int24,address),uint160)", a[:], b[:], word(u256.From(fee)), []byte{1}, nil, word(price)))
	}
	joined := func() (x *indexer.Indexer, size int64) {
		var sent atomic.Int64
		node := dial(t, callsNode(t, w.chain.URL(), func(_ *http.Request, call []byte) { sent.Add(int64(len(call))) }))
		ready := make(chan int64, 1)
		x = indexer.New(indexer.Config{
			Node: node, Families: w.families, Sources: monad.Sources(), Start: market.New(monad.Chain()), Listed: monad.Tokens(), Keep: 8,
			Progress: func(p indexer.Progress) {
				if p.Stage == "reading pools" && p.Done == p.Of {
					select {
					case ready <- sent.Load():
					default:
					}
				}
			},
		})
		run(t, x)
		await(t, x, w.chain.Head().Hash())
		return x, <-ready
	}
	for range 10 {
		w.mine()
	}
	w.awaitHead()
	_, without := joined()

	const empty = 30
	for i := range empty {
		w.mine(initialize(uint64(5001 + i)))
	}
	w.mine(initialize(4999))
	actor := common.BytesToAddress(crypto.Keccak256([]byte("braid univ4 actor"), manager[:]))
	lower, upper := int32(100), int32(200)
	w.mine(
		w.tx(a, pack("approve(address,uint256)", actor[:], word(u256.Max))),
		w.tx(actor, pack("modify((address,address,uint24,int24,address),(int24,int24,int256,bytes32))", a[:], b[:],
			word(u256.From(4999)), []byte{1}, nil, venue.Signed(lower), venue.Signed(upper), word(u256.From(1e12)), nil)))
	for range 10 {
		w.mine()
	}
	followed := w.awaitHead()
	if len(followed.Pools()) != len(pools)+1 {
		t.Fatalf("%d pools, %d before", len(followed.Pools()), len(pools))
	}
	oneSided := followed.Pools()[len(pools)]
	x, with := joined()
	first, last := ticks.BitmapWords(1)
	bitmap := int64(last-first+1) * 64 // hex digits of the request for one bitmap
	if more := with - without; more > empty*bitmap/50 {
		t.Errorf("%d empty pools take %d bytes of calls; the bitmap of one takes %d", empty, more, bitmap)
	}
	w.until("the pool with liquidity on one side is admitted", func() bool {
		time.Sleep(100 * time.Millisecond) // between blocks
		w.mine()
		p, ok := await(t, x, w.chain.Head().Hash()).Pool(oneSided.Info().ID)
		return ok && samePools(p, oneSided)
	})
	if n := len(x.Head().Pools()); n != len(followed.Pools()) {
		t.Errorf("%d pools, want %d", n, len(followed.Pools()))
	}
}
