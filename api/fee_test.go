package api

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"

	"braid/calldata"
	"braid/families"
	"braid/monad"
	"braid/u256"
)

var integrator = common.HexToAddress("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")

// swapOf asks for a swap over HTTP and takes its transaction apart.
func (s service) swapOf(pairs ...any) (swapBody, calldata.Swap) {
	s.t.Helper()
	a := s.get("/api/v1/swap" + params(pairs...))
	if a.status != 200 {
		s.t.Fatalf("%v: %s", pairs, a.raw)
	}
	var b swapBody
	a.into(s.t, &b)
	tx, err := calldata.Decode(b.Tx.Data, families.Steps())
	if err != nil {
		s.t.Fatal(err)
	}
	return b, tx
}

// sumOf adds up the amounts of the steps that leave or enter a token.
func sumOf(b *swapBody) (in, out u256.Int) {
	for _, step := range b.Routes {
		if step.TokenIn == b.TokenIn {
			in = in.Add(u256.MustDecimal(step.AmountIn))
		}
		if step.TokenOut == b.TokenOut {
			out = out.Add(u256.MustDecimal(step.AmountOut))
		}
	}
	return in, out
}

// TestFees: body, routes, calldata, value and approval agree on who pays what, on
// either side, for tokens and for native currency.
func TestFees(t *testing.T) {
	s := serve(t)
	amount := units(50_000, 18)
	for _, side := range []string{"in", "out"} {
		for _, native := range []bool{false, true} {
			in, out := wmon, usdc
			if native {
				in, out = monad.NativePlaceholder, usdc
			}
			b, tx := s.swapOf("tokenIn", in, "tokenOut", out, "amount", amount, "recipient", alice, "feeBps", "25", "feeRecipient", integrator, "feeSide", side, "include", "meta,approval,permit")
			fee := b.Fees.Integrator
			sumIn, sumOut := sumOf(&b)
			wantIn, wantOut := amount, u256.MustDecimal(b.AmountOut)
			if taken := u256.MustDecimal(fee.Amount); side == "in" {
				wantIn = wantIn.Sub(taken)
			} else {
				wantOut = wantOut.Add(taken)
			}
			if sumIn != wantIn || sumOut != wantOut || b.AmountIn != amount.String() {
				t.Errorf("%s: steps take %s and pay %s, not %s and %s", side, sumIn, sumOut, wantIn, wantOut)
			}
			f := &calldata.Fee{Recipient: integrator, Bps: 25, Side: map[string]calldata.FeeSide{"in": 0, "out": 1}[side]}
			whole := map[string]u256.Int{"in": amount, "out": wantOut}[side]
			want := feeBody{integrator.Hex(), 25, side, map[string]string{"in": lowerHex(wmon), "out": lowerHex(usdc)}[side], f.Of(whole).String(), fee.AmountUsd}
			if d := cmp.Diff(want, fee); d != "" || *tx.Fee != *f || tx.AmountIn != amount {
				t.Errorf("%s: %s; calldata has %s of %s", side, d, tx.Fee, tx.AmountIn)
			}
			if least := minimumOut(u256.MustDecimal(b.AmountOut), u256.Zero, DefaultSlippageBps); tx.MinOut != least || b.Meta.MinAmountOut != least.String() {
				t.Errorf("%s: a floor of %s", side, tx.MinOut)
			}
			value := map[bool]string{false: "0", true: amount.String()}[native]
			if b.Tx.Value != value || !native && (u256.FromBytes(b.Approval.Data[36:]) != amount || !strings.Contains(string(b.Permit.Permit2.Prefix), string(amountBytes(amount)))) {
				t.Errorf("%s: value %s, approval %+v", side, b.Tx.Value, b.Approval)
			}
		}
	}
	if raw := string(s.get(goodQuote).raw); strings.Contains(raw, "fees") {
		t.Errorf("%s", raw)
	}
}

func amountBytes(n u256.Int) []byte { b := n.Bytes(); return b[:] }

// TestFeeHints: limits of the amount in hints are before the fee.
func TestFeeHints(t *testing.T) {
	s := serve(t)
	fee := []any{"feeBps", "300", "feeRecipient", integrator}
	ask := func(amount any) (answer, problemBody) {
		a := s.get("/api/v1/quote" + params(append([]any{"tokenIn", wmon, "tokenOut", usdc, "amount", amount}, fee...)...))
		var p problemBody
		if a.status != 200 {
			a.into(t, &p)
		}
		return a, p
	}
	_, p := ask("1")
	least := u256.MustDecimal(p.Hints.MinAmountIn)
	if a, _ := ask(least); a.status != 200 {
		t.Errorf("%s", a.raw)
	}
	if _, p := ask(least.Sub(u256.One)); p.Code != amountTooSmall {
		t.Errorf("%s is enough", least.Sub(u256.One))
	}
}
