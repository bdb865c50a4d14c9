package indexer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/venue"
	"braid/venue/univ2"
)

// laggingNode is a proxy of a node that pretends not to have blocks above height,
// unless that is 0. It can refuse eth_getLogs, and ignore state overrides.
type laggingNode struct {
	node          string
	height        atomic.Uint64
	refuseLogs    atomic.Bool
	dropOverrides atomic.Bool
}

func (l *laggingNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var ask struct {
		ID     json.RawMessage
		Method string
		Params []any
	}
	if r.Method != http.MethodPost || json.Unmarshal(body, &ask) != nil {
		http.Error(w, "no socket here", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if at := l.height.Load(); at > 0 && ask.Method == "eth_getBlockByNumber" {
		switch n, err := hexutil.DecodeUint64(ask.Params[0].(string)); {
		case err != nil:
			body = bytes.Replace(body, []byte(ask.Params[0].(string)), []byte(hexutil.EncodeUint64(at)), 1)
		case n > at:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":null}`, ask.ID)
			return
		}
	}
	if ask.Method == "eth_call" && l.dropOverrides.Load() {
		body, _ = json.Marshal(map[string]any{"jsonrpc": "2.0", "id": ask.ID, "method": ask.Method, "params": ask.Params[:2]})
	}
	if ask.Method == "eth_getLogs" && l.refuseLogs.Load() {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32005,"message":"limit exceeded"}}`, ask.ID)
		return
	}
	answer, err := http.Post(l.node, "application/json", bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	io.Copy(w, answer.Body)
}

// Nodes that fall far behind are waited for: neither the snapshot nor what the
// store holds is made again because of them.
func TestNodesFallBack(t *testing.T) {
	t.Parallel()
	const keep, fallBack = 8, 44 // blocks; more than keep and 32 are not remembered
	w := newFixture(t, 0)
	pools := w.index.Head().Pools()
	live := func() uint64 {
		for range 6 * keep {
			w.mine(w.transferAndSync(pools[0], 100)...)
		}
		return w.chain.Head().Number.Uint64()
	}
	head := live()
	node := &laggingNode{node: w.chain.URL()}
	server := httptest.NewServer(node)
	defer server.Close()
	sources := monad.Sources()
	for i := range sources {
		sources[i].FirstBlock = 0
	}
	families := []venue.Family{univ2.New(sources)}
	path := filepath.Join(t.TempDir(), "market")

	// during runs an indexer while do lasts, and gives its log.
	during := func(do func(reason func(string), reached func())) string {
		var lines bytes.Buffer
		log := slog.New(slog.NewTextHandler(&lines, nil))
		store, err := indexer.OpenStore(path, monad.ChainID, sources, families, log)
		if err != nil {
			t.Fatal(err)
		}
		x := indexer.New(indexer.Config{
			Node: dial(t, server.URL), Families: families, Sources: sources, Store: store, Log: log, FirstBlock: 1,
			Start: market.New(monad.Chain()), Listed: monad.Tokens(), Keep: keep,
		})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- x.Run(ctx) }()
		do(func(part string) {
			t.Helper()
			for deadline := time.Now().Add(20 * time.Second); !strings.Contains(x.Health().Reason, part); time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("never %q: %+v", part, x.Health())
				}
			}
		}, func() {
			t.Helper()
			sameSnapshots(t, w.awaitHead(), await(t, x, w.chain.Head().Hash()))
		})
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		return lines.String()
	}

	node.refuseLogs.Store(true)
	during(func(reason func(string), _ func()) { reason("finding pools") })
	node.refuseLogs.Store(false)
	node.height.Store(head - 1)
	log := during(func(reason func(string), reached func()) {
		reason("behind") // the discovery
		node.height.Store(0)
		reached()
		head = live()
		reached()
		node.height.Store(head - fallBack)
		reason("behind") // the snapshot
		node.height.Store(0)
		reached()
	})
	if strings.Contains(log, "starting over") || strings.Contains(log, "searching for pools again") {
		t.Errorf("started over: %s", log)
	}
	node.height.Store(head - fallBack)
	log = during(func(reason func(string), reached func()) {
		reason("behind") // the store
		node.height.Store(0)
		reached()
	})
	if !strings.Contains(log, "resuming") || strings.Contains(log, "finding pools") {
		t.Errorf("not resumed: %s", log)
	}
}
