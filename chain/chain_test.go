package chain_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"

	"braid/chain"
	"braid/market"
	"braid/u256"
)

// fakeNode is a JSON-RPC server with a chain of blocks of one log each. It
// returns the logs of at most maxBlocks blocks per request.
type fakeNode struct {
	mu        sync.Mutex
	maxBlocks uint64
	calls     []string
	head      uint64
	newHeads  chan uint64
}

type logFilter struct {
	BlockHash          *common.Hash
	FromBlock, ToBlock hexutil.Uint64
}

func (n *fakeNode) note(call string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls = append(n.calls, call)
}

func (n *fakeNode) ChainId() hexutil.Uint64 { return 143 }

func (n *fakeNode) BlockNumber() hexutil.Uint64 { return 1 << 40 }

func (n *fakeNode) GetBlockByNumber(tag string, full bool) map[string]any {
	n.note("head")
	n.mu.Lock()
	defer n.mu.Unlock()
	return block(n.head)
}

func (n *fakeNode) GetLogs(f logFilter) ([]types.Log, error) {
	n.note("logs")
	from, to := uint64(f.FromBlock), uint64(f.ToBlock)
	if to-from+1 > n.maxBlocks {
		return nil, errors.New("block range too large")
	}
	logs := []types.Log{}
	for i := from; i <= to; i++ {
		logs = append(logs, types.Log{BlockNumber: i, BlockHash: hash(i), Topics: []common.Hash{{1}}})
	}
	return logs, nil
}

// NewHeads implements eth_subscribe("newHeads").
func (n *fakeNode) NewHeads(ctx context.Context) (*rpc.Subscription, error) {
	notifier, ok := rpc.NotifierFromContext(ctx)
	if !ok {
		return nil, rpc.ErrNotificationsUnsupported
	}
	sub := notifier.CreateSubscription()
	go func() {
		for {
			select {
			case number := <-n.newHeads:
				notifier.Notify(sub.ID, block(number))
			case <-sub.Err():
				return
			}
		}
	}()
	return sub, nil
}

// stateNode also offers monadNewHeads, as nodes of Monad do.
type stateNode struct {
	fakeNode
	states chan map[string]any
}

// MonadNewHeads implements eth_subscribe("monadNewHeads").
func (n *stateNode) MonadNewHeads(ctx context.Context) (*rpc.Subscription, error) {
	notifier, _ := rpc.NotifierFromContext(ctx)
	sub := notifier.CreateSubscription()
	go func() {
		for {
			select {
			case head := <-n.states:
				notifier.Notify(sub.ID, head)
			case <-sub.Err():
				return
			}
		}
	}()
	return sub, nil
}

// Where a node offers monadNewHeads, heads come with their states.
func TestHeadStates(t *testing.T) {
	n := &stateNode{states: make(chan map[string]any)}
	ctx, stop := context.WithCancel(t.Context())
	heads := serve(t, n, true).Heads(ctx)
	for _, c := range []struct {
		number uint64
		state  string
		head   uint64
		want   chain.BlockState
	}{{5, "Proposed", 5, chain.Proposed}, {5, "Voted", 5, chain.Voted}, {6, "Proposed", 6, chain.Proposed}, {5, "Finalized", 6, chain.Proposed}, {6, "Verified", 6, chain.Finalized}} {
		n.mu.Lock()
		n.head = c.head // what the node answers when it is polled
		n.mu.Unlock()
		head := block(c.number)
		head["blockId"], head["commitState"] = hash(c.number), c.state
		n.states <- head
		for late := time.After(5 * time.Second); ; {
			select {
			case u := <-heads:
				if u.Err != nil || u.Number != c.head || u.State != c.want {
					continue
				}
			case <-late:
				t.Fatalf("block %d %s: no head %d %s", c.number, c.state, c.head, c.want)
			}
			break
		}
	}
	stop()
	for range heads {
	}
}

// slowNode answers a poll for its head, block 4, when it is released.
type slowNode struct {
	fakeNode
	release, gaveUp chan struct{} // the second is closed when the client no longer waits for the first answer
	once            sync.Once
}

func (n *slowNode) GetBlockByNumber(ctx context.Context, tag string, full bool) map[string]any {
	select {
	case <-n.release:
	case <-ctx.Done():
		n.once.Do(func() { close(n.gaveUp) })
	}
	return block(4)
}

