package chain_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
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

// oneBlockNode is a node that knows block 7 only. If it is byzantine it answers
// with other contents; if it is offline it closes connections.
type oneBlockNode struct {
	byzantine  bool
	timestamps bool // its logs have blockTimestamp
	offline    atomic.Bool
	requests   atomic.Int64
}

func (w *oneBlockNode) ChainId() hexutil.Uint64 { return 143 }

func (w *oneBlockNode) BlockNumber() hexutil.Uint64 { return 9 }

func (w *oneBlockNode) ClientVersion() string {
	if w.byzantine {
		return "braid/"
	}
	return "Monad/1"
}

func (w *oneBlockNode) GetBlockByHash(h common.Hash, full bool) map[string]any {
	w.requests.Add(1)
	if h != hash(7) {
		return nil
	}
	b := block(7)
	if w.byzantine {
		b["receiptsRoot"] = common.Hash{1}
	}
	return b
}

func (w *oneBlockNode) Call(args map[string]any, at map[string]any) hexutil.Bytes {
	if w.byzantine {
		return make([]byte, 31)
	}
	return make([]byte, 32)
}

// GetLogs gives one empty log of block 7, or none if the node is byzantine.
func (w *oneBlockNode) GetLogs(map[string]any) []map[string]any {
	if w.byzantine {
		return []map[string]any{}
	}
	log := map[string]any{
		"address": common.Address{}, "topics": []common.Hash{{1}}, "data": "0x", "blockNumber": "0x7", "blockHash": hash(7),
		"transactionHash": common.Hash{}, "transactionIndex": "0x0", "logIndex": "0x0",
	}
	if w.timestamps {
		log["blockTimestamp"] = "0x7"
	}
	return []map[string]any{log}
}

func (w *oneBlockNode) start(t *testing.T, before http.HandlerFunc) string {
	server := rpc.NewServer()
	for _, name := range []string{"eth", "web3"} {
		if err := server.RegisterName(name, w); err != nil {
			t.Fatal(err)
		}
	}
	web := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if w.offline.Load() {
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

func open(t *testing.T, rate float64, nodes ...*oneBlockNode) *chain.Client {
	t.Helper()
	var urls []string
	for _, n := range nodes {
		urls = append(urls, n.start(t, nil))
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
		nodes string // h honest, l byzantine, - offline
		want  error  // nil: the honest answer
	}{
		{"h", nil}, {"h-", nil}, {"-h", nil}, {"hhl", nil}, {"lhh", nil}, {"hlh", nil}, {"h-h", nil}, {"lh-h", nil}, {"llhhh", nil},
		{"hl-", chain.ErrDisagree}, {"-l-h", chain.ErrDisagree},
	} {
		var nodes []*oneBlockNode
		for _, kind := range row.nodes {
			nodes = append(nodes, &oneBlockNode{byzantine: kind == 'l'})
		}
		c := open(t, 0, nodes...)
		for i, kind := range row.nodes {
			nodes[i].offline.Store(kind == '-')
		}
		for range 10 { // whichever node is asked first
			h, err := c.HeaderByHash(t.Context(), hash(7))
			if row.want == nil && (err != nil || h.Hash != hash(7) || h.ReceiptsRoot != common.Hash{}) {
				t.Errorf("%s: header %v: %v", row.nodes, h, err)
			}
			results, callErr := c.Calls(t.Context(), hash(7), []chain.Call{{}})
			if row.want == nil && (callErr != nil || len(results[0].Data) != 32) {
				t.Errorf("%s: call %v: %v", row.nodes, results, callErr)
			}
			if row.want != nil && (err == nil || callErr == nil) {
				t.Errorf("%s: an answer that no quorum gave: %v, %v", row.nodes, err, callErr)
			}
		}
		if _, err := c.HeaderByHash(t.Context(), hash(8)); row.want == nil && !strings.Contains(row.nodes, "-") && !errors.Is(err, chain.ErrUnknownBlock) {
			t.Errorf("%s: a block that is not there: %v", row.nodes, err)
		}
	}
}

// Ranges of logs are what a quorum answers, whether or not a node sends
// timestamps.
func TestQuorumOfRanges(t *testing.T) {
	for name, nodes := range map[string][]*oneBlockNode{
		"one is byzantine":   {{}, {byzantine: true}, {}},
		"nodes differ":       {{timestamps: true}, {}, {byzantine: true}},
		"byzantine is first": {{byzantine: true}, {timestamps: true}, {}},
	} {
		c := open(t, 0, nodes...)
		for range 5 { // whichever node is asked first
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

// A node may claim any content length; the answer that never comes is an error.
func TestClaimedContentLength(t *testing.T) {
	w := &oneBlockNode{}
	url := w.start(t, func(out http.ResponseWriter, r *http.Request) {
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
	h := chain.Header{Block: market.Block{Number: 7, Hash: hash(7)}, ReceiptsRoot: common.Hash{1}}
	if _, err := c.Logs(t.Context(), h, nil); err == nil {
		t.Error("an answer that never came is accepted")
	}
}

// A node that answers 429 is not asked for as long as Retry-After says. Then it is
// asked again, unless that is later than the answer is needed.
func TestRetryAfter(t *testing.T) {
	var refuse, until, early atomic.Int64 // refuse: seconds of the next Retry-After
	w := &oneBlockNode{}
	url := w.start(t, func(out http.ResponseWriter, r *http.Request) {
		if seconds := refuse.Swap(0); seconds > 0 {
			until.Store(time.Now().Add(time.Duration(seconds) * time.Second).UnixNano())
			out.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
			http.Error(out, "slow down", http.StatusTooManyRequests)
		} else if time.Now().UnixNano() < until.Load() {
			early.Add(1)
		}
	})
	c, err := chain.Dial(t.Context(), url, 143)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	refuse.Store(1)
	if _, err := c.HeaderByHash(t.Context(), hash(7)); err != nil || w.requests.Load() != 1 {
		t.Errorf("after the pause: %d answers: %v", w.requests.Load(), err)
	}
	refuse.Store(60)
	for range 2 {
		if _, err := c.HeaderByHash(t.Context(), hash(7)); !errors.Is(err, chain.ErrLimited) {
			t.Errorf("busy for long: %v", err)
		}
	}
	if n := early.Load(); n > 0 {
		t.Errorf("%d requests during the pause", n)
	}
}

// Requests keep to the rate limit; one that cannot be made before its deadline
// fails at once.
func TestRate(t *testing.T) {
	w := &oneBlockNode{}
	c := open(t, 20, w)
	began := time.Now()
	for time.Since(began) < time.Second {
		if _, err := c.HeaderByHash(t.Context(), hash(7)); err != nil {
			t.Fatal(err)
		}
	}
	if most := int64(20 + 20*time.Since(began).Seconds() + 1); w.requests.Load() > most {
		t.Errorf("%d requests, at most %d are allowed", w.requests.Load(), most)
	}
	slow := open(t, 1e-6, w) // its one request of the first week was eth_chainId
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if _, err := slow.HeaderByHash(ctx, hash(7)); err == nil {
		t.Error("served beyond the limit")
	}
}
