// Package faults is a JSON-RPC proxy that injects faults by seed, as bad networks and bad nodes do.
//
// It injects faults that occur with honest nodes: lost, late, repeated, cut and
// stale answers. A Byzantine proxy also forges blocks and states that are
// consistent in themselves. It is for tests.
package faults

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

// Config says which node is behind the proxy and how many faults are injected.
type Config struct {
	Node      string  // http URL of an honest node, which serves WebSocket at the same URL
	Seed      uint64  // of the choice of faults
	Rate      float64 // fraction of answers with a fault, 0 to 1
	Byzantine bool    // forge blocks and reads too
	States    bool    // announce blocks by monadNewHeads, with their states, as nodes of Monad do
}

// Proxy serves HTTP and WebSocket from Start to Close.
type Proxy struct {
	config   Config
	listener net.Listener
	server   *http.Server
	client   *http.Client
	node     *rpc.Client // the node behind the proxy, for forging
	done     sync.WaitGroup
	closed   chan struct{}

	mu          sync.Mutex
	random      *rand.Rand
	passThrough bool                    // no faults
	counts      map[string]int          // faults so far, by kind
	requests    int                     // over HTTP, so far
	heads       []shownHead             // last heads of the node, oldest first
	forged      map[string]*forgedBlock // by hash and number
}

// Start listens on a free port of the loopback interface.
func Start(c Config) (*Proxy, error) {
	node, err := rpc.Dial(c.Node)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		node.Close()
		return nil, err
	}
	p := &Proxy{
		config: c, listener: l, closed: make(chan struct{}),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
		random: rand.New(rand.NewPCG(c.Seed, 11)), counts: map[string]int{}, forged: map[string]*forgedBlock{}, node: node,
	}
	p.server = &http.Server{Handler: p}
	p.done.Go(func() { p.server.Serve(l) })
	return p, nil
}

// Close closes all connections and waits until their goroutines have ended.
func (p *Proxy) Close() {
	close(p.closed)
	p.server.Close()
	p.done.Wait()
	p.client.CloseIdleConnections()
	p.node.Close()
}

// URL is the http URL of the proxy; WebSocket is served at the same address.
func (p *Proxy) URL() string { return "http://" + p.listener.Addr().String() }

// SetPassThrough turns faults off, or on again. They are on at the start.
func (p *Proxy) SetPassThrough(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passThrough = on
}

// Counts are the faults injected so far, by kind.
func (p *Proxy) Counts() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

// Requests is the number of requests over HTTP so far.
func (p *Proxy) Requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests
}

// Kinds of faults of any answer, and more of answers that are a list or the head. A
// kind that is listed several times is chosen as much more often.
var (
	anyAnswerFaults = []string{"drop", "delay", "delay", "delay", "duplicate", "truncate", "429", "retry-after", "500", "close", "null", "unknown", "limit", "overload"}
	listFaults      = []string{"short", "empty", "reversed"}
	headFaults      = []string{"stale", "stale"}
)

// overloads are errors by which Monad nodes and providers refuse to work now.
var overloads = []string{
	`{"code":-32007,"message":"25/second request limit reached - reduce calls per second"}`,
	`{"code":-32603,"message":"Internal error: concurrent requests limit"}`,
	`{"code":-32603,"message":"failure to submit eth_call to thread pool: queue size exceeded"}`,
	`{"code":-32603,"message":"failure to execute eth_call: queuing time exceeded timeout threshold"}`,
	`{"code":-32603,"message":"overloaded, try again later"}`,
}

// nextFault chooses the fault of the next answer to a method, and counts it; empty:
// none. "newHeads" is a notification, "socket" the opening of a WebSocket.
func (p *Proxy) nextFault(method string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.passThrough || p.random.Float64() >= p.config.Rate {
		return ""
	}
	kinds := anyAnswerFaults
	switch method {
	case "eth_getBlockReceipts", "eth_getLogs":
		kinds = append(kinds[:len(kinds):len(kinds)], listFaults...)
	case "eth_getBlockByNumber":
		kinds = append(kinds[:len(kinds):len(kinds)], headFaults...)
	case "newHeads":
		kinds = []string{"drop", "delay", "duplicate", "reorder", "close", "stale", "truncate"}
	case "forge":
		kinds = []string{"forge"}
	}
	kind := kinds[p.random.IntN(len(kinds))]
	p.counts[kind]++
	return kind
}

