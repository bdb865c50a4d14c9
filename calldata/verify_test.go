package calldata_test

import (
	"bytes"
	"strings"
	"testing"

	"braid/calldata"
	"braid/contracts"
	"braid/plan"
	"braid/u256"
)

var (
	terms = calldata.Terms{Recipient: address(0x99), MinOut: u256.From(77), Deadline: 1_800_000_000}
	key   = bytes.Repeat([]byte{7}, 65)
)

func chainOfThree(t *testing.T) *plan.Plan {
	return run(t,
		plan.Step{Pool: pool(1, a, b), In: 0, Out: 1, Share: 1 << 30},
		plan.Step{Pool: pool(2, a, c), In: 0, Out: 1},
		plan.Step{Pool: pool(3, c, d), In: 0, Out: 1},
		plan.Step{Pool: pool(4, b, d), In: 0, Out: 1},
	)
}

// Permits go through the Router's own ABI, and come back as they were.
func TestPermitEntries(t *testing.T) {
	p := chainOfThree(t)
	for name, permit := range map[string]*calldata.Permit{
		"swapWithPermit":  {Kind: calldata.ERC2612, Amount: u256.From(1e9), Deadline: 1_800_000_001, Signature: append(key[:64:64], 28)},
		"swapWithPermit2": {Kind: calldata.Permit2, Amount: u256.From(2e9), Nonce: u256.From(5), Deadline: 1_800_000_001, Signature: append(key[:64:64], 27)},
	} {
		again, err := calldata.ParsePermit(append(permit.Prefix(), permit.Signature...))
		if err != nil {
			t.Fatal(err)
		}
		with := terms
		with.Permit = again
		tx, err := at.Encode(p, with)
		if err != nil {
			t.Fatal(err)
		}
		method := contracts.Router.ABI.Methods[name]
		args, err := method.Inputs.Unpack(tx.Data[4:])
		if err != nil || !bytes.Equal(tx.Data[:4], method.ID) {
			t.Fatalf("%s: %v", name, err)
		}
		if packed, err := contracts.Router.ABI.Pack(name, args...); err != nil || !bytes.Equal(packed, tx.Data) {
			t.Errorf("%s is not the ABI's encoding: %v", name, err)
		}
		plain, _ := at.Encode(p, terms)
		if tx.Gas <= plain.Gas {
			t.Errorf("%s: the limit of %d does not pay for it", name, tx.Gas)
		}
		swap, err := calldata.Decode(tx.Data, at.Kinds)
		if err != nil || swap.Permit == nil || swap.Permit.Amount != permit.Amount || !bytes.Equal(swap.Permit.Signature, permit.Signature) {
			t.Errorf("%s reads as %+v: %v", name, swap.Permit, err)
		}
		notices(t, tx.Data)
	}
	for _, bad := range [][]byte{nil, {3}, (&calldata.Permit{Kind: calldata.Permit2}).Prefix(), append((&calldata.Permit{Kind: calldata.ERC2612}).Prefix(), key[1:]...)} {
		if _, err := calldata.ParsePermit(bad); err == nil {
			t.Errorf("permit %x is taken", bad)
		}
	}
}

// A key's signature may count from 0; one that a contract made is its own
// business, such as a Safe's of a hash that its owner approved.
func TestPermitSignatures(t *testing.T) {
	prefix := (&calldata.Permit{Kind: calldata.Permit2}).Prefix()
	approved := append(make([]byte, 64), 1)
	copy(approved[12:32], key)
	for _, c := range []struct{ given, want []byte }{
		{append(key[:64:64], 0), append(key[:64:64], 27)},
		{append(key[:64:64], 1), append(key[:64:64], 28)},
		{append(key[:64:64], 28), append(key[:64:64], 28)},
		{append(key[:64:64], 2), append(key[:64:64], 2)},
		{approved, approved},
	} {
		p, err := calldata.ParsePermit(append(prefix, c.given...))
		if err != nil || !bytes.Equal(p.Signature, c.want) {
			t.Errorf("%x is taken for %x: %v", c.given, p.Signature, err)
		}
	}
}

// notices asserts that no byte can change, be cut off or be added unnoticed.
func notices(t *testing.T, data []byte) {
	t.Helper()
	swap, err := calldata.Decode(data, at.Kinds)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(swap.Words(nil), "\n")
	for i := range data {
		for _, flip := range []byte{1, 0x80, 0xff} {
			data[i] ^= flip
			if again, err := calldata.Decode(data, at.Kinds); err == nil && strings.Join(again.Words(nil), "\n") == words {
				t.Fatalf("byte %d can change unnoticed", i)
			}
			data[i] ^= flip
		}
		if _, err := calldata.Decode(data[:i], at.Kinds); err == nil {
			t.Fatalf("cut to %d bytes it is taken", i)
		}
	}
	if _, err := calldata.Decode(append(data[:len(data):len(data)], 0), at.Kinds); err == nil {
		t.Fatal("a byte more is taken")
	}
}

