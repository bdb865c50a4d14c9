// Package cluster_test runs the product on several processes and takes parts of it away:
// three NATS servers, two indexers and three replicas on a local chain that reorganises.
package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"

	"braid/devchain"
	"braid/families"
	"braid/feed"
	"braid/monad"
)

// cluster is all of it.
type cluster struct {
	testing.TB
	chain                      *devchain.Chain
	rpc                        *rpc.Client
	brokers, indexers, replica []*process
	addresses, admins          []string // of the replicas
	proxies                    []*proxy // between the first replica and the brokers
	client                     *http.Client
	tokens                     []common.Address

	mu     sync.Mutex
	hashes map[uint64][]common.Hash // all blocks by number, of all branches

	kills, quotes, errors, wrong atomic.Int64
	stale                        atomic.Int64 // greatest age of a replica that is up, ms
}

func number(name string, standard int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return standard
}

// TestCluster: whatever part is killed, hung or cut off, no replica quotes what the chain
// would not pay at the block of the quote, and all are ready again in the end. make
// cluster SECONDS=n SEED=n runs it for longer and prints what it measured.
func TestCluster(t *testing.T) {
	seconds, seed := number("CLUSTER_SECONDS", 12), uint64(number("SEED", 1))
	c := startCluster(t, seed)
	for i, a := range c.addresses {
		fmt.Printf("replica %d http://%s/api/v1\n", i+1, a)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(seconds)*time.Second)
	defer cancel()
	var g sync.WaitGroup
	for i := range c.replica {
		g.Go(func() { c.ask(ctx, i, seed) })
		g.Go(func() { c.watch(ctx, i) })
	}
	g.Go(func() { c.reorganise(ctx, seed) })
	c.harm(ctx, seed)
	g.Wait()
	c.await("all replicas are ready", func() bool { return c.ready() == len(c.replica) })
	var gaps, resyncs, sums float64
	for _, a := range c.admins {
		gaps += metric(c.client, "http://"+a+"/metrics", "braid_feed_gaps_total")
		resyncs += metric(c.client, "http://"+a+"/metrics", "braid_feed_resyncs_total")
		sums += metric(c.client, "http://"+a+"/metrics", `braid_feed_rejected_total{reason="sum"}`)
	}
	fmt.Printf("kills=%d stale_ms_max=%d wrong=%d gaps=%.0f resyncs=%.0f quotes=%d errors=%d\n",
		c.kills.Load(), c.stale.Load(), c.wrong.Load(), gaps, resyncs, c.quotes.Load(), c.errors.Load())
	if c.wrong.Load() > 0 || c.quotes.Load() == 0 || sums > 0 {
		t.Errorf("%d wrong of %d quotes, %v wrong sums", c.wrong.Load(), c.quotes.Load(), sums)
	}
}

func startCluster(t *testing.T, seed uint64) *cluster {
	c := &cluster{TB: t, client: &http.Client{Timeout: 3 * time.Second}, hashes: map[uint64][]common.Hash{}}
	dir := t.TempDir()
	braid := filepath.Join(dir, "braid")
	if out, err := exec.Command("go", "build", "-o", braid, "braid/cmd/braid").CombinedOutput(); err != nil {
		t.Fatalf("go build: %s", out)
	}
	sources := monad.Sources()
	var err error
	c.chain, err = devchain.Start(t.Context(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Seed: seed, Sources: sources, Heartbeat: 300 * time.Millisecond, Activity: true,
		Families: families.Of(sources, monad.WrappedNative),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.chain.Close() })
	if c.rpc, err = rpc.Dial(c.chain.URL()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.rpc.Close)
	urls := c.startBrokers(dir)
	keys := []string{}
	for _, name := range []string{"a", "b"} {
		secret, public, err := feed.NewKey()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name+".key")
		if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, "--feed-key", name+"="+public)
		c.indexers = append(c.indexers, c.process(name, braid, "serve", "--local", "--rpc", c.chain.WebSocketURL(), "--rpc-rate", "0", "--stuck-after", "0",
			"--addr", "127.0.0.1:"+freePort(t), "--admin-addr", "", "--publish", strings.Join(urls, ","), "--name", name, "--feed-secret", file))
	}
	for i := range 3 {
		feeds := urls
		if i == 0 {
			feeds = nil
			for _, u := range urls {
				p := newProxy(t, strings.TrimPrefix(u, "nats://"))
				c.proxies = append(c.proxies, p)
				feeds = append(feeds, "nats://"+p.l.Addr().String())
			}
		}
		address, admin := "127.0.0.1:"+freePort(t), "127.0.0.1:"+freePort(t)
		c.addresses, c.admins = append(c.addresses, address), append(c.admins, admin)
		args := append([]string{"replica", "--addr", address, "--admin-addr", admin, "--feed", strings.Join(feeds, ",")}, keys...)
		c.replica = append(c.replica, c.process(fmt.Sprint("replica ", i+1), braid, args...))
	}
	c.await("the replicas are ready", func() bool { return c.ready() == len(c.replica) })
	_, _, body := get(c.client, "http://"+c.addresses[1]+"/api/v1/tokens?limit=100")
	var listed struct {
		Tokens []struct{ Address common.Address }
	}
	if err := json.Unmarshal(body, &listed); err != nil || len(listed.Tokens) < 3 {
		t.Fatalf("tokens: %v in %.200s", err, body)
	}
	for _, token := range listed.Tokens {
		c.tokens = append(c.tokens, token.Address)
	}
	return c
}

