package chain_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"braid/chain"
	"braid/market"
)

// witness is a node that knows one block, which a liar twists. It can be away.
type witness struct {
	liar  bool
	times bool // its logs have them
	away  atomic.Bool
	asked atomic.Int64
}

func (w *witness) ChainId() hexutil.Uint64 { return 143 }

func (w *witness) ClientVersion() string {
	if w.liar {
		return "braid/"
	}
	return "Monad/1"
}

func (w *witness) GetBlockByHash(h common.Hash, full bool) map[string]any {
	w.asked.Add(1)
	if h != hash(7) {
		return nil
	}
	b := block(7)
	if w.liar {
		b["receiptsRoot"] = common.Hash{1}
	}
	return b
}

func (w *witness) Call(args map[string]any, at map[string]any) hexutil.Bytes {
	if w.liar {
		return make([]byte, 31)
	}
	return make([]byte, 32)
}

// GetLogs gives one of block 7, with nothing in it; a liar keeps it back.
func (w *witness) GetLogs(map[string]any) []map[string]any {
	if w.liar {
		return []map[string]any{}
	}
	log := map[string]any{
		"address": common.Address{}, "topics": []common.Hash{{1}}, "data": "0x", "blockNumber": "0x7", "blockHash": hash(7),
		"transactionHash": common.Hash{}, "transactionIndex": "0x0", "logIndex": "0x0",
	}
	if w.times {
		log["blockTimestamp"] = "0x7"
	}
	return []map[string]any{log}
}

func (w *witness) open(t *testing.T, before http.HandlerFunc) string {
	server := rpc.NewServer()
	for _, name := range []string{"eth", "web3"} {
		if err := server.RegisterName(name, w); err != nil {
			t.Fatal(err)
		}
	}
	web := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if w.away.Load() {
			panic(http.ErrAbortHandler)
		}
		if before != nil {
			if before(out, r); out.Header().Get("Retry-After") != "" {
				return
			}
		}
		server.ServeHTTP(out, r)
	}))
	t.Cleanup(func() { web.Close(); server.Stop() })
	return web.URL
}

