package calldata_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"braid/calldata"
	"braid/plan"
	"braid/u256"
)

// TestFeeBefore: Before is the least amount of which so much is left.
func TestFeeBefore(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		f := calldata.Fee{Bps: 1 + rng.Uint64N(calldata.MaxFeeBps)}
		rest := u256.From(1 + rng.Uint64()>>rng.UintN(64)).Lsh(rng.UintN(2) * rng.UintN(180))
		amount, ok := f.Before(rest)
		if !ok || f.Rest(amount) != rest || !f.Rest(amount.Sub(u256.One)).Lt(rest) || f.Of(amount).Add(rest) != amount {
			t.Fatalf("%d bps: before %s is %s, of which %s is left", f.Bps, rest, amount, f.Rest(amount))
		}
	}
	f := calldata.Fee{Bps: 1}
	if amount, ok := f.Before(u256.Max); ok {
		t.Errorf("of %s all that there can be is left", amount)
	}
}

// TestFee: a fee opens the route, is read back and told in words, and another fee than
// the one asked for is a fault.
func TestFee(t *testing.T) {
	p := run(t, plan.Step{Pool: pool(1, a, b), In: 0, Out: 1}, plan.Step{Pool: pool(2, b, d), In: 0, Out: 1})
	legs := []calldata.Leg{}
	for _, s := range p.Steps {
		legs = append(legs, calldata.Leg{Pool: string(s.Pool.Info().ID), In: s.AmountIn, Out: s.AmountOut})
	}
	plain, err := at.Encode(p, calldata.Terms{Recipient: address(0x99), MinOut: u256.One, Deadline: 9})
	if err != nil {
		t.Fatal(err)
	}
	for side, words := range map[calldata.FeeSide]string{
		calldata.FeeIn:  "of the input pay a fee of 25 bps, 2506265, to " + address(0x77).Hex(),
		calldata.FeeOut: "of the output pay a fee of 25 bps to " + address(0x77).Hex(),
	} {
		fee := calldata.Fee{Recipient: address(0x77), Bps: 25, Side: side}
		terms := calldata.Terms{Recipient: address(0x99), MinOut: u256.One, Deadline: 9, NativeIn: true, Fee: &fee}
		claim := calldata.Claim{Terms: terms, TokenIn: a, TokenOut: d, AmountIn: p.AmountIn.String(), Legs: legs}
		if side == calldata.FeeIn {
			terms.AmountIn, _ = fee.Before(p.AmountIn)
			claim.AmountIn = terms.AmountIn.String()
		}
		tx, err := at.Encode(p, terms)
		if err != nil {
			t.Fatal(err)
		}
		if tx.Gas <= plain.Gas || tx.Value.String() != claim.AmountIn {
			t.Errorf("%s: gas %d, without a fee %d; value %s", &fee, tx.Gas, plain.Gas, tx.Value)
		}
		swap, err := at.Verify(tx, claim)
		if err != nil || *swap.Fee != fee || !strings.Contains(strings.Join(swap.Words(nil), "\n"), words) {
			t.Errorf("%s: %v, %s\n%s", &fee, err, swap.Fee, strings.Join(swap.Words(nil), "\n"))
		}
		for _, other := range []*calldata.Fee{nil, {address(0x77), 26, side}, {address(0x78), 25, side}, {address(0x77), 25, 1 - side}} {
			claim.Fee = other
			if _, err := at.Verify(tx, claim); err == nil || !strings.Contains(err.Error(), "the fee is 0.25% of token") {
				t.Errorf("%s passes for %s: %v", &fee, other, err)
			}
		}
	}
	if _, err := at.Encode(p, calldata.Terms{Fee: &calldata.Fee{address(0x77), 25, calldata.FeeIn}, AmountIn: p.AmountIn}); err == nil {
		t.Error("encodes a plan that leaves nothing for the fee")
	}
}

// TestFeesThatCannotBe: no fee is read that the Executor refuses.
func TestFeesThatCannotBe(t *testing.T) {
	p := run(t, plan.Step{Pool: pool(1, a, d), In: 0, Out: 1})
	for _, fee := range []calldata.Fee{{address(1), 0, 1}, {address(1), calldata.MaxFeeBps + 1, 1}, {address(1), 5, 2}, {Bps: 5, Side: 1}} {
		tx, err := at.Encode(p, calldata.Terms{Recipient: address(0x99), MinOut: u256.One, Fee: &fee})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := calldata.Decode(tx.Data, at.Kinds); err == nil {
			t.Errorf("reads a fee of %+v", fee)
		}
	}
	for _, to := range []byte{0x99, 0x11, 0x12} { // the recipient, the Router, the Executor
		terms := calldata.Terms{Recipient: address(0x99), MinOut: u256.One, Deadline: 9, Fee: &calldata.Fee{address(to), 5, calldata.FeeOut}}
		tx, err := at.Encode(p, terms)
		if err != nil {
			t.Fatal(err)
		}
		leg := calldata.Leg{Pool: string(p.Steps[0].Pool.Info().ID), In: p.AmountIn, Out: p.AmountOut}
		if _, err := at.Verify(tx, calldata.Claim{Terms: terms, TokenIn: a, TokenOut: d, AmountIn: p.AmountIn.String(), Legs: []calldata.Leg{leg}}); err == nil {
			t.Errorf("passes a fee to %s", address(to))
		}
	}
}
