package indexer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/chain"
	"braid/indexer"
	"braid/market"
	"braid/monad"
	"braid/venue"
	"braid/venue/univ2"
)

// False answers by method, of a node with receipts and of one without. All of them
// can be detected with one node. (That a node without receipts omits logs can be
// detected only with a second one.)
var (
	falseAnswers = map[string][]string{
		"eth_getBlockByNumber": {"null", "429", "close", "hash", "parentHash", "number"},
		"eth_getBlockByHash":   {"null", "unknown", "hash", "parentHash", "number"},
		"eth_getBlockReceipts": {"null", "unknown", "limit", "429", "500", "close", "cut", "status", "data", "mute", "last", "twice", "reversed"},
	}
	falseLogAnswers = map[string][]string{
		"eth_getBlockByNumber": falseAnswers["eth_getBlockByNumber"],
		"eth_getBlockByHash":   falseAnswers["eth_getBlockByHash"],
		"eth_getLogs":          {"null", "unknown", "limit", "429", "500", "close", "cut", "blockHash", "removed", "twice", "reversed", "none"},
	}
)

// byzantineNode is a proxy of a node that gives false answers. It has no WebSocket.
type byzantineNode struct {
	node string

	mu        sync.Mutex
	nextFault func(method string) string // kind of the next false answer; empty: none
	counts    map[string]int
}

// newByzantineNode is a byzantineNode of the chain, and an indexer that follows it.
func (w *fixture) newByzantineNode(fault func(method string) string) (*byzantineNode, *indexer.Indexer) {
	l := &byzantineNode{node: w.chain.URL(), nextFault: fault, counts: map[string]int{}}
	server := httptest.NewServer(l)
	w.Cleanup(server.Close)
	x := indexer.New(indexer.Config{
		Node: dial(w.TB, server.URL), Families: []venue.Family{univ2.New(monad.Sources())},
		Start: market.New(monad.Chain()), Listed: monad.Tokens(), Keep: 8,
	})
	run(w.TB, x)
	return l, x
}

func (l *byzantineNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var ask struct {
		ID     json.RawMessage
		Method string
	}
	if r.Method != http.MethodPost || json.Unmarshal(body, &ask) != nil {
		http.Error(w, "no socket here", http.StatusNotFound)
		return
	}
	answer, err := http.Post(l.node, "application/json", bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	genuine, _ := io.ReadAll(answer.Body)

	l.mu.Lock()
	defer l.mu.Unlock()
	fault := l.nextFault(ask.Method)
	if fault != "" {
		l.counts[fault]++
	}
	reply := func(member string, value any) {
		json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": ask.ID, member: value})
	}
	w.Header().Set("Content-Type", "application/json")
	switch fault {
	case "":
		w.Write(genuine)
	case "null":
		reply("result", nil)
	case "unknown":
		reply("error", map[string]any{"code": -32000, "message": "Unknown block"})
	case "chain":
		reply("result", "0x1")
	case "no method":
		reply("error", map[string]any{"code": -32601, "message": "the method does not exist"})
	case "limit":
		reply("error", map[string]any{"code": -32005, "message": "limit exceeded"})
	case "429":
		http.Error(w, "slow down", http.StatusTooManyRequests)
	case "500":
		http.Error(w, "", http.StatusInternalServerError)
	case "close":
		panic(http.ErrAbortHandler)
	case "cut":
		w.Write(genuine[:len(genuine)/2])
	default:
		var honest struct{ Result any }
		json.Unmarshal(genuine, &honest)
		reply("result", falsify(fault, honest.Result))
	}
}

// falsify changes a field of a block, or of the first of a list of receipts or logs,
// or the list.
func falsify(fault string, result any) any {
	nowhere := common.Hash{0: 0xbd, 31: 1}.Hex()
	if block, ok := result.(map[string]any); ok {
		block[fault] = nowhere
		if fault == "number" {
			block[fault] = "0x7"
		}
		return block
	}
	list, _ := result.([]any) // of receipts or logs
	if len(list) == 0 {
		return list
	}
	first := list[0].(map[string]any)
	logs, _ := first["logs"].([]any)
	switch fault {
	case "blockHash":
		first[fault] = nowhere
	case "removed":
		first[fault] = true
	case "status":
		first[fault] = "0x0"
	case "data":
		logs[0].(map[string]any)[fault] = nowhere
	case "mute":
		first["logs"] = logs[1:]
	case "none":
		return []any{}
	case "last":
		return list[:len(list)-1]
	case "twice":
		return append(list, first)
	case "reversed":
		slices.Reverse(list)
	}
	return list
}

// Each false answer is given once, when the indexer needs a right one, by a node
// with receipts and by one without. The snapshot still becomes right.
func TestEveryFalseAnswer(t *testing.T) {
	for name, faults := range map[string]map[string][]string{"receipts": falseAnswers, "logs": falseLogAnswers} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testFalseAnswers(t, faults)
		})
	}
}

