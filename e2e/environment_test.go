// Package e2e_test tests the product end to end: a local chain in one process,
// the service in another that knows nothing but the chain's URL, and clients that
// quote, sign and send. What a recipient receives must equal what was quoted.
package e2e_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"

	"braid/contracts"
	"braid/devchain"
	"braid/monad"
)

// env is the environment that all tests of this package share.
var env *environment

func TestMain(m *testing.M) {
	started, err := newEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	env = started
	code := m.Run()
	env.close()
	os.Exit(code)
}

// environment is a chain, a service on it, and a wallet.
type environment struct {
	url   string // of the chain
	rpc   *ethclient.Client
	base  string // of the API
	key   *ecdsa.PrivateKey
	from  common.Address
	braid string // the binary
	close func()
}

func newEnvironment() (*environment, error) {
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(dir, "braid")
	if out, err := exec.Command("go", "build", "-o", binary, "braid/cmd/braid").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %s", out)
	}
	local, url, err := start("JSON-RPC", binary, "dev", "--rpc-addr", "127.0.0.1:0", "--artifacts", "../build/artifacts")
	if err != nil {
		return nil, err
	}
	service, base, err := start("API", binary, "serve", "--rpc", url)
	if err != nil {
		local.Process.Kill()
		return nil, err
	}
	client, err := ethclient.Dial(url)
	if err != nil {
		return nil, err
	}
	return &environment{
		braid: binary, url: url, rpc: client, base: base, key: devchain.DevKey, from: devchain.DevAccount,
		close: func() {
			client.Close()
			for _, p := range []*exec.Cmd{service, local} {
				p.Process.Signal(os.Interrupt)
				p.Wait()
			}
			os.RemoveAll(dir)
		},
	}, nil
}

// start runs a command on free ports, waits until it is ready, and gives the
// address that it prints after a word.
func start(word, binary string, args ...string) (*exec.Cmd, string, error) {
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), "BRAID_ADDR=127.0.0.1:0", "BRAID_LOCAL=true", "BRAID_DRAIN=0s") // a build that has no such setting ignores it
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	ready := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		f := strings.Fields(lines.Text())
		ready = ready || slices.Contains(f, "ready")
		if ready && len(f) > 1 && f[0] == word {
			go io.Copy(io.Discard, out)
			return cmd, f[1], nil
		}
	}
	cmd.Wait()
	return nil, "", fmt.Errorf("braid %s ended before it was ready", args[0])
}

// answer is what the tests read of answers of /quote and /swap.
type answer struct {
	TokenIn, TokenOut   string
	AmountIn, AmountOut string
	PriceImpactBps      int
	Routes              []struct {
		Pool, PoolType, TokenIn, TokenOut, Factory string
		AmountIn, AmountOut                        string
		Weight                                     int
	}
	Fees struct {
		Integrator struct{ Token, Amount string }
	}
	Tx struct{ To, Data, Value, EstimatedGas string }

	Code   string // of an error
	Detail string
}

// out is the quoted output in raw units; 0 if there is none.
func (a *answer) out() *big.Int {
	n, ok := new(big.Int).SetString(a.AmountOut, 10)
	if !ok {
		return new(big.Int)
	}
	return n
}

// get asks the API and reads the answer, whatever its status.
func (w *environment) get(t testing.TB, path string, query url.Values) (*answer, *http.Response) {
	t.Helper()
	body, resp := fetch(t, w.base+path+"?"+query.Encode())
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("%s: %v in %.200s", path, err, body)
	}
	return &a, resp
}

