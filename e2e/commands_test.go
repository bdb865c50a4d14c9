package e2e_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/calldata"
	"braid/contracts"
	"braid/monad"
	"braid/u256"
	"braid/venue"
)

// The tests of this file expect the prices and the clock of a new chain, so they run
// before those of swap_test.go, which move both: Go runs files in the order of their
// names.

// TestVerify: the command accepts what the service answers, and reports an answer
// that was changed.
func TestVerify(t *testing.T) {
	for _, o := range []order{
		{in: monad.WrappedNative, out: monad.USDC, amount: new(big.Int).Mul(big.NewInt(100_000), big.NewInt(1e18))},
		{in: common.Address{}, out: monad.USDC, amount: big.NewInt(1e18)},
		{in: monad.USDC, out: common.Address{}, amount: big.NewInt(1e9)},
	} {
		o.recipient = common.HexToAddress("0x0f3e51f1")
		query := o.query()
		query.Set("include", "approval,calls")
		body, verify := env.verified(t, query)
		out, err := verify(body)
		if err != nil || !strings.Contains(out, "1. swap") || !strings.Contains(out, "does what was asked for") {
			t.Fatalf("%v: %s", err, out)
		}
		for _, args := range [][]string{{"--recipient", env.from.Hex()}, {"--amount", "7"}, {"--tokenOut", monad.USDT0.Hex()}, {"--slippageBps", "0"}} {
			if out, err := verify(body, args...); err == nil {
				t.Errorf("%v is not noticed: %s", args, out)
			}
		}
		changed := bytes.Replace(body, []byte("000000000f3e51f1"), []byte("000000000f3e51f2"), 1)
		if out, err := verify(changed); err == nil || !strings.Contains(out, "recipient") {
			t.Errorf("another recipient is not noticed: %s", out)
		}
		router, _ := contracts.Addresses(monad.WrappedNative)
		for what, change := range map[string]func(answer, calls map[string]any){
			"an approval of all": func(answer, _ map[string]any) {
				data := venue.Calldata("approve(address,uint256)", router[:], bytes.Repeat([]byte{0xff}, 32))
				answer["approval"] = map[string]any{"to": answer["tokenIn"], "data": hexutil.Encode(data), "value": "0"}
			},
			"a call more": func(answer, calls map[string]any) {
				calls["calls"] = append(calls["calls"].([]any), answer["tx"])
			},
			"another call": func(_, calls map[string]any) {
				calls["calls"].([]any)[0].(map[string]any)["to"] = env.from.Hex()
			},
			"another chain": func(_, calls map[string]any) { calls["chainId"] = "0x1" },
		} {
			var answer map[string]any
			if err := json.Unmarshal(body, &answer); err != nil {
				t.Fatal(err)
			}
			change(answer, answer["calls"].(map[string]any))
			text, err := json.Marshal(answer)
			if err != nil {
				t.Fatal(err)
			}
			if out, err := verify(text); err == nil {
				t.Errorf("%s is not noticed: %s", what, out)
			}
		}
	}
}

// TestVerifyFetch: without an answer the command fetches one and verifies it.
func TestVerifyFetch(t *testing.T) {
	o := order{in: common.Address{}, out: monad.USDC, amount: big.NewInt(1e18), recipient: common.HexToAddress("0x0f3e51f1")}
	address := env.base + "/swap?" + o.query().Encode()
	// The blocks of this chain may be ahead of the clock: each trade of a test is one.
	out, err := exec.Command(env.braid, "verify", "--chain-clock", "--request", address).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "fetched from "+env.base+"/swap\n") || !strings.Contains(string(out), "does what was asked for") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := exec.Command(env.braid, "verify", "--chain-clock", "--request", address, "--recipient", env.from.Hex()).CombinedOutput(); err == nil || !strings.Contains(string(out), "recipient") {
		t.Errorf("another recipient is not noticed: %s", out)
	}
}

// TestQuoteCommand: the command takes symbols, whole amounts and a URL, and native
// currency too.
func TestQuoteCommand(t *testing.T) {
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"MON", "USDC", "10"}, " USDC for 10 MON\n"},
		{[]string{"usdc", "mon", "0.5"}, " MON for 0.5 USDC\n"},
		{[]string{"WMON", "USDC", "1000"}, " USDC for 1000 WMON\n"},
	} {
		out, err := exec.Command(env.braid, append(append([]string{"quote"}, row.args...), "--addr", env.base)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), row.says) || !strings.Contains(string(out), "price impact 0 bps") {
			t.Errorf("%v: %v: %s", row.args, err, out)
		}
	}
}

