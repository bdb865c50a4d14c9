package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"go.etcd.io/bbolt"

	"braid/devchain"
	"braid/families"
	"braid/monad"
	"braid/venuetest"
)

// TestCompare compares another build of braid with this one on a chain without new
// blocks: the flags of each command, the names and labels of metrics, the
// answers to random requests byte for byte, the records of the store, and the
// plans of `braid bench` must be the same.
func TestCompare(t *testing.T) {
	other := os.Getenv("BASE_BINARY")
	if other == "" {
		t.Skip("compares this build with another one: run make compare BASE=commit")
	}
	seed, sources := venuetest.Setting(t, "SEED", 1), monad.Sources()
	chain, err := devchain.Start(t.Context(), devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Seed: seed, Sources: sources, Families: families.Of(sources, monad.WrappedNative),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer chain.Close()
	for range settled {
		if _, err := chain.Mine(); err != nil {
			t.Fatal(err)
		}
	}

	var builds [2]build
	for i, binary := range []string{other, env.braid} {
		builds[i] = build{binary: binary, dir: t.TempDir()}
		builds[i].serve(t, chain.URL())
	}
	same(t, "flags", builds, build.flags)
	same(t, "metrics", builds, build.metrics)
	compareAnswers(t, builds, seed)
	for i := range builds {
		builds[i].stop(t)
	}
	same(t, "store", builds, build.records)
	for i := range builds {
		builds[i].bench(t, chain.URL(), seed)
	}
	same(t, "plans", builds, build.plans)
}

// settled is how many blocks are mined, more than after which the local chain calls
// a block final: the store takes final ones alone.
const settled = 80

// build is one of the two that are compared.
type build struct {
	binary, dir string
	api         string
	admin       string // host and port of the admin address; empty: the build has none
	service     *exec.Cmd
}

// same compares what both builds give, line by line, up to the first difference.
func same(t *testing.T, what string, builds [2]build, of func(build, *testing.T) []string) {
	t.Helper()
	a, b := of(builds[0], t), of(builds[1], t)
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Errorf("%s: line %d of %d and %d differs:\n%.400s\n%.400s", what, i, len(a), len(b), line(a, i), line(b, i))
			return
		}
	}
	fmt.Printf("%s: %d lines are the same\n", what, len(a))
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(none)"
}

func (b *build) serve(t *testing.T, rpc string) {
	t.Helper()
	var err error
	args := []string{"serve", "--rpc", rpc, "--store", filepath.Join(b.dir, "store"), "--stuck-after", "0", "--rpc-rate", "0"}
	if strings.Contains(strings.Join(b.flags(t), "\n"), "serve  --admin-addr") {
		b.admin = freeAddress(t)
		args = append(args, "--admin-addr", b.admin)
	}
	b.service, b.api, err = start("API", b.binary, args...)
	if err != nil {
		t.Fatal(err)
	}
	// A service that outlives a failed test would hold the test's output open.
	t.Cleanup(func() { b.service.Process.Kill() })
}

func (b *build) stop(t *testing.T) {
	t.Helper()
	b.service.Process.Signal(os.Interrupt)
	if err := b.service.Wait(); err != nil {
		t.Fatal(err)
	}
}

var flagLine = regexp.MustCompile(`(?m)^  --?(\S+)|\(default [^)]*\)`)

// freeAddress is a loopback address that nothing listens on.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// flags are the names of all flags and what they are by default.
func (b build) flags(t *testing.T) (lines []string) {
	for _, command := range []string{"dev", "serve", "quote", "bench", "verify", "deploy"} {
		out, err := exec.Command(b.binary, command, "-h").CombinedOutput()
		if err != nil {
			t.Fatalf("%s -h: %v", command, err)
		}
		for _, found := range flagLine.FindAllString(string(out), -1) {
			lines = append(lines, command+found)
		}
	}
	return lines
}

var sample = regexp.MustCompile(`(?m)^(?:# TYPE .*|braid_[^ ]*)`)

// metrics are their types, names and labels.
func (b build) metrics(t *testing.T) []string {
	root := strings.TrimSuffix(b.api, "/api/v1")
	if b.admin != "" {
		root = "http://" + b.admin
	}
	body, _ := ask(t, root+"/metrics")
	lines := sample.FindAllString(string(body), -1)
	slices.Sort(lines)
	return lines
}

