package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"braid/contracts"
)

// provider is a fake node behind the limits of a provider. Its chain has a log in
// every seventieth block, and every contract returns its own address.
type provider struct {
	maxBlocks uint64         // of an eth_getLogs request
	perSecond float64        // limit of requests; 0: none
	overloads []http.Handler // answers of which one is given to a share of the requests
	share     float64        // of requests that are answered so, 0 to 1
	first     int            // requests that are answered so before all others
	random    *rand.Rand     // nil: the overload answers are given in turn
	server    *rpc.Server

	mu       sync.Mutex
	head     uint64
	tokens   float64
	at       time.Time
	asked    map[string]int // requests by method
	refused  int            // by a limit of requests, or with an overload answer
	pages    []uint64       // sizes of the pages that were answered
	tooLarge int            // pages that were refused for their size
	single   int            // calls of something other than Multicall3
	noBatch  bool           // batches are refused
	hasBlock bool           // it knows any block hash
}

func newProvider(t testing.TB, p *provider) *provider {
	p.asked, p.server, p.tokens, p.at = map[string]int{}, rpc.NewServer(), p.perSecond, time.Now()
	if err := p.server.RegisterName("eth", (*providerMethods)(p)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.server.Stop)
	return p
}

// refusal answers every request with a JSON-RPC error.
func refusal(status, code int, text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := struct{ ID json.RawMessage }{json.RawMessage("null")} // as for a batch
		json.NewDecoder(r.Body).Decode(&asked)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, asked.ID, code, text)
	})
}

// overloadAnswers are the ways in which nodes and providers say that they are
// overloaded.
func overloadAnswers() map[string]http.Handler {
	return map[string]http.Handler{
		"429 without body":  http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }),
		"429 with text":     http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "slow down", http.StatusTooManyRequests) }),
		"429 with error":    refusal(http.StatusTooManyRequests, -32007, "25/second request limit reached - reduce calls per second"),
		"-32007":            refusal(http.StatusOK, -32007, "25/second request limit reached - reduce calls per second"),
		"-32005":            refusal(http.StatusOK, -32005, "limit exceeded"),
		"429 in the answer": refusal(http.StatusOK, 429, "Your app has exceeded its compute units per second capacity"),
		"permits":           refusal(http.StatusOK, -32603, "Internal error: concurrent requests limit"),
		"queue size":        refusal(http.StatusOK, -32603, "failure to submit eth_call to thread pool: queue size exceeded"),
		"queuing time":      refusal(http.StatusOK, -32603, "failure to execute eth_call: queuing time exceeded timeout threshold"),
		"overloaded":        refusal(http.StatusOK, -32603, "overloaded, try again later"),
		"503 with text": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "backend overloaded", http.StatusServiceUnavailable)
		}),
		"400 with error": refusal(http.StatusBadRequest, -32603, "Too Many Requests"),
	}
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var asked struct{ Method string }
	if json.Unmarshal(body, &asked) != nil {
		asked.Method = "batch"
		if p.noBatch {
			refusal(http.StatusOK, -32600, "batches are not supported").ServeHTTP(w, r)
			return
		}
	}
	if refuse := p.admit(asked.Method); refuse != nil {
		refuse.ServeHTTP(w, r)
		return
	}
	p.server.ServeHTTP(w, r)
}

// admit is the refusal of the next request; nil: it is answered.
func (p *provider) admit(method string) http.Handler {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.tokens, p.at = min(p.perSecond, p.tokens+p.perSecond*now.Sub(p.at).Seconds()), now
	p.asked[method]++
	switch {
	case p.perSecond > 0 && p.tokens < 0.999: // both sides round
		p.refused++
		return refusal(http.StatusOK, -32007, "25/second request limit reached")
	case p.first > 0 && method != "eth_chainId", p.share > 0 && p.random.Float64() < p.share:
		p.first--
		p.refused++
		answer := 0
		if p.random != nil {
			answer = p.random.IntN(len(p.overloads))
		}
		return p.overloads[answer]
	}
	p.tokens--
	return nil
}

// providerMethods are the eth_ methods of a provider.
type providerMethods provider

func (p *providerMethods) ChainId() hexutil.Uint64 { return 143 }

func (p *providerMethods) BlockNumber() hexutil.Uint64 { return hexutil.Uint64(p.head) }

func (p *providerMethods) GetBlockByHash(hash common.Hash, full bool) map[string]any {
	if !p.hasBlock {
		return nil
	}
	return map[string]any{"number": "0x1", "hash": hash, "parentHash": common.Hash{}, "timestamp": "0x1"}
}

func (p *providerMethods) GetLogs(q struct {
	BlockHash          *common.Hash
	FromBlock, ToBlock hexutil.Uint64
}) ([]types.Log, error) {
	if q.BlockHash != nil {
		return []types.Log{}, nil
	}
	if uint64(q.FromBlock) > p.head {
		return nil, errors.New("Block requested not found")
	}
	from, to := uint64(q.FromBlock), min(uint64(q.ToBlock), p.head) // as Monad's nodes do
	p.mu.Lock()
	defer p.mu.Unlock()
	if to-from+1 > p.maxBlocks {
		p.tooLarge++
		return nil, errors.New("block range too large")
	}
	p.pages = append(p.pages, to-from+1)
	logs := []types.Log{}
	for n := from; n <= to; n++ {
		if n%70 == 0 {
			logs = append(logs, types.Log{BlockNumber: n, Topics: []common.Hash{{1}}})
		}
	}
	return logs, nil
}

func (p *providerMethods) Call(call struct {
	To   common.Address
	Data hexutil.Bytes
}, at any, overrides *map[string]any) (hexutil.Bytes, error) {
	if call.To != contracts.Multicall3 {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.single++
		return call.To.Bytes(), nil
	}
	method := multicallABI.Methods["aggregate3"]
	args, err := method.Inputs.Unpack(call.Data[4:])
	if err != nil {
		return nil, err
	}
	var calls []struct {
		Target       common.Address
		AllowFailure bool
		CallData     []byte
	}
	method.Inputs.Copy(&calls, args)
	type result struct {
		Success    bool
		ReturnData []byte
	}
	results := make([]result, len(calls))
	for i, c := range calls {
		results[i] = result{true, c.Target.Bytes()}
	}
	return method.Outputs.Pack(results)
}

// pipes makes connections in memory, which a fake clock can wait for.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

func (p pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
