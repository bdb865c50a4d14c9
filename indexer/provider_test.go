package indexer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"braid/chain"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venuetest"
)

// limitedProvider is a proxy of a node that limits the blocks of an eth_getLogs
// request and the requests per second, and is overloaded at times.
type limitedProvider struct {
	node     string
	blocks   uint64
	rate     float64
	overload float64    // share of the requests that it is too busy for
	random   *rand.Rand // chooses them

	mu      sync.Mutex
	tokens  float64
	at      time.Time
	asked   map[string]int // requests by method, without those refused by rate or overload
	refused int            // by the rate limit
	busy    int            // requests refused because of overload
}

// overloads are errors by which Monad's nodes and providers say that they are busy.
var overloads = []string{
	`{"code":-32007,"message":"25/second request limit reached"}`,
	`{"code":-32603,"message":"Internal error: concurrent requests limit"}`,
	`{"code":-32603,"message":"queue size exceeded"}`,
	`{"code":-32603,"message":"queuing time exceeded"}`,
	`{"code":-32603,"message":"overloaded, try again later"}`,
}

func (g *limitedProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var ask struct {
		ID     json.RawMessage
		Method string
		Params []struct{ FromBlock, ToBlock string }
	}
	if r.Method != http.MethodPost {
		http.Error(w, "no socket here", http.StatusNotFound)
		return
	}
	json.Unmarshal(body, &ask) // fails for other methods, whose parameters differ
	g.mu.Lock()
	now := time.Now()
	g.tokens, g.at = min(g.rate, g.tokens+g.rate*now.Sub(g.at).Seconds()), now
	granted := g.tokens >= 1
	overload := ""
	switch {
	case !granted:
		g.refused++
	case g.overload > 0 && ask.ID != nil && g.random.Float64() < g.overload:
		g.busy++
		overload = overloads[g.random.IntN(len(overloads))]
	default:
		g.asked[ask.Method]++
	}
	if granted {
		g.tokens--
	}
	g.mu.Unlock()
	if !granted {
		http.Error(w, "slow down", http.StatusTooManyRequests)
		return
	}
	if overload != "" {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, ask.ID, overload)
		return
	}
	if ask.Method == "eth_getLogs" && ask.Params[0].FromBlock != "" {
		from, _ := strconv.ParseUint(strings.TrimPrefix(ask.Params[0].FromBlock, "0x"), 16, 64)
		to, _ := strconv.ParseUint(strings.TrimPrefix(ask.Params[0].ToBlock, "0x"), 16, 64)
		if to-from+1 > g.blocks {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"block range too large"}}`, ask.ID)
			return
		}
	}
	answer, err := http.Post(g.node, "application/json", bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	w.Header().Set("Content-Type", "application/json")
	io.Copy(w, answer.Body)
}

// TestJoinThroughLimitedProvider joins a long chain with many pools through a
// provider that allows 100 blocks per request and 25 requests per second and is
// overloaded, and is stopped half way. The environment variables BLOCKS and POOLS
// set its size, BUSY the percentage of requests that are refused because of overload.
func TestJoinThroughLimitedProvider(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	w.createPairs(int(venuetest.Setting(t, "POOLS", 400)), int(venuetest.Setting(t, "BLOCKS", 2500)))
	g := &limitedProvider{node: w.chain.URL(), blocks: 100, rate: 25, tokens: 25, at: time.Now(), asked: map[string]int{},
		overload: float64(venuetest.Setting(t, "BUSY", 30)) / 100, random: rand.New(rand.NewPCG(1, 2))}
	server := httptest.NewServer(g)
	defer server.Close()
	path := filepath.Join(t.TempDir(), "market")

	began := time.Now()
	searched := map[bool]uint64{} // blocks, by whether it was after the stop
	var forecast []float64        // forecast durations as fractions of the real one
	join := func(again bool) *market.Snapshot {
		families := []venue.Family{univ2.New(monad.Sources())}
		store, err := indexer.OpenStore(path, monad.ChainID, monad.Sources(), families, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		node, err := chain.Open(t.Context(), chain.Config{URLs: []string{server.URL}, ChainID: monad.ChainID, Rate: 25})
		if err != nil {
			t.Fatal(err)
		}
		defer node.Close()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var last indexer.Progress
		var ends []time.Time
		x := indexer.New(indexer.Config{
			Node: node, Families: families, Sources: monad.Sources(), Store: store,
			Start: market.New(monad.Chain()), Listed: monad.Tokens(),
			Progress: func(p indexer.Progress) {
				if p.Stage == last.Stage && (p.Done < last.Done || p.Of != last.Of) || p.Done > p.Of {
					t.Errorf("progress goes from %v to %v", last, p)
				}
				last = p
				if p.Stage != "finding pools" {
					return
				}
				searched[again] = p.Done
				if p.Left > 0 && p.Done > p.Of/3 {
					ends = append(ends, time.Now().Add(p.Left))
				}
				if p.Done == p.Of {
					for _, e := range ends {
						forecast = append(forecast, e.Sub(began).Seconds()/time.Since(began).Seconds())
					}
				}
				if !again && p.Done > p.Of/2 {
					stop()
				}
			},
		})
		done := make(chan error)
		go func() { done <- x.Run(ctx) }()
		var s *market.Snapshot
		if again {
			s = await(t, x, w.chain.Head().Hash())
			stop()
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		return s
	}
	join(false)
	s := join(true)
	sameSnapshots(t, w.awaitHead(), s)
	parity(t, w.node, s)
	if head := s.Block().Number; searched[false] < head/3 || searched[true] > head*2/3 {
		t.Errorf("searched %d blocks before the stop and %d after it, of %d", searched[false], searched[true], head)
	}
	if g.refused > 20 {
		t.Errorf("%d requests exceeded the rate limit", g.refused)
	}
	fmt.Printf("join: blocks=%d pools=%d seconds=%.1f requests=%v per_range=%.2f refused=%d busy=%d forecasts=%.2f\n",
		s.Block().Number, len(s.Pools()), time.Since(began).Seconds(), g.asked,
		float64(g.asked["eth_getLogs"])*float64(g.blocks)/float64(s.Block().Number), g.refused, g.busy, forecast)
}

// createPairs creates pairs until there are so many pools, and mines blocks until
// there are so many.
func (w *fixture) createPairs(pools, blocks int) {
	w.Helper()
	tokens := monad.Tokens()
	have := map[string]bool{}
	for _, p := range w.index.Head().Pools() {
		i := p.Info()
		have[i.Source.ID+i.Tokens[0].Hex()+i.Tokens[1].Hex()] = true
	}
	var txs []*types.Transaction
	count := len(w.index.Head().Pools())
	flush := func() {
		w.mine(txs...)
		txs = nil
	}
	for _, s := range monad.Sources() {
		for i := range tokens {
			for k := range i {
				a, b := tokens[k].Address, tokens[i].Address
				if s.Family != univ2.Name || count >= pools || have[s.ID+a.Hex()+b.Hex()] || have[s.ID+b.Hex()+a.Hex()] {
					continue
				}
				txs = append(txs, w.tx(s.Factory, pack("createPair(address,address)", a[:], b[:])))
				if count++; len(txs) == 25 {
					flush()
				}
			}
		}
	}
	flush()
	w.proxy.setCut(true) // the indexer of the fixture need not see each of them
	for w.chain.Head().Number.Uint64() < uint64(blocks) {
		w.mine()
	}
	w.proxy.setCut(false)
}
