package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"braid/devchain"
	"braid/families"
	"braid/monad"
	"braid/venuetest"
)

// TestLoad measures the CPU time that a quote costs over HTTP, of another build and
// of this one, while blocks with trades arrive. Both builds follow one chain and are
// asked the same orders in turns, so that a busy machine slows both. No order is asked
// twice.
func TestLoad(t *testing.T) {
	other := os.Getenv("BASE_BINARY")
	if other == "" {
		t.Skip("compares this build with another one: run make load BASE=commit")
	}
	seed, sources := venuetest.Setting(t, "SEED", 1), monad.Sources()
	chain, err := devchain.Start(t.Context(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Seed: seed, Sources: sources, Families: families.Of(sources, monad.WrappedNative),
		Heartbeat: blockTime, Activity: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer chain.Close()
	var services [2]*loaded
	for i, binary := range []string{other, env.braid} {
		services[i] = startLoaded(t, binary, chain.URL())
	}
	random := rand.New(rand.NewPCG(seed, 3))
	tokens := services[1].pricedTokens(t)
	for _, l := range []load{uniformPairs(tokens), popularPairs(tokens, random)} {
		l.measure(t, services, random, int(venuetest.Setting(t, "ORDERS", 8000)))
	}
}

const (
	blockTime = 400 * time.Millisecond // between blocks, as on Monad
	turnSize  = 250                    // orders that a build is asked before it is the other's turn: about a block's time
	warmUp    = 2                      // turns that are not counted
)

// loaded is a service under load.
type loaded struct {
	pid    int
	base   string
	cpu    time.Duration // that turns have cost
	blocks map[string]bool

	refused int // orders
}

func startLoaded(t *testing.T, binary, rpc string) *loaded {
	t.Helper()
	service, base, err := start("API", binary, "serve", "--rpc", rpc, "--rpc-rate", "0", "--stuck-after", "0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		service.Process.Kill()
		service.Wait()
	})
	return &loaded{pid: service.Process.Pid, base: base, blocks: map[string]bool{}}
}

// used is the CPU time that the service has used: utime and stime of
// proc_pid_stat(5), in clock ticks of 10 ms.
func (s *loaded) used(t *testing.T) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
	var ticks int
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// ask asks the orders one after the other.
func (s *loaded) ask(t *testing.T, orders []url.Values) {
	t.Helper()
	before := s.used(t)
	for _, o := range orders {
		resp, err := http.Get(s.base + "/quote?" + o.Encode())
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNotFound {
			t.Fatalf("%s: %v: %.200s", o.Encode(), err, body)
		}
		if resp.StatusCode == http.StatusNotFound { // too small or too large for some market
			s.refused++
		}
		s.blocks[resp.Header.Get("X-Block-Number")] = true
	}
	s.cpu += s.used(t) - before
}

// pricedToken is a token with the number of raw units that a dollar buys.
type pricedToken struct {
	address              string
	perDollar, liquidity float64
}

// pricedTokens are the tokens that have a price, by falling liquidity.
func (s *loaded) pricedTokens(t *testing.T) (tokens []pricedToken) {
	t.Helper()
	body, _ := fetch(t, s.base+"/market")
	var market struct {
		Tokens []struct {
			Address                string
			Decimals               int
			PriceUsd, LiquidityUsd string
		}
	}
	if err := json.Unmarshal(body, &market); err != nil {
		t.Fatal(err)
	}
	for _, token := range market.Tokens {
		price, _ := strconv.ParseFloat(token.PriceUsd, 64)
		liquidity, _ := strconv.ParseFloat(token.LiquidityUsd, 64)
		if price > 0 {
			tokens = append(tokens, pricedToken{token.Address, math.Pow10(token.Decimals) / price, liquidity})
		}
	}
	slices.SortStableFunc(tokens, func(a, b pricedToken) int { return int(math.Copysign(1, b.liquidity-a.liquidity)) })
	return tokens
}

// load is a way to choose the pairs of orders.
type load struct {
	name string
	pair func(*rand.Rand) (in, out pricedToken)
}

func uniformPairs(tokens []pricedToken) load {
	return load{"uniform pairs", func(random *rand.Rand) (in, out pricedToken) { return twoOf(tokens, random) }}
}

func twoOf(tokens []pricedToken, random *rand.Rand) (in, out pricedToken) {
	i, j := random.IntN(len(tokens)), random.IntN(len(tokens)-1)
	if j >= i {
		j++
	}
	return tokens[i], tokens[j]
}

// popularPairs are 20 pairs of the 8 tokens with most liquidity; the k-th is asked
// in proportion to 1/k.
func popularPairs(tokens []pricedToken, random *rand.Rand) load {
	type pair struct{ in, out pricedToken }
	var pairs []pair
	var weights []float64
	for sum := 0.; len(pairs) < 20; {
		in, out := twoOf(tokens[:8], random)
		if p := (pair{in, out}); !slices.Contains(pairs, p) {
			pairs = append(pairs, p)
			sum += 1 / float64(len(pairs))
			weights = append(weights, sum)
		}
	}
	return load{"20 popular pairs", func(random *rand.Rand) (in, out pricedToken) {
		i, _ := slices.BinarySearch(weights, random.Float64()*weights[len(weights)-1])
		return pairs[i].in, pairs[i].out
	}}
}

// orders are worth $10 to $10,000, log-uniformly, and at most a hundredth of what all
// pools hold of either token.
func (l load) orders(random *rand.Rand, n int) (orders []url.Values) {
	for range n {
		in, out := l.pair(random)
		amount := in.perDollar * min(math.Pow(10, 1+3*random.Float64()), in.liquidity/100, out.liquidity/100)
		orders = append(orders, url.Values{"tokenIn": {in.address}, "tokenOut": {out.address}, "amount": {strconv.FormatFloat(math.Ceil(amount), 'f', 0, 64)}})
	}
	return orders
}

// measure prints what a quote costs both builds, in this load.
func (l load) measure(t *testing.T, services [2]*loaded, random *rand.Rand, n int) {
	t.Helper()
	turns := n / turnSize
	for turn := range warmUp + turns {
		if turn == warmUp {
			for _, s := range services {
				s.cpu, s.refused = 0, 0
				clear(s.blocks)
			}
		}
		orders := l.orders(random, turnSize)
		for i := range services {
			services[(turn+i)%2].ask(t, orders)
		}
	}
	asked := turns * turnSize
	base, ours := services[0].cpu.Seconds()/float64(asked), services[1].cpu.Seconds()/float64(asked)
	fmt.Printf("load=%s quotes=%d refused=%d,%d blocks=%d,%d cpuPerQuote base=%.3fms this=%.3fms ratio=%.3f\n",
		l.name, asked, services[0].refused, services[1].refused, len(services[0].blocks), len(services[1].blocks), base*1e3, ours*1e3, ours/base)
}
