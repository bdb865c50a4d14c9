package e2e_test

import (
	"encoding/json"
	"math/big"
	"net/url"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"braid/contracts"
	"braid/monad"
)

// signable is what include=permit and include=calls add to an answer.
type signable struct {
	Permit map[string]struct {
		TypedData apitypes.TypedData
		Prefix    string
	}
	Calls struct {
		ChainID string
		Calls   []struct {
			To          common.Address
			Data, Value string
		}
	}
}

// extras is what the includes of the query add to an answer of /swap.
func (w *environment) extras(t *testing.T, query url.Values) (s signable) {
	t.Helper()
	body, resp := fetch(t, w.base+"/swap?"+query.Encode())
	if err := json.Unmarshal(body, &s); err != nil || resp.StatusCode != 200 {
		t.Fatalf("/swap: %d %v", resp.StatusCode, err)
	}
	return s
}

// TestPermits: with a signed permit no approval is sent, the recipient receives what
// was quoted, and the gas limit suffices; the first time and again.
func TestPermits(t *testing.T) {
	nonces := func() *big.Int { return env.read(t, monad.USDC, "nonces", env.from) }
	for _, kind := range []string{"permit2", "erc2612", "permit2", "erc2612"} {
		o := order{in: monad.USDC, out: monad.WrappedNative, amount: big.NewInt(25e6), recipient: common.HexToAddress("0x51672ed")}
		if kind == "permit2" {
			env.approve(t, o.in, contracts.Permit2, o.amount) // as users of Permit2 have done once
		}
		env.approve(t, o.in, env.router(), new(big.Int))
		query := o.query()
		query.Set("include", "permit")
		query.Set("owner", env.from.Hex())
		query.Set("permitNonce", nonces().String())
		permit := env.extras(t, query).Permit[kind]
		hash, _, err := apitypes.TypedDataAndHash(permit.TypedData)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := crypto.Sign(hash, env.key)
		if err != nil {
			t.Fatal(err)
		}
		query.Set("permit", permit.Prefix+common.Bytes2Hex(signature))
		query.Del("include")
		swap, _ := env.get(t, "/swap", query)
		before := env.balance(t, o.out, o.recipient)
		gas, _ := new(big.Int).SetString(swap.Tx.EstimatedGas, 10)
		r := env.send(t, common.HexToAddress(swap.Tx.To), hexutil.MustDecode(swap.Tx.Data), nil, gas.Uint64())
		t.Logf("%s: %d of %v gas used", kind, r.GasUsed, gas)
		if got := sub(env.balance(t, o.out, o.recipient), before); r.Status != 1 || got.Cmp(swap.out()) != 0 {
			t.Errorf("%s: status %d, quoted %s, received %v", kind, r.Status, swap.AmountOut, got)
		}
		if left := env.read(t, o.in, "allowance", env.from, env.router()); left.Sign() != 0 {
			t.Errorf("%s: %v is still allowed", kind, left)
		}
	}
}

// TestCalls sends the batch of include=calls (EIP-5792) call by call, as a wallet
// does that cannot send batches.
func TestCalls(t *testing.T) {
	for _, in := range []common.Address{monad.USDC, {}} {
		o := order{in: in, out: monad.WrappedNative, amount: big.NewInt(25e6), recipient: common.HexToAddress("0xca115")}
		if in == (common.Address{}) {
			o.out = monad.USDC
			o.amount = big.NewInt(1e18)
		}
		query := o.query()
		query.Set("include", "calls")
		quote, _ := env.get(t, "/quote", o.query())
		calls := env.extras(t, query).Calls
		if calls.ChainID != "0x8f" {
			t.Errorf("chain %s", calls.ChainID)
		}
		before := env.balance(t, o.out, o.recipient)
		for _, c := range calls.Calls {
			if r := env.send(t, c.To, hexutil.MustDecode(c.Data), hexutil.MustDecodeBig(c.Value), 2_000_000); r.Status != 1 {
				t.Fatal("a call of the batch reverts")
			}
		}
		if got := sub(env.balance(t, o.out, o.recipient), before); got.Cmp(quote.out()) != 0 {
			t.Errorf("quoted %s, received %v", quote.AmountOut, got)
		}
	}
}

func (w *environment) router() common.Address {
	router, _ := contracts.Addresses(monad.WrappedNative)
	return router
}

// read calls a view function of a token that returns a number.
func (w *environment) read(t *testing.T, token common.Address, method string, args ...any) *big.Int {
	t.Helper()
	out, err := w.rpc.CallContract(t.Context(), ethereum.CallMsg{To: &token, Data: pack(t, method, args...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return new(big.Int).SetBytes(out)
}
