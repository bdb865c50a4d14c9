package api

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"braid/calldata"
	"braid/u256"
)

// TestAmountOut: /quote names an amount in of which /quote says that it pays what was
// asked for, and a little less does not. /swap names one that pays it after slippage
// and fee, carries what was asked for as the floor, and all parts of it agree.
func TestAmountOut(t *testing.T) {
	s := serve(t)
	rng := rand.New(rand.NewPCG(7, 8))
	quoted := func(pairs ...any) quoteBody {
		t.Helper()
		a := s.get("/api/v1/quote" + params(pairs...))
		if a.status != 200 {
			t.Fatalf("%v: %s", pairs, a.raw)
		}
		var q quoteBody
		a.into(t, &q)
		return q
	}
	orders := 0
	for orders < 40 {
		in, out := traded[rng.IntN(len(traded))], traded[rng.IntN(len(traded))]
		if in == out || in == island || out == island || in == reef || out == reef {
			continue
		}
		var whole quoteBody
		a := s.get("/api/v1/quote" + params("tokenIn", in, "tokenOut", out, "amount", units(1+rng.Uint64N(900), 3+rng.IntN(14))))
		if a.status != 200 {
			continue
		}
		if a.into(t, &whole); whole.PriceImpactBps > 2000 { // slippage and fee may ask for more than there is
			continue
		}
		orders++
		want := u256.MustDecimal(whole.AmountOut)
		pair := []any{"tokenIn", in, "tokenOut", out}
		q := quoted(append(pair, "amountOut", want, "include", "meta")...)
		amount := u256.MustDecimal(q.AmountIn)
		if u256.MustDecimal(q.AmountOut).Lt(want) || q.Meta.LeastAmountIn != q.AmountIn || q.Meta.MinAmountOut != want.String() {
			t.Errorf("asked for %s: %+v", want, q)
		}
		less := amount.Sub(amount.Rsh(20)).Sub(u256.One)
		if a := s.get("/api/v1/quote" + params(append(pair, "amount", less)...)); a.status == 200 {
			var q quoteBody
			if a.into(t, &q); !u256.MustDecimal(q.AmountOut).Lt(want) {
				t.Errorf("%s of %s is enough for %s, not only %s", less, in, want, amount)
			}
		}
		slippage, side := uint64(rng.IntN(500)), []string{"in", "out"}[rng.IntN(2)]
		b, tx := s.swapOf(append(pair, "amountOut", want, "recipient", alice, "slippageBps", fmt.Sprint(slippage), "include", "meta,approval", "maxPriceImpactBps", "10000",
			"feeBps", fmt.Sprint(1+rng.IntN(calldata.MaxFeeBps)), "feeRecipient", integrator, "feeSide", side)...)
		paid := u256.MustDecimal(b.AmountIn)
		if tx.MinOut != want || tx.AmountIn != paid || u256.FromBytes(b.Approval.Data[36:]) != paid || b.Meta.MinAmountOut != want.String() {
			t.Errorf("asked for %s: floor %s, %s in calldata, %+v", want, tx.MinOut, tx.AmountIn, b.quoteBody)
		}
		if after := minimumOut(u256.MustDecimal(b.AmountOut), u256.Zero, slippage); after.Lt(want) {
			t.Errorf("asked for %s: %s after %d bps", want, after, slippage)
		}
		if least := u256.MustDecimal(b.Meta.LeastAmountIn); paid.Lt(least) || least.Lt(amount) {
			t.Errorf("pays %s, without slippage %s, without a fee %s", paid, least, amount)
		}
		sumIn, sumOut := sumOf(&b)
		if f := tx.Fee; f.Side == calldata.FeeIn && f.Rest(paid) != sumIn || f.Side == calldata.FeeOut && f.Rest(sumOut).String() != b.AmountOut {
			t.Errorf("steps take %s and pay %s: %+v", sumIn, sumOut, b.quoteBody)
		}
	}
}

// TestAmountOutHint: what a hint says can be bought, can be bought.
func TestAmountOutHint(t *testing.T) {
	s := serve(t)
	var p problemBody
	pair := []any{"tokenIn", rare, "tokenOut", wmon}
	s.get("/api/v1/quote"+params(append(pair, "amountOut", u256.Max)...)).into(t, &p)
	if p.Code != insufficientLiquidity || p.Hints.MaxAmountOut == "" {
		t.Fatalf("%+v", p)
	}
	if a := s.get("/api/v1/quote" + params(append(pair, "amountOut", p.Hints.MaxAmountOut)...)); a.status != 200 {
		t.Errorf("%s: %s", p.Hints.MaxAmountOut, a.raw)
	}
}
