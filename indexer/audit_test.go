package indexer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

	"braid/contracts"
	"braid/devchain"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// ignoringFamily ignores the logs of some pairs, as if their code changed reserves
// without a log.
type ignoringFamily struct {
	*univ2.Family
	ignores func(common.Address) bool
}

func (f ignoringFamily) Decode(log *types.Log) (venue.Event, error) {
	if f.ignores(log.Address) {
		return nil, nil
	}
	return f.Family.Decode(log)
}

// A pool that differs from its state on the chain is found, counted and read again;
// a source most of whose liquidity is in such pools is paused.
func TestAudit(t *testing.T) {
	w := newFixture(t, 0)
	pools := w.index.Head().Pools()
	victims := map[common.Address]bool{}
	var source string
	for _, p := range pools {
		if source == "" || p.Info().Source.ID == source {
			source = p.Info().Source.ID
			victims[common.HexToAddress(string(p.Info().ID))] = true
		}
	}
	family := univ2.New(monad.Sources())
	var mute atomic.Bool // from now on logs of the victims are ignored
	x := indexer.New(indexer.Config{
		Node: w.node, Families: []venue.Family{ignoringFamily{family, func(a common.Address) bool { return mute.Load() && victims[a] }}}, Sources: monad.Sources(),
		Start: market.New(monad.Chain()), Listed: monad.Tokens(), Keep: 8, AuditEvery: 1,
	})
	run(t, x)
	await(t, x, w.chain.Head().Hash())
	mute.Store(true)
	for _, p := range pools { // ignored
		if victims[common.HexToAddress(string(p.Info().ID))] {
			w.mine(w.transferAndSync(p, 1000)...)
		}
	}
	mineUntil := func(blocks int, until func() bool) *market.Snapshot {
		for ; blocks > 0 && !until(); blocks-- {
			w.mine()
			await(t, x, w.chain.Head().Hash())
			time.Sleep(20 * time.Millisecond)
		}
		w.mine()
		return await(t, x, w.chain.Head().Hash())
	}
	s := mineUntil(200, func() bool { return x.Health().Paused[source] != "" })
	if why := x.Health().Paused; len(why) != 1 || why[source] == "" {
		t.Fatalf("paused: %v", why)
	}
	for _, p := range s.Pools() {
		_, err := p.Quote(0, 1, u256.From(1_000_000_000))
		if paused := p.Info().Source.ID == source; paused != errors.Is(err, venue.ErrEmpty) {
			t.Errorf("%s pool %s: %v", p.Info().Source.ID, p.Info().ID, err)
		}
	}
	x.Pause("audit", nil)
	all := len(s.Pools())/32 + 2 // audits until every pool was compared
	parity(t, w.node, mineUntil(2*all, func() bool { return false }))
}

// Pools of tokens that are not verified, made in a good factory, do not pause its
// source, however many of them differ from the chain: each is kept out of routes,
// and the other pools of the source stay.
func TestRefusedPairsDoNotPause(t *testing.T) {
	w := newFixture(t, 0)
	factory, _, _ := w.unpaired()
	victims := map[common.Address]bool{}
	var tokens, pairs []common.Address
	for i := range 4 {
		init := contracts.Token.Init(fmt.Sprint("Own ", i), "OWN", uint8(18), devchain.DevAccount, u256.From(1e18).Big())
		token := w.create(init)
		w.mine(w.tx(factory, pack("createPair(address,address)", token[:], monad.WrappedNative[:])))
		pair := w.pairOf(factory, token, monad.WrappedNative)
		w.mine(w.fillPair(pair, token, monad.WrappedNative, 1e6)...)
		victims[pair], tokens, pairs = true, append(tokens, token), append(pairs, pair)
	}
	family := univ2.New(monad.Sources())
	var mute atomic.Bool
	x := indexer.New(indexer.Config{
		Node: w.node, Families: []venue.Family{ignoringFamily{family, func(a common.Address) bool { return mute.Load() && victims[a] }}}, Sources: monad.Sources(),
		Start: market.New(monad.Chain()), Listed: monad.Tokens(), Keep: 8, AuditEvery: 1,
	})
	run(t, x)
	w.admitAll(x)
	mute.Store(true)
	out := func() (n int) {
		s := await(t, x, w.chain.Head().Hash())
		for pair := range victims {
			if p, ok := s.Pool(venue.AddressID(pair)); ok && venue.Idle(p) != "" {
				n++
			}
		}
		return n
	}
	for blocks := 0; out() < len(victims); blocks++ {
		if blocks == 600 {
			t.Fatalf("%d of %d pools are kept out", out(), len(victims))
		}
		for i, pair := range pairs {
			w.mine(w.tx(tokens[i], pack("transfer(address,uint256)", pair[:], []byte{1})), w.tx(pair, pack("sync()")))
		}
		await(t, x, w.chain.Head().Hash())
		time.Sleep(10 * time.Millisecond)
	}
	if paused := x.Health().Paused; len(paused) > 0 {
		t.Errorf("paused: %v", paused)
	}
	for _, p := range x.Head().Pools() {
		if why := venue.Idle(p); why != "" && !victims[common.HexToAddress(string(p.Info().ID))] {
			t.Errorf("pool %s: %s", p.Info().ID, why)
		}
	}
}

// A read that the node aborts by its time limit is retried. If it keeps failing the
// pool becomes unusable, and is usable again when the read succeeds.
func TestNodeTimeouts(t *testing.T) {
	w := newFixture(t, 0)
	for range 40 {
		w.mine()
	}
	var refusals atomic.Int64 // that are left
	at, err := url.Parse(w.chain.URL())
	if err != nil {
		t.Fatal(err)
	}
	node := httputil.NewSingleHostReverseProxy(at)
	slow := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("0902f1ac")) && refusals.Add(-1) >= 0 { // getReserves
			var q struct{ ID json.RawMessage }
			json.Unmarshal(body, &q)
			out.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"execution aborted (timeout = 5s)"}}`, q.ID)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		node.ServeHTTP(out, r)
	}))
	defer slow.Close()
	for _, c := range []struct{ refusals, lost int64 }{{3, 0}, {1 << 40, 1}} {
		refusals.Store(c.refusals)
		x := indexer.New(indexer.Config{
			Node: dial(t, slow.URL), Families: w.families, Sources: monad.Sources(),
			Start: market.New(monad.Chain()), Listed: monad.Tokens(), Keep: 8, AuditEvery: 1,
		})
		run(t, x)
		lost := func() (n int64) {
			w.mine()
			await(t, x, w.chain.Head().Hash())
			return int64(x.Health().Waiting["not read yet"])
		}
		if n := lost(); min(n, 1) != c.lost {
			t.Errorf("%d refusals: %d pools lost", c.refusals, n)
		}
		refusals.Store(0)
		for tries := 0; lost() > 0; tries++ {
			if time.Sleep(20 * time.Millisecond); tries == 1000 {
				t.Fatalf("%d pools stay lost", lost())
			}
		}
		parity(t, w.node, await(t, x, w.chain.Head().Hash()))
	}
}