// A node that answers polls late, such as an overloaded one, does not delay the head
// that it announces, and its late answer does not replace it.
func TestPollDoesNotDelayHeads(t *testing.T) {
	n := &slowNode{fakeNode: fakeNode{newHeads: make(chan uint64)}, release: make(chan struct{}), gaveUp: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	heads := serve(t, n, true).Heads(ctx)
	see := func(send chan uint64) {
		t.Helper()
		for {
			select {
			case send <- 5:
				send = nil
			case u := <-heads:
				if u.Number == 5 {
					return
				}
				if u.Err == nil {
					t.Fatalf("head %d, want 5", u.Number)
				}
			case <-n.gaveUp:
				t.Fatal("no head while a poll is under way")
			}
		}
	}
	see(n.newHeads)
	close(n.release)
	for range 20 {
		n.newHeads <- 5
		see(nil)
	}
	stop()
	for range heads {
	}
}

func hash(n uint64) common.Hash {
	return common.BigToHash(hexutil.MustDecodeBig(hexutil.EncodeUint64(n + 1000)))
}

func block(n uint64) map[string]any {
	return map[string]any{
		"number": hexutil.Uint64(n), "hash": hash(n), "parentHash": hash(n - 1), "timestamp": hexutil.Uint64(n), "baseFeePerGas": hexutil.Uint64(7),
	}
}

// serve serves the node over HTTP, and over WebSocket if wanted.
func serve(t *testing.T, n any, sockets bool) *chain.Client {
	t.Helper()
	server := rpc.NewServer()
	if err := server.RegisterName("eth", n); err != nil {
		t.Fatal(err)
	}
	ws := server.WebsocketHandler([]string{"*"})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Upgrade") == "":
			server.ServeHTTP(w, r)
		case sockets:
			ws.ServeHTTP(w, r)
		default:
			http.Error(w, "no sockets", http.StatusNotFound)
		}
	}))
	t.Cleanup(func() { server.Stop(); web.Close() })
	c, err := chain.Dial(t.Context(), web.URL, 143)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestDialRefusals(t *testing.T) {
	secret := "s3cr3t"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	l.Close()
	grumpy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no such key: "+r.URL.Path, http.StatusForbidden)
	}))
	defer grumpy.Close()
	other := rpc.NewServer()
	other.RegisterName("eth", new(fakeNode))
	ethereum := httptest.NewServer(other)
	defer ethereum.Close()

	for _, c := range []struct{ url, want string }{
		{"http://user:" + secret + "@" + nobody + "/" + secret, "node " + nobody + ": eth_chainId: dial tcp " + nobody + ": connect: connection refused"},
		{"ws://" + nobody + "/" + secret, "node " + nobody + ": not reachable: dial tcp " + nobody + ": connect: connection refused"},
		{grumpy.URL + "/" + secret, "403 Forbidden"},
		{"ftp://host/" + secret, `node host: scheme "ftp": want http, https, ws or wss`},
		{"://" + secret, "node URL: want http"},
		{"localhost:8545/" + secret, "node URL: want http"},
	} {
		_, err := chain.Dial(t.Context(), c.url, 143)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", c.url, err, c.want)
		}
	}
	if _, err := chain.Dial(t.Context(), ethereum.URL, 1); !errors.Is(err, chain.ErrWrongChain) || !strings.HasSuffix(err.Error(), "it follows chain 143, not 1") {
		t.Errorf("another chain: %v", err)
	}
}

func TestLogsRangeAdapts(t *testing.T) {
	for _, grant := range []uint64{1, 7, 100, 1000, 1 << 40} {
		n := &fakeNode{maxBlocks: grant}
		c := serve(t, n, false)
		next, pages, widest := uint64(5), 0, uint64(0)
		err := c.LogsRange(t.Context(), 5, 3000, []common.Hash{{1}}, func(logs []types.Log, upTo uint64) error {
			pages, widest = pages+1, max(widest, upTo-next+1)
			for i := range logs {
				if logs[i].BlockNumber != next {
					t.Fatalf("log of block %d, want %d", logs[i].BlockNumber, next)
				}
				next++
			}
			if next != upTo+1 {
				t.Fatalf("page to %d has logs to %d", upTo, next-1)
			}
			return nil
		})
		if err != nil || next != 3001 {
			t.Errorf("grant %d: up to %d: %v", grant, next-1, err)
		}
		if widest > grant || widest < min(grant, 1000)/2 {
			t.Errorf("grant %d: the widest page had %d blocks", grant, widest)
		}
		if refused := len(n.calls) - pages; refused > pages/8+10 {
			t.Errorf("grant %d: %d pages, %d refusals", grant, pages, refused)
		}
	}
	c := serve(t, &fakeNode{maxBlocks: 0}, false)
	if err := c.LogsRange(t.Context(), 1, 2, nil, nil); err == nil {
		t.Error("a node that refuses every range is no error")
	}
}