func testFalseAnswers(t *testing.T, faults map[string][]string) {
	w := newFixture(t, 0)
	var about, next string
	l, x := w.newByzantineNode(func(method string) (fault string) {
		switch {
		case method == about:
			fault, next = next, ""
		case method == "eth_getBlockReceipts" && faults[method] == nil:
			fault = "no method"
		}
		return fault
	})
	await(t, x, w.chain.Head().Hash())
	pools := x.Head().Pools()
	given := 0
	for method, names := range faults {
		for _, fault := range names {
			l.mu.Lock()
			about, next = method, fault
			for i := range 3 { // not yet seen by the indexer, so that it must ask for headers
				w.mine(slices.Concat(w.transferAndSync(pools[i], 3), w.transferAndSync(pools[0], 1))...)
			}
			l.mu.Unlock()
			parity(t, w.node, await(t, x, w.chain.Head().Hash()))
			given++
		}
	}
	delete(l.counts, "no method")
	for _, n := range l.counts {
		given -= n
	}
	if given != 0 {
		t.Errorf("%d false answers were not given: %v", given, l.counts)
	}
}

// A node that turns out to follow another chain ends Run.
func TestWrongChainIsFatal(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	asked := 0
	l := &byzantineNode{node: w.chain.URL(), counts: map[string]int{}, nextFault: func(method string) string {
		if method == "eth_chainId" {
			if asked++; asked > 1 { // the first is Dial's
				return "chain"
			}
		}
		return ""
	}}
	server := httptest.NewServer(l)
	defer server.Close()
	x := indexer.New(indexer.Config{Node: dial(t, server.URL), Start: market.New(monad.Chain())})
	if err := x.Run(t.Context()); !errors.Is(err, chain.ErrWrongChain) {
		t.Errorf("run: %v", err)
	}
	if x.Head() != nil {
		t.Error("a market of another chain was published")
	}
}

// With a node that gives false answers at random while the chain reorganises, every
// published snapshot is right for its block, and the last one is that of the head.
func TestFalseAnswersAreNotPublished(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, 0)
			random := rand.New(rand.NewPCG(seed, 7))
			l, x := w.newByzantineNode(func(method string) string {
				if names := falseAnswers[method]; names != nil && random.IntN(6) == 0 {
					return names[random.IntN(len(names))]
				}
				return ""
			})
			pools := w.index.Head().Pools()
			published := map[common.Hash]*market.Snapshot{}
			for i := range 30 {
				w.mine(slices.Concat(w.transferAndSync(pools[i%5], 10), w.transferAndSync(pools[i%3], 20))...)
				if i%10 == 9 {
					w.nonce = w.nonceAt(w.chain.Head().Number.Uint64() - 3)
					if err := w.chain.Reorg(3, w.transferAndSync(pools[0], 1), nil, w.transferAndSync(pools[1], 2), nil); err != nil {
						t.Fatal(err)
					}
				}
				if i%3 == 0 {
					await(t, x, w.chain.Head().Hash())
				}
				if s := x.Head(); s != nil {
					published[s.Block().Hash] = s
				}
			}
			parity(t, w.node, await(t, x, w.chain.Head().Hash()))
			for _, s := range published {
				parity(t, w.node, s)
			}
			t.Logf("%d snapshots published with false answers %v", len(published), l.counts)
		})
	}
}