func (p *Proxy) count(kind string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[kind]++
}

// randomBelow is a random number from 0 to below-1.
func (p *Proxy) randomBelow(below int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.IntN(below)
}

// wait delays an answer; false if the client or the proxy has gone.
func (p *Proxy) wait(gone <-chan struct{}, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-gone:
	case <-p.closed:
	}
	return false
}

// message is a JSON-RPC request, answer or notification.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

func (m message) bytes() []byte {
	text, _ := json.Marshal(m) // cannot fail: its raw parts were decoded before
	return text
}

// ServeHTTP forwards a request to the node and answers with or without a fault.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		p.socket(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	p.mu.Lock()
	p.requests++
	p.mu.Unlock()
	var request message
	json.Unmarshal(body, &request) // a batch has no method and is forwarded as it is
	answer, err := p.forward(r, body, request)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	p.answer(w, r, request, answer)
}

// forward is the answer of the node, or a forged one.
func (p *Proxy) forward(r *http.Request, body []byte, asked message) ([]byte, error) {
	if result := p.forgedAnswer(r.Context(), asked); result != nil {
		return message{Version: "2.0", ID: asked.ID, Result: result}.bytes(), nil
	}
	request, err := http.NewRequestWithContext(r.Context(), http.MethodPost, p.config.Node, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := p.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	var m message
	if asksForHead(asked) && json.Unmarshal(text, &m) == nil {
		p.rememberHead(m.Result)
	}
	return text, err
}

// answer writes the answer to a request, possibly with a fault.
func (p *Proxy) answer(w http.ResponseWriter, r *http.Request, request message, text []byte) {
	replace := func(m message) { m.Version, m.ID = "2.0", request.ID; text = m.bytes() }
	var answer message
	json.Unmarshal(text, &answer)
	switch p.nextFault(request.Method) {
	case "drop":
		p.wait(r.Context().Done(), 20*time.Second)
		panic(http.ErrAbortHandler)
	case "delay":
		p.wait(r.Context().Done(), time.Duration(1+p.randomBelow(400))*time.Millisecond)
	case "duplicate":
		text = append(text, text...)
	case "truncate":
		text = text[:p.randomBelow(len(text))]
	case "429":
		http.Error(w, "slow down", http.StatusTooManyRequests)
		return
	case "retry-after":
		w.Header().Set("Retry-After", "1")
		http.Error(w, "slow down", http.StatusTooManyRequests)
		return
	case "500":
		http.Error(w, "<html>internal error</html>", http.StatusInternalServerError)
		return
	case "close":
		panic(http.ErrAbortHandler)
	case "null":
		replace(message{Result: json.RawMessage("null")})
	case "unknown":
		replace(message{Error: json.RawMessage(`{"code":-32000,"message":"Unknown block"}`)})
	case "limit":
		replace(message{Error: json.RawMessage(`{"code":-32005,"message":"limit exceeded"}`)})
	case "overload":
		replace(message{Error: json.RawMessage(overloads[p.randomBelow(len(overloads))])})
	case "short", "empty", "reversed":
		replace(message{Result: p.corruptList(answer.Result)})
	case "stale":
		if old := p.staleHead(); old != nil && asksForHead(request) {
			replace(message{Result: old})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(text)
}

// corruptList removes the last element of a list or all of them, or reverses it.
func (p *Proxy) corruptList(result json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(result, &list) != nil || len(list) == 0 {
		return result
	}
	switch p.randomBelow(3) {
	case 0:
		list = list[:len(list)-1]
	case 1:
		list = []json.RawMessage{}
	case 2:
		for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
			list[i], list[j] = list[j], list[i]
		}
	}
	text, _ := json.Marshal(list)
	return text
}

// asksForHead tells whether a request is for the latest block.
func asksForHead(request message) bool {
	return request.Method == "eth_getBlockByNumber" && strings.Contains(string(request.Params), "latest")
}