// fetch is an answer of any status and its whole body. Headers are pairs of name and
// value.
func fetch(t testing.TB, address string, headers ...string) ([]byte, *http.Response) {
	t.Helper()
	r, err := http.NewRequest("GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body, resp
}

// tokens are all that /tokens lists.
func (w *environment) tokens(t testing.TB) (list []common.Address) {
	t.Helper()
	body, _ := fetch(t, w.base+"/tokens?limit=500")
	var listed struct {
		Tokens []struct{ Address common.Address }
	}
	if err := json.Unmarshal(body, &listed); err != nil {
		t.Fatal(err)
	}
	for _, token := range listed.Tokens {
		list = append(list, token.Address)
	}
	return list
}

// catchUp waits until the service quotes from block n or a later one.
func (w *environment) catchUp(t testing.TB, n uint64) {
	t.Helper()
	query := url.Values{"tokenIn": {monad.WrappedNative.Hex()}, "tokenOut": {monad.USDC.Hex()}, "amount": {"1000000000000000000"}}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		_, resp := w.get(t, "/quote", query)
		if at, _ := strconv.ParseUint(resp.Header.Get("X-Block-Number"), 10, 64); at >= n {
			return
		}
	}
	t.Fatalf("the service does not reach block %d", n)
}

// send signs and sends a transaction, and waits for its receipt and until the
// service quotes from its block.
func (w *environment) send(t testing.TB, to common.Address, data []byte, value *big.Int, gas uint64) *types.Receipt {
	t.Helper()
	ctx := context.Background()
	nonce, err := w.rpc.PendingNonceAt(ctx, w.from)
	if err != nil {
		t.Fatal(err)
	}
	tx := types.MustSignNewTx(w.key, types.LatestSignerForChainID(big.NewInt(monad.ChainID)), &types.DynamicFeeTx{
		ChainID: big.NewInt(monad.ChainID), Nonce: nonce, To: &to, Data: data, Value: value, Gas: gas,
		GasFeeCap: big.NewInt(200e9), GasTipCap: big.NewInt(2e9),
	})
	if err := w.rpc.SendTransaction(ctx, tx); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if receipt, err := w.rpc.TransactionReceipt(ctx, tx.Hash()); err == nil {
			w.catchUp(t, receipt.BlockNumber.Uint64())
			return receipt
		}
	}
	t.Fatalf("transaction %s is not mined", tx.Hash())
	return nil
}

// approve lets spender take amount of a token from the wallet.
func (w *environment) approve(t testing.TB, token, spender common.Address, amount *big.Int) {
	t.Helper()
	if r := w.send(t, token, pack(t, "approve", spender, amount), nil, 100_000); r.Status != 1 {
		t.Fatalf("approve of %s fails", token)
	}
}

// balance of a token in raw units; of native currency for the zero address.
func (w *environment) balance(t testing.TB, token, holder common.Address) *big.Int {
	t.Helper()
	ctx := context.Background()
	if token == (common.Address{}) {
		n, err := w.rpc.BalanceAt(ctx, holder, nil)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	out, err := w.rpc.CallContract(ctx, ethereum.CallMsg{To: &token, Data: pack(t, "balanceOf", holder)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return new(big.Int).SetBytes(out)
}

func pack(t testing.TB, method string, args ...any) []byte {
	t.Helper()
	data, err := contracts.Token.ABI.Pack(method, args...)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func sub(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }

// revertName is the name of the Router's error with which a call reverts now.
func (w *environment) revertName(t *testing.T, to common.Address, data string) string {
	t.Helper()
	_, err := w.rpc.CallContract(context.Background(), ethereum.CallMsg{From: w.from, To: &to, Data: hexutil.MustDecode(data)}, nil)
	var reverted rpc.DataError
	if !errors.As(err, &reverted) {
		t.Fatalf("the call does not revert: %v", err)
	}
	raw, err := hexutil.Decode(reverted.ErrorData().(string))
	if err != nil || len(raw) < 4 {
		t.Fatalf("revert data %v", reverted.ErrorData())
	}
	for name, e := range contracts.Router.ABI.Errors {
		if [4]byte(e.ID[:4]) == [4]byte(raw[:4]) {
			return name
		}
	}
	return hexutil.Encode(raw[:4])
}
