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

// laggard is a node that has come no further than to a block, if one is set. It
// may keep its logs to itself, and pass over state overrides.
type laggard struct {
	node string
	at   atomic.Uint64
	mute atomic.Bool
	bare atomic.Bool
}

func (l *laggard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	if at := l.at.Load(); at > 0 && ask.Method == "eth_getBlockByNumber" {
		switch n, err := hexutil.DecodeUint64(ask.Params[0].(string)); {
		case err != nil:
			body = bytes.Replace(body, []byte(ask.Params[0].(string)), []byte(hexutil.EncodeUint64(at)), 1)
		case n > at:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":null}`, ask.ID)
			return
		}
	}
	if ask.Method == "eth_call" && l.bare.Load() {
		body, _ = json.Marshal(map[string]any{"jsonrpc": "2.0", "id": ask.ID, "method": ask.Method, "params": ask.Params[:2]})
	}
	if ask.Method == "eth_getLogs" && l.mute.Load() {
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

// Nodes that fall far back are waited for: neither the market nor what the
// store holds is made anew for them.
func TestNodesFallBack(t *testing.T) {
	t.Parallel()
	const keep = 8
	w := newWorld(t, 0)
	pools := w.index.Head().Pools()
	live := func() uint64 {
		for range 5 * keep {
			w.mine(w.give(pools[0], 100)...)
		}
		return w.chain.Head().Number.Uint64()
	}
	head := live()
	node := &laggard{node: w.chain.URL()}
	server := httptest.NewServer(node)
	defer server.Close()
	sources := monad.Sources()
	for i := range sources {
		sources[i].FirstBlock = 0
	}
	families := []venue.Family{univ2.New(sources)}
	path := filepath.Join(t.TempDir(), "market")

	// during is a life of an indexer; it gives what was logged.
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
			same(t, w.settle(), await(t, x, w.chain.Head().Hash()))
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

	node.mute.Store(true)
	during(func(reason func(string), _ func()) { reason("finding pools") })
	node.mute.Store(false)
	node.at.Store(head - 1)
	log := during(func(reason func(string), reached func()) {
		reason("behind") // what was searched
		node.at.Store(0)
		reached()
		head = live()
		reached()
		node.at.Store(head - 3*keep)
		reason("behind") // the market
		node.at.Store(0)
		reached()
	})
	if strings.Contains(log, "starting over") || strings.Contains(log, "anew") {
		t.Errorf("made anew: %s", log)
	}
	node.at.Store(head - 3*keep)
	log = during(func(reason func(string), reached func()) {
		reason("behind") // the store
		node.at.Store(0)
		reached()
	})
	if !strings.Contains(log, "resuming") || strings.Contains(log, "finding pools") {
		t.Errorf("not resumed: %s", log)
	}
}