// startBrokers starts three NATS servers that know each other. Clients are not told of
// the others, so that the proxies are not gone round.
func (c *cluster) startBrokers(dir string) (urls []string) {
	self, err := os.Executable()
	if err != nil {
		c.Fatal(err)
	}
	var routes []string
	for range 3 {
		routes = append(routes, "nats://127.0.0.1:"+freePort(c))
	}
	for i, route := range routes {
		port := freePort(c)
		urls = append(urls, "nats://127.0.0.1:"+port)
		name := fmt.Sprint("n", i+1)
		c.brokers = append(c.brokers, c.process(name, self, "nats-server", "-n", name, "-a", "127.0.0.1", "-p", port, "-js", "-sd", filepath.Join(dir, name),
			"--cluster_name", "braid", "--cluster", route, "--routes", strings.Join(routes, ","), "--no_advertise"))
	}
	return urls
}

func (c *cluster) process(name, binary string, args ...string) *process {
	p := &process{TB: c, name: name, binary: binary, args: args}
	p.start()
	c.Cleanup(func() { p.signal(syscall.SIGKILL) })
	return p
}

func (c *cluster) await(what string, condition func() bool) {
	c.Helper()
	for end := time.Now().Add(2 * time.Minute); !condition(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			c.Fatalf("waited 2 min in vain until %s", what)
		}
	}
}

// ready is how many replicas are.
func (c *cluster) ready() (n int) {
	for _, a := range c.addresses {
		if status, _, _ := get(c.client, "http://"+a+"/readyz"); status == http.StatusOK {
			n++
		}
	}
	return n
}

// harm takes one part away after the other, each for 3 s, until ctx ends.
func (c *cluster) harm(ctx context.Context, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	pause := func(d time.Duration) bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(d):
			return true
		}
	}
	parts := [][]*process{c.brokers, c.indexers, c.replica}
	for step := 0; pause(2 * time.Second); step++ {
		c.kills.Add(1)
		if step%7 == 6 {
			for _, p := range c.proxies {
				p.cut.Lock()
			}
			c.replica[0].mu.Lock()
			c.replica[0].down = time.Now()
			c.replica[0].mu.Unlock()
			pause(3 * time.Second)
			for _, p := range c.proxies {
				p.cut.Unlock()
			}
			c.replica[0].mu.Lock()
			c.replica[0].down, c.replica[0].up = time.Time{}, time.Now()
			c.replica[0].mu.Unlock()
			continue
		}
		list := parts[step%3]
		p := list[r.IntN(len(list))]
		if step%7 < 3 {
			p.signal(syscall.SIGKILL)
			pause(3 * time.Second)
			p.start()
		} else {
			p.signal(syscall.SIGSTOP)
			pause(3 * time.Second)
			p.signal(syscall.SIGCONT)
		}
	}
}

// watch notes how old the market of a replica gets while the replica itself is up. One
// that was started again is given 3 s to be ready.
func (c *cluster) watch(ctx context.Context, i int) {
	for ctx.Err() == nil {
		time.Sleep(50 * time.Millisecond)
		if !c.replica[i].steady(3 * time.Second) {
			continue
		}
		_, _, body := get(c.client, "http://"+c.addresses[i]+"/readyz")
		var ready struct{ Feed struct{ AgeMs int64 } }
		if json.Unmarshal(body, &ready) != nil || !c.replica[i].steady(3*time.Second) {
			continue
		}
		for old := c.stale.Load(); ready.Feed.AgeMs > old && !c.stale.CompareAndSwap(old, ready.Feed.AgeMs); old = c.stale.Load() {
		}
	}
}