func open(t *testing.T, rate float64, nodes ...*witness) *chain.Client {
	t.Helper()
	var urls []string
	for _, n := range nodes {
		urls = append(urls, n.open(t, nil))
	}
	c, err := chain.Open(t.Context(), chain.Config{URLs: urls, ChainID: 143, Rate: rate})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestQuorum(t *testing.T) {
	for _, row := range []struct {
		nodes string // h honest, l liar, - away
		want  error  // nil: the truth
	}{
		{"h", nil}, {"h-", nil}, {"-h", nil}, {"hhl", nil}, {"lhh", nil}, {"hlh", nil}, {"h-h", nil}, {"lh-h", nil}, {"llhhh", nil},
		{"hl-", chain.ErrDisagree}, {"-l-h", chain.ErrDisagree},
	} {
		var nodes []*witness
		for _, kind := range row.nodes {
			nodes = append(nodes, &witness{liar: kind == 'l'})
		}
		c := open(t, 0, nodes...)
		for i, kind := range row.nodes {
			nodes[i].away.Store(kind == '-')
		}
		for range 10 { // whoever is asked first
			h, err := c.HeaderByHash(t.Context(), hash(7))
			if row.want == nil && (err != nil || h.Hash != hash(7) || h.Receipts != common.Hash{}) {
				t.Errorf("%s: header %v: %v", row.nodes, h, err)
			}
			results, callErr := c.Calls(t.Context(), hash(7), []chain.Call{{}})
			if row.want == nil && (callErr != nil || len(results[0].Data) != 32) {
				t.Errorf("%s: call %v: %v", row.nodes, results, callErr)
			}
			ours, runsErr := c.Runs(t.Context(), "braid/")
			if row.want == nil && (runsErr != nil || ours) {
				t.Errorf("%s: runs ours %v: %v", row.nodes, ours, runsErr)
			}
			if row.want != nil && (err == nil || callErr == nil || runsErr == nil) {
				t.Errorf("%s: an answer that no quorum gave: %v, %v, %v", row.nodes, err, callErr, runsErr)
			}
		}
		if _, err := c.HeaderByHash(t.Context(), hash(8)); row.want == nil && !strings.Contains(row.nodes, "-") && !errors.Is(err, chain.ErrUnknownBlock) {
			t.Errorf("%s: a block that is not there: %v", row.nodes, err)
		}
	}
}

// Ranges of logs are what a quorum says, whether or not a node tells the time.
func TestQuorumOfRanges(t *testing.T) {
	for name, nodes := range map[string][]*witness{
		"a liar":         {{}, {liar: true}, {}},
		"nodes differ":   {{times: true}, {}, {liar: true}},
		"a liar is fast": {{liar: true}, {times: true}, {}},
	} {
		c := open(t, 0, nodes...)
		for range 5 { // whoever is asked first
			var got []types.Log
			err := c.LogsRange(t.Context(), 1, 9, []common.Hash{{1}}, func(logs []types.Log, _ uint64) error {
				got = append(got, logs...)
				return nil
			})
			if err != nil || len(got) != 1 || got[0].BlockNumber != 7 || got[0].BlockTimestamp != 0 {
				t.Errorf("%s: %d logs: %v", name, len(got), err)
			}
		}
	}
}

// A node may claim that its answer is of any length.
func TestLongAnswer(t *testing.T) {
	w := &witness{}
	url := w.open(t, func(out http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "eth_getBlockReceipts") {
			out.Header().Set("Content-Length", "9000000000000000000")
			out.Header().Set("Retry-After", "0") // this is the answer
		} else {
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
	})
	c, err := chain.Dial(t.Context(), url, 143)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	h := chain.Header{Block: market.Block{Number: 7, Hash: hash(7)}, Receipts: common.Hash{1}}
	if _, err := c.Logs(t.Context(), h, nil); err == nil {
		t.Error("an answer that never came is taken for one")
	}
}

// A node that is busy is left alone for as long as it asked, and answers then.
func TestRetryAfter(t *testing.T) {
	var busy, until, early atomic.Int64
	w := &witness{}
	url := w.open(t, func(out http.ResponseWriter, r *http.Request) {
		switch {
		case busy.CompareAndSwap(1, 2):
			until.Store(time.Now().Add(time.Second).UnixNano())
			out.Header().Set("Retry-After", "1")
			http.Error(out, "slow down", http.StatusTooManyRequests)
		case time.Now().UnixNano() < until.Load():
			early.Add(1)
		}
	})
	c, err := chain.Dial(t.Context(), url, 143)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	busy.Store(1)
	if _, err := c.HeaderByHash(t.Context(), hash(7)); err == nil || !strings.Contains(err.Error(), "429") {
		t.Errorf("busy: %v", err)
	}
	if _, err := c.HeaderByHash(t.Context(), hash(7)); err != nil {
		t.Errorf("after the rest: %v", err)
	}
	if n := early.Load(); n > 0 {
		t.Errorf("%d requests during the rest", n)
	}
}

// No more is asked than the limit allows, and who could not be served in time
// hears it at once.
func TestRate(t *testing.T) {
	w := &witness{}
	c := open(t, 20, w)
	began := time.Now()
	for time.Since(began) < time.Second {
		if _, err := c.HeaderByHash(t.Context(), hash(7)); err != nil {
			t.Fatal(err)
		}
	}
	if most := int64(20 + 20*time.Since(began).Seconds() + 1); w.asked.Load() > most {
		t.Errorf("%d requests, at most %d are allowed", w.asked.Load(), most)
	}
	slow := open(t, 1e-6, w) // its one request of the first week was for the chain's ID
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if _, err := slow.HeaderByHash(ctx, hash(7)); err == nil {
		t.Error("served beyond the limit")
	}
}
