// Package faults is a JSON-RPC proxy that spoils answers by seed, as bad networks and bad nodes do.
//
// What it does to an answer can befall that of an honest node. A liar does more:
// it makes up blocks and states that hang together.
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

// Config says what stands behind the proxy and how bad it is.
type Config struct {
	Node      string // http URL of an honest node that also speaks WebSocket
	Seed      uint64
	Rate      float64 // share of answers that are spoilt
	Byzantine bool
}

// Proxy serves until Close.
type Proxy struct {
	config   Config
	listener net.Listener
	server   *http.Server
	client   *http.Client
	node     *rpc.Client // the same, for a liar's own questions
	done     sync.WaitGroup
	closed   chan struct{}

	mu          sync.Mutex
	random      *rand.Rand
	passThrough bool
	counts      map[string]int
	heads       []shownHead             // that the node has shown, oldest first
	forged      map[string]*forgedBlock // by hash and number
}

// Start listens on a free port of the loopback.
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

// Close ends all connections and waits for what they held.
func (p *Proxy) Close() {
	close(p.closed)
	p.server.Close()
	p.done.Wait()
	p.client.CloseIdleConnections()
	p.node.Close()
}

func (p *Proxy) URL() string { return "http://" + p.listener.Addr().String() }

// Calm makes the proxy behave, or not any more.
func (p *Proxy) SetPassThrough(calm bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passThrough = calm
}

// Told counts the faults so far, by kind.
func (p *Proxy) Counts() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

// What can befall any answer, and those that hold a list or a head.
var (
	anyAnswerFaults = []string{"drop", "delay", "delay", "delay", "twice", "truncate", "429", "rest", "500", "close", "null", "unknown", "limit"}
	listFaults      = []string{"short", "empty", "reversed"}
	headFaults      = []string{"stale", "stale"}
)

// pick is the fault of the next answer to a method; empty for none.
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
		kinds = []string{"drop", "delay", "twice", "late", "close", "stale", "truncate"}
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

func (p *Proxy) randomBelow(below int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.IntN(below)
}

// pause holds an answer back; false if nobody waits for it any more.
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

// message is a request, an answer or a notification.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

func (m message) bytes() []byte {
	text, _ := json.Marshal(m) // raw parts that were read: cannot fail
	return text
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		p.socket(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var ask message
	json.Unmarshal(body, &ask) // a batch has no method and is passed on as it is
	truth, err := p.forward(r, body, ask)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	p.answer(w, r, ask, truth)
}

func (p *Proxy) forward(r *http.Request, body []byte, ask message) ([]byte, error) {
	if lie := p.forgedAnswer(r.Context(), ask); lie != nil {
		return message{Version: "2.0", ID: ask.ID, Result: lie}.bytes(), nil
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
	truth, err := io.ReadAll(answer.Body)
	var m message
	if asksForHead(ask) && json.Unmarshal(truth, &m) == nil {
		p.rememberHead(m.Result)
	}
	return truth, err
}

func (p *Proxy) answer(w http.ResponseWriter, r *http.Request, ask message, truth []byte) {
	say := func(m message) { m.Version, m.ID = "2.0", ask.ID; truth = m.bytes() }
	var answer message
	json.Unmarshal(truth, &answer)
	switch p.nextFault(ask.Method) {
	case "drop":
		p.wait(r.Context().Done(), 20*time.Second)
		panic(http.ErrAbortHandler)
	case "delay":
		p.wait(r.Context().Done(), time.Duration(1+p.randomBelow(400))*time.Millisecond)
	case "twice":
		truth = append(truth, truth...)
	case "truncate":
		truth = truth[:p.randomBelow(len(truth))]
	case "429":
		http.Error(w, "slow down", http.StatusTooManyRequests)
		return
	case "rest":
		w.Header().Set("Retry-After", "1")
		http.Error(w, "slow down", http.StatusTooManyRequests)
		return
	case "500":
		http.Error(w, "<html>oh no</html>", http.StatusInternalServerError)
		return
	case "close":
		panic(http.ErrAbortHandler)
	case "null":
		say(message{Result: json.RawMessage("null")})
	case "unknown":
		say(message{Error: json.RawMessage(`{"code":-32000,"message":"Unknown block"}`)})
	case "limit":
		say(message{Error: json.RawMessage(`{"code":-32005,"message":"limit exceeded"}`)})
	case "short", "empty", "reversed":
		say(message{Result: p.corruptList(answer.Result)})
	case "stale":
		if old := p.staleHead(); old != nil && asksForHead(ask) {
			say(message{Result: old})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(truth)
}

// spoil takes the end of a list away, or all of it, or turns it round.
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

// latest tells a question for the head.
func asksForHead(ask message) bool {
	return ask.Method == "eth_getBlockByNumber" && strings.Contains(string(ask.Params), "latest")
}