// verified is an answer of /swap, and a function that verifies an answer against
// the same request.
func (w *environment) verified(t *testing.T, query url.Values) (body []byte, verify func(answer []byte, args ...string) (string, error)) {
	t.Helper()
	address := w.base + "/swap?" + query.Encode()
	body, _ = fetch(t, address)
	return body, func(answer []byte, args ...string) (string, error) {
		cmd := exec.Command(w.braid, append([]string{"verify", "--request", address}, args...)...)
		cmd.Stdin = bytes.NewReader(answer)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

// TestVerifyPermits: a change of any field that is to be signed is reported.
func TestVerifyPermits(t *testing.T) {
	o := order{in: monad.USDC, out: monad.WrappedNative, amount: big.NewInt(1e9), recipient: common.HexToAddress("0x0f3e51f1")}
	query := o.query()
	query.Set("include", "permit")
	query.Set("owner", env.from.Hex())
	query.Set("permitNonce", "7")
	body, verify := env.verified(t, query)
	if out, err := verify(body); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const far = 1 << 40
	words := strconv.Itoa(far)
	until := uint64(time.Now().Unix()) + 300
	wide := calldata.Permit{Kind: calldata.ERC2612, Amount: u256.From(far), Deadline: until}
	long := calldata.Permit{Kind: calldata.ERC2612, Amount: u256.From(1e9), Deadline: far}
	for _, change := range []map[string]any{
		{"permit2.typedData.message.spender": env.from.Hex()},
		{"permit2.typedData.message.permitted.token": monad.USDT0.Hex()},
		{"permit2.typedData.message.permitted.amount": words},
		{"permit2.typedData.message.nonce": "1"},
		{"permit2.typedData.message.deadline": words},
		{"permit2.typedData.domain.verifyingContract": monad.USDC.Hex()},
		{"permit2.typedData.domain.chainId": 1},
		{"permit2.typedData.primaryType": "TokenPermissions"},
		{"permit2.prefix": "0x02"},
		{"erc2612.typedData.message.owner": o.recipient.Hex()},
		{"erc2612.typedData.message.spender": env.from.Hex()},
		{"erc2612.typedData.message.nonce": "8"},
		{"erc2612.typedData.domain.verifyingContract": monad.USDT0.Hex()},
		{"erc2612.typedData.types.Permit": []any{}},
		{"erc2612.prefix": hexutil.Encode(wide.Prefix()), "erc2612.typedData.message.value": words, "erc2612.typedData.message.deadline": strconv.FormatUint(until, 10)},
		{"erc2612.prefix": hexutil.Encode(long.Prefix()), "erc2612.typedData.message.deadline": words},
	} {
		var answer map[string]any
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatal(err)
		}
		for path, value := range change {
			at, names := answer["permit"].(map[string]any), strings.Split(path, ".")
			for _, name := range names[:len(names)-1] {
				at = at[name].(map[string]any)
			}
			at[names[len(names)-1]] = value
		}
		text, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := verify(text); err == nil {
			t.Errorf("%v is not noticed: %s", change, out)
		}
	}
}

// TestDeploy: the command deploys the contracts to the addresses that package
// contracts computes, and only once.
func TestDeploy(t *testing.T) {
	deploy := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(env.braid, append([]string{"deploy", "--rpc", env.url}, args...)...)
		cmd.Env = append(cmd.Environ(), "DEPLOYER_KEY="+common.Bytes2Hex(crypto.FromECDSA(env.key)))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	router, executor := contracts.Addresses(monad.WrappedNative)
	if out := deploy(); !strings.Contains(out, "Router is deployed at "+router.Hex()) || !strings.Contains(out, "Executor is deployed at "+executor.Hex()) {
		t.Errorf("contracts of the local chain: %s", out)
	}
	// As if the chain had another wrapped native.
	other := monad.USDC
	router, executor = contracts.Addresses(other)
	if out := deploy("--wrapped-native", other.Hex()); !strings.Contains(out, "Router is not deployed at "+router.Hex()) {
		t.Errorf("without a key: %s", out)
	}
	for _, word := range []string{"was deployed", "is deployed"} {
		out := deploy("--wrapped-native", other.Hex(), "--key-env", "DEPLOYER_KEY")
		if !strings.Contains(out, "Router "+word+" at "+router.Hex()) || !strings.Contains(out, "Executor "+word+" at "+executor.Hex()) {
			t.Errorf("want %q: %s", word, out)
		}
	}
	code, err := env.rpc.CodeAt(t.Context(), executor, nil)
	if err != nil || len(code) == 0 {
		t.Errorf("there is no contract at %s: %v", executor, err)
	}
}