// reorganise replaces some of the newest blocks every few seconds, and notes all blocks
// that there ever were.
func (c *cluster) reorganise(ctx context.Context, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	heads := make(chan struct {
		Number hexutil.Uint64
		Hash   common.Hash
	}, 100)
	ws, err := rpc.DialContext(ctx, c.chain.WebSocketURL())
	if err != nil {
		c.Error(err)
		return
	}
	defer ws.Close()
	s, err := ws.EthSubscribe(ctx, heads, "newHeads")
	if err != nil {
		c.Error(err)
		return
	}
	defer s.Unsubscribe()
	for next := time.Now().Add(5 * time.Second); ; {
		select {
		case <-ctx.Done():
			return
		case h := <-heads:
			c.mu.Lock()
			c.hashes[uint64(h.Number)] = append(c.hashes[uint64(h.Number)], h.Hash)
			c.mu.Unlock()
		}
		if time.Now().After(next) {
			next = time.Now().Add(5 * time.Second)
			depth := 1 + r.IntN(3)
			if err := c.chain.Reorg(depth, nil, nil, nil, nil); err != nil {
				c.Logf("reorg: %v", err)
			}
		}
	}
}

// ask has a replica make swaps, one after the other, and holds each to the chain.
func (c *cluster) ask(ctx context.Context, i int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, uint64(10+i)))
	for ctx.Err() == nil {
		amount := new(big.Int).Mul(big.NewInt(1+r.Int64N(1000)), big.NewInt(1e17))
		query := url.Values{
			"tokenIn": {common.Address{}.Hex()}, "tokenOut": {c.tokens[r.IntN(len(c.tokens))].Hex()}, "amount": {amount.String()},
			"recipient": {devchain.DevAccount.Hex()}, "sender": {devchain.DevAccount.Hex()}, "slippageBps": {"50"},
		}
		steady := c.replica[i].steady(3 * time.Second)
		status, header, body := get(c.client, "http://"+c.addresses[i]+"/api/v1/swap?"+query.Encode())
		switch {
		case status == http.StatusOK:
			c.quotes.Add(1)
			c.check(header, body)
		case (status == 0 || status >= 500) && steady && c.replica[i].steady(3*time.Second) && ctx.Err() == nil:
			c.errors.Add(1)
			c.Logf("replica %d: %d %.300s", i+1, status, body)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// check replays a swap by eth_call at its block, on every branch that had a block of that
// number: one of them must pay what was quoted.
func (c *cluster) check(header http.Header, body []byte) {
	var answer struct {
		AmountOut string
		Tx        struct{ To, Data, Value string }
	}
	at, err := strconv.ParseUint(header.Get("X-Block-Number"), 10, 64)
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	if err != nil {
		c.Errorf("answer: %v", err)
		return
	}
	value, _ := new(big.Int).SetString(answer.Tx.Value, 0)
	call := map[string]any{"from": devchain.DevAccount, "to": answer.Tx.To, "data": answer.Tx.Data, "value": (*hexutil.Big)(value), "gas": hexutil.Uint64(10_000_000)}
	var said []string
	for tries := 0; tries < 20; tries++ {
		c.mu.Lock()
		hashes := append([]common.Hash(nil), c.hashes[at]...)
		c.mu.Unlock()
		said = nil
		for _, hash := range hashes {
			var paid hexutil.Bytes
			err := c.rpc.CallContext(context.Background(), &paid, "eth_call", call, map[string]any{"blockHash": hash})
			out := new(big.Int).SetBytes(paid).String()
			if err == nil && out == answer.AmountOut {
				return
			}
			said = append(said, fmt.Sprintf("%s: %s %v", hash, out, err))
		}
		if len(hashes) > 0 && tries > 3 {
			break
		}
		time.Sleep(50 * time.Millisecond) // the block may be known to the replica first
	}
	if len(said) == 0 {
		return // a block from before this test listened
	}
	c.wrong.Add(1)
	c.Logf("block %d: quoted %s, the chain pays %s", at, answer.AmountOut, strings.Join(said, "; "))
}
