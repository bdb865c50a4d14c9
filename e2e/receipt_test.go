package e2e_test

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"braid/monad"
)

// TestReceipt asks for a swap that paid, one that failed, and a transaction that is no
// swap.
func TestReceipt(t *testing.T) {
	o := order{in: monad.USDC, out: monad.WrappedNative, amount: big.NewInt(5e6), recipient: newAddress(rand.New(rand.NewPCG(4, 20)))}
	swap, resp := env.get(t, "/swap", o.query())
	if resp.StatusCode != 200 {
		t.Fatal(swap.Code, swap.Detail)
	}
	to := common.HexToAddress(swap.Tx.To)
	gas, _ := new(big.Int).SetString(swap.Tx.EstimatedGas, 10)
	receipt := func(hash common.Hash) (r struct {
		Status            any // a word, or the number of a problem
		Code, Detail      string
		BlockNumber       uint64
		GasUsed, GasLimit string
		Swaps             []struct{ Sender, AmountIn, AmountOut, Recipient, Quoted string }
		Revert            *string
	}) {
		t.Helper()
		body, _ := fetch(t, env.base+"/receipt?tx="+hash.Hex()+"&quoted="+swap.AmountOut)
		if err := json.Unmarshal(body, &r); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		return r
	}
	env.approve(t, o.in, to, new(big.Int))
	failed := env.send(t, to, hexutil.MustDecode(swap.Tx.Data), nil, gas.Uint64())
	if r := receipt(failed.TxHash); r.Status != "failed" || r.Revert == nil || !strings.Contains(*r.Revert, "refused a transfer") || len(r.Swaps) != 0 {
		t.Errorf("%+v", r)
	}
	env.approve(t, o.in, to, o.amount)
	paid := env.send(t, to, hexutil.MustDecode(swap.Tx.Data), nil, gas.Uint64())
	r := receipt(paid.TxHash)
	if r.Status != "swapped" || len(r.Swaps) != 1 || r.Revert != nil || r.GasLimit != swap.Tx.EstimatedGas || r.BlockNumber != paid.BlockNumber.Uint64() {
		t.Fatalf("%+v", r)
	}
	if s := r.Swaps[0]; s.AmountIn != o.amount.String() || s.AmountOut != swap.AmountOut || s.Quoted != swap.AmountOut || !strings.EqualFold(s.Recipient, o.recipient.Hex()) {
		t.Errorf("%+v", s)
	}
	other := env.send(t, o.recipient, nil, big.NewInt(1), 21_000)
	if r := receipt(other.TxHash); r.Code != "UNKNOWN_TRANSACTION" || !strings.Contains(r.Detail, "not one of the aggregator") {
		t.Errorf("%+v", r)
	}
	if r := receipt(common.Hash{1}); r.Code != "UNKNOWN_TRANSACTION" || !strings.Contains(r.Detail, "no node knows") {
		t.Errorf("%+v", r)
	}
}
