package devchain_test

import (
	"math/big"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"braid/contracts"
	"braid/devchain"
	"braid/monad"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

func config() devchain.Config {
	sources := monad.Sources()
	return devchain.Config{
		RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Seed: 1,
		Sources: sources, Families: []venue.Family{univ2.New(sources)},
	}
}

// start runs a chain for one test, with a client over WebSocket.
func start(t *testing.T, c devchain.Config) (*devchain.Chain, *ethclient.Client) {
	t.Helper()
	chain, err := devchain.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { chain.Close() })
	client, err := ethclient.Dial(chain.WebSocketURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return chain, client
}

// ask calls a view of an ERC-20.
func ask[T any](t *testing.T, client *ethclient.Client, token common.Address, method string, args ...any) T {
	t.Helper()
	data, err := contracts.Token.ABI.Pack(method, args...)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.CallContract(t.Context(), ethereum.CallMsg{To: &token, Data: data}, nil)
	if err != nil {
		t.Fatalf("%s of %s: %v", method, token, err)
	}
	values, err := contracts.Token.ABI.Unpack(method, answer)
	if err != nil {
		t.Fatalf("%s of %s: %v", method, token, err)
	}
	return values[0].(T)
}

func deposit(nonce, wei uint64) *types.Transaction {
	return devchain.Sign(devchain.DevKey, nonce, venue.Tx{To: monad.WrappedNative, Value: u256.From(wei), Gas: 100_000})
}

// TestStaged: the started chain has what Config promises.
func TestStaged(t *testing.T) {
	chain, client := start(t, config())
	t.Run("mainnet addresses", func(t *testing.T) { testAddresses(t, client) })
	t.Run("tokens", func(t *testing.T) { testTokens(t, client) })
	t.Run("pairs", func(t *testing.T) { testPairs(t, client) })
	t.Run("methods", func(t *testing.T) { testMethods(t, client, chain.URL()) })
}

func testAddresses(t *testing.T, client *ethclient.Client) {
	ctx := t.Context()

	if id, err := client.ChainID(ctx); err != nil || id.Uint64() != monad.ChainID {
		t.Errorf("chain ID %v, %v", id, err)
	}
	router, executor := contracts.Addresses(monad.WrappedNative)
	for _, at := range []common.Address{router, executor, contracts.Multicall3, contracts.Deployer} {
		if code, err := client.CodeAt(ctx, at, nil); err != nil || len(code) == 0 {
			t.Errorf("no code at %s: %v", at, err)
		}
	}
	if wei, err := client.BalanceAt(ctx, devchain.DevAccount, nil); err != nil || wei.Sign() == 0 {
		t.Errorf("the dev account has %v native, %v", wei, err)
	}
	if nonce, err := client.NonceAt(ctx, devchain.DevAccount, nil); err != nil || nonce != 0 {
		t.Errorf("the dev account has nonce %d, %v", nonce, err)
	}
}

func testTokens(t *testing.T, client *ethclient.Client) {
	for _, listed := range monad.Tokens() {
		if s := ask[string](t, client, listed.Address, "symbol"); s != listed.Symbol {
			t.Errorf("symbol %q of %s", s, listed.Symbol)
		}
		if s := ask[string](t, client, listed.Address, "name"); s != listed.Name {
			t.Errorf("name %q of %s", s, listed.Symbol)
		}
		if n := ask[uint8](t, client, listed.Address, "decimals"); n != listed.Decimals {
			t.Errorf("%d decimals of %s", n, listed.Symbol)
		}
		if n := ask[*big.Int](t, client, listed.Address, "balanceOf", devchain.DevAccount); n.Sign() == 0 {
			t.Errorf("the dev account has no %s", listed.Symbol)
		}
	}
}

// The code hash is that of mainnet's pairs, so pairs have mainnet's addresses.
func testPairs(t *testing.T, client *ethclient.Client) {
	factory := monad.Sources()[0].Factory
	logs, err := client.FilterLogs(t.Context(), ethereum.FilterQuery{
		FromBlock: new(big.Int), Addresses: []common.Address{factory},
		Topics: [][]common.Hash{{crypto.Keccak256Hash([]byte("PairCreated(address,address,address,uint256)"))}},
	})
	if err != nil || len(logs) == 0 {
		t.Fatalf("%d pairs, %v", len(logs), err)
	}
	codeHash := common.FromHex("0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f")
	for _, log := range logs {
		salt := crypto.Keccak256Hash(log.Topics[1][12:], log.Topics[2][12:])
		pair, want := common.BytesToAddress(log.Data[:32]), crypto.CreateAddress2(factory, salt, codeHash)
		if pair != want {
			t.Errorf("pair at %s, not %s", pair, want)
		}
	}
}

// Pages of any origin may use the chain's JSON-RPC, but no method that shows or
// changes the node itself, and only by a host that is this machine's.
func testMethods(t *testing.T, client *ethclient.Client, url string) {
	for _, method := range []string{"admin_nodeInfo", "debug_stacks", "miner_stop", "personal_listAccounts"} {
		if err := client.Client().Call(nil, method); err == nil || !strings.Contains(err.Error(), "not exist") {
			t.Errorf("%s: %v", method, err)
		}
	}
	var software string
	if err := client.Client().Call(&software, "web3_clientVersion"); err != nil || !strings.HasPrefix(software, "braid/") {
		t.Errorf("client version %q, %v", software, err)
	}
	for host, want := range map[string]int{"": 200, "localhost:8545": 200, "[::1]:8545": 200, "rebound.example": 403, "127.0.0.1.rebound.example:8545": 403} {
		body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}`)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host // or that of the URL
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", "https://wallet.example")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if allow := answer.Header.Get("Access-Control-Allow-Origin"); answer.StatusCode != want || want == 200 && allow != "*" {
			t.Errorf("host %q: status %d, Access-Control-Allow-Origin %q", host, answer.StatusCode, allow)
		}
	}
}

func TestSeedDecidesTheChain(t *testing.T) {
	head := func(seed uint64) common.Hash {
		c := config()
		c.Seed = seed
		chain, _ := start(t, c)
		return chain.Head().Hash()
	}
	one, again, two := head(1), head(1), head(2)
	if one != again || one == two {
		t.Errorf("seed 1 gives %s and %s, seed 2 gives %s", one, again, two)
	}
}

func TestStartSaysWhatToDo(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, c := range map[string]struct {
		change func(*devchain.Config)
		want   string
	}{
		"used port":      {func(c *devchain.Config) { c.RPCAddr = taken.Addr().String() }, "BRAID_RPC_ADDR"},
		"not an address": {func(c *devchain.Config) { c.RPCAddr = "8545" }, "host:port"},
		"no artifacts":   {func(c *devchain.Config) { c.Artifacts = "nowhere" }, "nowhere: run `make artifacts`"},
		"damaged artifacts": {func(c *devchain.Config) {
			c.Artifacts = t.TempDir()
			if err := os.WriteFile(c.Artifacts+"/Multicall3.json", []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "run `make artifacts`"},
	} {
		config := config()
		c.change(&config)
		_, err := devchain.Start(t.Context(), config)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTransactionMakesBlock(t *testing.T) {
	chain, client := start(t, config())
	heads := make(chan *types.Header, 16)
	sub, err := client.SubscribeNewHead(t.Context(), heads)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	before := chain.Head().Number.Uint64()
	for nonce := range uint64(3) {
		tx := deposit(nonce, 1)
		if err := client.SendTransaction(t.Context(), tx); err != nil {
			t.Fatal(err)
		}
		head := next(t, heads)
		if head.Number.Uint64() != before+nonce+1 {
			t.Fatalf("head %d after transaction %d on block %d", head.Number, nonce, before)
		}
		if r, err := client.TransactionReceipt(t.Context(), tx.Hash()); err != nil || r.Status != 1 || r.BlockHash != head.Hash() {
			t.Fatalf("receipt %+v, %v", r, err)
		}
	}
}

func TestHeartbeat(t *testing.T) {
	c := config()
	c.Heartbeat = 20 * time.Millisecond
	_, client := start(t, c)
	heads := make(chan *types.Header, 16)
	sub, err := client.SubscribeNewHead(t.Context(), heads)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	if a, b := next(t, heads), next(t, heads); b.ParentHash != a.Hash() || b.Time <= a.Time {
		t.Errorf("blocks %v and %v", a, b)
	}
}

func TestReorgReplacesLogs(t *testing.T) {
	chain, client := start(t, config())
	base := chain.Head()
	mine := func(txs ...*types.Transaction) {
		t.Helper()
		if _, err := chain.Mine(txs...); err != nil {
			t.Fatal(err)
		}
	}
	mine(deposit(0, 1))
	mine(deposit(1, 2))
	old := chain.Head()
	if err := chain.Reorg(2, nil, []*types.Transaction{deposit(0, 3)}, nil); err != nil {
		t.Fatal(err)
	}
	head := chain.Head()
	if head.Number.Uint64() != base.Number.Uint64()+3 || head.Hash() == old.Hash() {
		t.Fatalf("head %d", head.Number)
	}
	logs, err := client.FilterLogs(t.Context(), ethereum.FilterQuery{FromBlock: new(big.Int).Add(base.Number, common.Big1)})
	if err != nil {
		t.Fatal(err)
	}
	if len(logs) != 1 || new(big.Int).SetBytes(logs[0].Data).Uint64() != 3 {
		t.Errorf("logs of the branch: %v", logs)
	}
	if _, err := client.TransactionReceipt(t.Context(), deposit(1, 2).Hash()); err == nil {
		t.Error("a transaction outlived its block")
	}
	// Dropped transactions do not come back with a new one.
	if err := client.SendTransaction(t.Context(), deposit(1, 4)); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return chain.Head().Number.Uint64() > head.Number.Uint64() })
	if r, err := client.TransactionReceipt(t.Context(), deposit(1, 4).Hash()); err != nil || r.Status != 1 {
		t.Errorf("after the reorg: %v", err)
	}
}

// TestReorgOfTheSameIsAnother: a branch of equal blocks has other hashes.
func TestReorgOfTheSameIsAnother(t *testing.T) {
	chain, _ := start(t, config())
	tx := deposit(0, 1)
	if _, err := chain.Mine(tx); err != nil {
		t.Fatal(err)
	}
	old := chain.Head()
	if err := chain.Reorg(1, []*types.Transaction{tx}); err != nil {
		t.Fatal(err)
	}
	if head := chain.Head(); head.Hash() == old.Hash() || head.ParentHash != old.ParentHash {
		t.Errorf("head %s after %s", head.Hash(), old.Hash())
	}
	if err := chain.Reorg(1000, nil); err == nil {
		t.Error("replaced more blocks than there are")
	}
}

func TestActivity(t *testing.T) {
	c := config()
	c.Activity = true
	_, client := start(t, c)
	router, _ := contracts.Addresses(monad.WrappedNative)
	logs := make(chan types.Log, 16)
	sub, err := client.SubscribeFilterLogs(t.Context(), ethereum.FilterQuery{Addresses: []common.Address{router}}, logs)
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	for range 2 {
		if log := next(t, logs); log.Topics[0] != contracts.Router.ABI.Events["Swapped"].ID {
			t.Errorf("log %v", log)
		}
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	run := func() int {
		c := config()
		c.Activity, c.Heartbeat = true, 10*time.Millisecond
		chain, err := devchain.Start(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if err := chain.Close(); err != nil {
			t.Fatal(err)
		}
		return runtime.NumGoroutine()
	}
	// The first chain starts what go-ethereum keeps for all chains of a process.
	before := run()
	run()
	waitFor(t, func() bool { return runtime.NumGoroutine() <= before })
}

func next[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("gave up waiting; goroutines:\n%s", stacks[:runtime.Stack(stacks, true)])
		}
	}
}