// records are all keys and values of the store.
func (b build) records(t *testing.T) (lines []string) {
	db, err := bbolt.Open(filepath.Join(b.dir, "store"), 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, bucket *bbolt.Bucket) error {
			return bucket.ForEach(func(k, v []byte) error {
				lines = append(lines, fmt.Sprintf("%s %x %q", name, k, v))
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// bench plans random orders on the chain's market.
func (b build) bench(t *testing.T, rpc string, seed uint64) {
	t.Helper()
	market, trades := filepath.Join(b.dir, "market.json"), filepath.Join(b.dir, "trades.json")
	b.run(t, "bench", "--rpc", rpc, "--dump", market)
	var held struct{ Tokens []json.RawMessage }
	data, err := os.ReadFile(market)
	if err == nil {
		err = json.Unmarshal(data, &held)
	}
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 2))
	var orders []map[string]any
	for i := range 300 {
		in, out := random.IntN(len(held.Tokens)), random.IntN(len(held.Tokens))
		if in != out {
			orders = append(orders, map[string]any{"id": i, "in": in, "out": out, "amountIn": amount(random)})
		}
	}
	if data, err = json.Marshal(orders); err == nil {
		err = os.WriteFile(trades, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.run(t, "bench", "--market", market, "--trades", trades, "--out", filepath.Join(b.dir, "plans.json"))
}

func (b build) run(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(b.binary, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
}

var timed = regexp.MustCompile(`"(?:micros|setupMs)":[^,}]*,|"version":"[^"]*",`)

// plans are the market file and the plans on it, without the times they took.
func (b build) plans(t *testing.T) (lines []string) {
	for _, name := range []string{"market.json", "plans.json"} {
		data, err := os.ReadFile(filepath.Join(b.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		data = timed.ReplaceAll(data, nil)
		lines = append(lines, strings.SplitAfter(string(data), "},")...)
	}
	return lines
}

const compared = 1000 // requests

// compareAnswers asks both builds the same at the same time. Answers that hold
// a deadline may differ by the second in which they were made: they get three
// more tries.
func compareAnswers(t *testing.T, builds [2]build, seed uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	tokens := env.tokens(t)
	kinds := map[string]int{}
	for range compared {
		path, query := request(random, tokens)
		kinds[path]++
		address := path + "?" + query.Encode()
		for try := 0; ; try++ {
			a, headersA := ask(t, builds[0].api+address)
			b, headersB := ask(t, builds[1].api+address)
			if bytes.Equal(a, b) && headersA == headersB {
				break
			}
			if try == 3 {
				t.Fatalf("%s\n%s\n%.2000s\n%s\n%.2000s", address, headersA, a, headersB, b)
			}
		}
	}
	fmt.Printf("answers: %d are the same:", compared)
	for _, path := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Printf(" %d of %s", kinds[path], path)
	}
	fmt.Println()
}

// ask gives a body, and the status and headers that belong to it.
func ask(t *testing.T, address string) ([]byte, string) {
	t.Helper()
	body, resp := fetch(t, address, "X-Request-Id", "compare")
	headers := resp.Header.Clone()
	for _, name := range []string{"Date", "Server-Timing"} {
		headers.Del(name)
	}
	return body, fmt.Sprint(resp.StatusCode, headers)
}

// request is a random request; some are invalid.
func request(random *rand.Rand, tokens []common.Address) (path string, query url.Values) {
	pick := func() string { return tokens[random.IntN(len(tokens))].Hex() }
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	query = url.Values{"tokenIn": {pick()}, "tokenOut": {pick()}, "amount": {amount(random)}}
	if random.IntN(5) == 0 {
		query.Set(one("tokenIn", "tokenOut"), common.Address{}.Hex())
	}
	if random.IntN(3) == 0 {
		query.Set("slippageBps", one("0", "100", "10000", "10001", "x"))
	}
	if random.IntN(4) == 0 {
		query.Set("excludeSources", one("Kuru", "UniswapV3,Hanji", "Unisawp", ""))
	}
	if random.IntN(10) == 0 {
		query.Set(one("tokenIn", "amount", "slippage"), one("", "1.5", "0x12", strings.Repeat("9", 90)))
	}
	switch path = one("/quote", "/quote", "/swap", "/swap", "/depth", "/tokens", "/liquidity-sources"); path {
	case "/quote":
		query.Set("include", one("", "meta", "why", "viz", "meta,why"))
	case "/swap":
		query.Set("recipient", one("0x00000000000000000000000000000000000f3e51", pick()))
		query.Set("include", one("", "meta", "approval", "calls", "why"))
	case "/depth":
		query.Del("amount")
	case "/tokens":
		query = url.Values{"search": {one("U", "usd", "WMON", pick(), "")}, "limit": {one("1", "10", "500", "0")}}
	case "/liquidity-sources":
		query = nil
	}
	return path, query
}

// amount has between one and 26 digits.
func amount(random *rand.Rand) string {
	return fmt.Sprintf("%.0f", math.Pow(10, 26*random.Float64()))
}