func TestVerify(t *testing.T) {
	p := chainOfThree(t)
	tx, err := at.Encode(p, terms)
	if err != nil {
		t.Fatal(err)
	}
	notices(t, tx.Data)
	claim := calldata.Claim{Terms: terms, TokenIn: a, TokenOut: d, AmountIn: "1000000000", Now: 1_799_999_000}
	for i := range p.Steps {
		s := &p.Steps[i]
		claim.Legs = append(claim.Legs, calldata.Leg{Pool: string(s.Pool.Info().ID), In: s.AmountIn, Out: s.AmountOut})
	}
	if _, err := at.Verify(tx, claim); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(*calldata.Tx, *calldata.Claim){
		"the contract":  func(tx *calldata.Tx, _ *calldata.Claim) { tx.To = c },
		"the executor":  func(tx *calldata.Tx, _ *calldata.Claim) { tx.Data[4+6*32+31]++ },
		"tokenIn":       func(_ *calldata.Tx, c *calldata.Claim) { c.TokenIn = b },
		"tokenOut":      func(_ *calldata.Tx, c *calldata.Claim) { c.NativeOut = true },
		"amountIn":      func(_ *calldata.Tx, c *calldata.Claim) { c.AmountIn = "1000000001" },
		"the recipient": func(_ *calldata.Tx, c *calldata.Claim) { c.Recipient = a },
		"the value":     func(tx *calldata.Tx, _ *calldata.Claim) { tx.Value = u256.One },
		"the least":     func(_ *calldata.Tx, c *calldata.Claim) { c.MinOut = u256.From(78) },
		"the deadline":  func(_ *calldata.Tx, c *calldata.Claim) { c.Deadline-- },
		"the permit":    func(_ *calldata.Tx, c *calldata.Claim) { c.Permit = &calldata.Permit{Kind: calldata.ERC2612} },
		"the pool":      func(_ *calldata.Tx, c *calldata.Claim) { c.Legs = c.Legs[1:] },
		"is given":      func(tx *calldata.Tx, _ *calldata.Claim) { tx.Data[4+9*32+1+40+3+2]++ },
		"route":         func(tx *calldata.Tx, _ *calldata.Claim) { tx.Data[4+9*32+1+40+29+3]++ }, // a share where all was
	} {
		badTx, badClaim := tx, claim
		badTx.Data = bytes.Clone(tx.Data)
		spoil(&badTx, &badClaim)
		if _, err := at.Verify(badTx, badClaim); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A pair that was paid by one of two makers of its token would leave what the
// other made, and the Executor reverts.
func TestPrepaidInPart(t *testing.T) {
	tx, err := at.Encode(run(t,
		plan.Step{Pool: pool(1, a, b), In: 0, Out: 1, Share: 1 << 30},
		plan.Step{Pool: pool(2, a, b), In: 0, Out: 1},
		plan.Step{Pool: pool(3, b, d), In: 0, Out: 1},
	), terms)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := calldata.Decode(tx.Data, at.Kinds); err != nil {
		t.Fatal(err)
	}
	tx.Data[4+9*32+1+20+2*29] |= 0x80
	if swap, err := calldata.Decode(tx.Data, at.Kinds); err == nil {
		t.Errorf("it is taken for %v", swap.Words(nil))
	}
}

// FuzzDecode: whatever Decode reads, Encode may have written, so no other bytes
// have the same words. testdata holds calldata of plans on the local chain: one
// step of each family, several steps, and both permits.
func FuzzDecode(f *testing.F) {
	p, err := plan.Run(a, d, u256.From(1e9), []plan.Step{{Pool: pool(1, a, d), In: 0, Out: 1}})
	if err != nil {
		f.Fatal(err)
	}
	tx, err := at.Encode(&p, terms)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(tx.Data, 5, byte(1))
	f.Fuzz(func(t *testing.T, data []byte, i int, flip byte) {
		swap, err := calldata.Decode(data, at.Kinds)
		if err != nil || flip == 0 || i < 0 {
			return
		}
		words := strings.Join(swap.Words(nil), "\n")
		data[i%len(data)] ^= flip
		if again, err := calldata.Decode(data, at.Kinds); err == nil && strings.Join(again.Words(nil), "\n") == words {
			t.Errorf("byte %d of %x can change unnoticed", i%len(data), data)
		}
	})
}

// FuzzParsePermit: a permit that is read and written again is the same.
func FuzzParsePermit(f *testing.F) {
	for _, kind := range []calldata.PermitKind{calldata.ERC2612, calldata.Permit2} {
		p := calldata.Permit{Kind: kind, Amount: u256.From(1e9), Nonce: u256.From(5), Deadline: 1_800_000_001}
		f.Add(append(p.Prefix(), key...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := calldata.ParsePermit(data)
		if err != nil {
			return
		}
		again, err := calldata.ParsePermit(append(p.Prefix(), p.Signature...))
		if err != nil || !bytes.Equal(again.Prefix(), p.Prefix()) || !bytes.Equal(again.Signature, p.Signature) {
			t.Errorf("%x is read as %+v, then as %+v (%v)", data, p, again, err)
		}
	})
}