// logsRefuser refuses to send the logs of block 7: they are too many.
type logsRefuser struct{ fakeNode }

var refusedReceipts = types.Receipts{{Status: 1, Logs: []*types.Log{{Topics: []common.Hash{{1}}, Data: []byte{}}}}}

func (c *logsRefuser) GetLogs(f logFilter) ([]types.Log, error) {
	if f.BlockHash != nil || f.FromBlock <= 7 && f.ToBlock >= 7 {
		return nil, errors.New("more than 10000 results")
	}
	return c.fakeNode.GetLogs(f)
}

func (c *logsRefuser) GetBlockByNumber(number hexutil.Uint64, full bool) map[string]any {
	b := block(uint64(number))
	b["receiptsRoot"] = types.DeriveSha(refusedReceipts, trie.NewStackTrie(nil))
	return b
}

func (c *logsRefuser) GetBlockReceipts(common.Hash) types.Receipts { return refusedReceipts }

// The logs of a block with more logs than a node sends are taken from receipts.
func TestLogsRefusedForBlock(t *testing.T) {
	c := serve(t, &logsRefuser{fakeNode{maxBlocks: 100}}, false)
	next := uint64(1)
	err := c.LogsRange(t.Context(), 1, 20, []common.Hash{{1}}, func(logs []types.Log, upTo uint64) error {
		for i := range logs {
			if logs[i].BlockNumber != next {
				t.Errorf("log of block %d, want %d", logs[i].BlockNumber, next)
			}
			next++
		}
		return nil
	})
	if err != nil || next != 21 {
		t.Errorf("up to %d: %v", next-1, err)
	}
}

// receiptsRefuser refuses to send receipts: they are too many.
type receiptsRefuser struct{ fakeNode }

func (m *receiptsRefuser) GetBlockReceipts(common.Hash) (types.Receipts, error) {
	return nil, errors.New("response too large")
}

func (m *receiptsRefuser) GetLogs(f logFilter) ([]types.Log, error) {
	return []types.Log{{BlockNumber: 7, BlockHash: *f.BlockHash, Topics: []common.Hash{{1}}}}, nil
}

// The logs of a block with more receipts than a node sends are asked for by
// eth_getLogs.
func TestReceiptsRefused(t *testing.T) {
	c := serve(t, &receiptsRefuser{}, false)
	h := chain.Header{Block: market.Block{Hash: hash(7), Number: 7}, ReceiptsRoot: common.Hash{1}}
	if logs, err := c.Logs(t.Context(), h, []common.Hash{{1}}); err != nil || len(logs) != 1 {
		t.Errorf("%v, %v", logs, err)
	}
}

func TestLogsBelongToTheBlock(t *testing.T) {
	c := serve(t, &fakeNode{maxBlocks: 1}, false)
	// fakeNode ignores blockHash and answers with its block 0.
	if _, err := c.Logs(t.Context(), chain.Header{Block: market.Block{Hash: hash(9), Number: 9}}, nil); err == nil || !strings.Contains(err.Error(), "asked for logs of block") {
		t.Errorf("logs of another block: %v", err)
	}
	if logs, err := c.Logs(t.Context(), chain.Header{Block: market.Block{Hash: hash(0)}}, nil); err != nil || len(logs) != 1 {
		t.Errorf("%v, %v", logs, err)
	}
}

func TestHeads(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, sockets := range []bool{true, false} {
		t.Run(fmt.Sprint("sockets ", sockets), func(t *testing.T) { testHeads(t, sockets) })
	}
	for late := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
}

func testHeads(t *testing.T, sockets bool) {
	n := &fakeNode{newHeads: make(chan uint64)}
	ctx, stop := context.WithCancel(t.Context())
	heads := serve(t, n, sockets).Heads(ctx)
	see := func(want uint64, within time.Duration) {
		t.Helper()
		for late := time.After(within); ; {
			select {
			case s := <-heads:
				if s.Err == nil && s.Block.Number == want && s.Block.Parent == hash(want-1) && s.Block.BaseFee == u256.From(7) && !s.ConfirmedAt.IsZero() {
					return
				}
			case <-late:
				t.Fatalf("no head %d within %v", want, within)
			}
		}
	}
	see(0, 2*time.Second) // the first head, at once
	if sockets {
		n.newHeads <- 5
		see(5, 500*time.Millisecond)
	}
	n.mu.Lock()
	n.head = 9
	n.mu.Unlock()
	see(9, 3*time.Second) // found by polling though the socket is silent
	see(9, 3*time.Second) // and again: it still is the head
	stop()
	for range heads {
	}
}
