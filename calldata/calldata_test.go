package calldata_test

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"

	"braid/calldata"
	"braid/contracts"
	"braid/families"
	"braid/plan"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

var (
	a, b, c, d = address(0xa), address(0xb), address(0xc), address(0xd)

	at = calldata.Contracts{Router: address(0x11), Executor: address(0x12), WrappedNative: a, Kinds: families.Steps()}
)

func address(n byte) common.Address { return common.Address{0: n, 19: n} }

func pool(n byte, x, y common.Address) venue.Pool {
	source := &venue.Source{ID: "Fork", Type: venue.V2, Family: univ2.Name, Params: univ2.Fee(25)}
	return univ2.NewPool(source, address(n), [2]common.Address{x, y}, u256.From(1e15), u256.From(2e15))
}

func run(t *testing.T, steps ...plan.Step) *plan.Plan {
	t.Helper()
	p, err := plan.Run(a, d, u256.From(1e9), steps)
	if err != nil {
		t.Fatal(err)
	}
	return &p
}

// TestRouterCall holds the encoding to the Router's own ABI.
func TestRouterCall(t *testing.T) {
	p := run(t, plan.Step{Pool: pool(1, a, d), In: 0, Out: 1})
	terms := calldata.Terms{Recipient: address(0x99), MinOut: u256.From(77), Deadline: 1_800_000_000}
	tx, err := at.Encode(p, terms)
	if err != nil {
		t.Fatal(err)
	}
	swap := contracts.Router.ABI.Methods["swap"]
	if !bytes.Equal(tx.Data[:4], swap.ID) {
		t.Fatalf("selector %x, the Router's is %x", tx.Data[:4], swap.ID)
	}
	args, err := swap.Inputs.Unpack(tx.Data[4:])
	if err != nil {
		t.Fatal(err)
	}
	route := args[7].([]byte)
	want := []any{a, big.NewInt(1e9), d, big.NewInt(77), address(0x99), big.NewInt(1_800_000_000), address(0x12), route}
	if diff := cmp.Diff(want, args, cmp.Comparer(func(x, y *big.Int) bool { return x.Cmp(y) == 0 })); diff != "" {
		t.Error(diff)
	}
	packed, err := contracts.Router.ABI.Pack("swap", want...)
	if err != nil || !bytes.Equal(packed, tx.Data) {
		t.Errorf("not the ABI's encoding: %v", err)
	}
	if tx.To != at.Router || !tx.Value.IsZero() {
		t.Errorf("to %s with %v", tx.To, tx.Value)
	}
}

// TestNative: native at an end changes the value or the token named, nothing else.
func TestNative(t *testing.T) {
	p := run(t, plan.Step{Pool: pool(1, a, d), In: 0, Out: 1})
	plain, _ := at.Encode(p, calldata.Terms{Recipient: address(0x99), MinOut: u256.One})
	in, _ := at.Encode(p, calldata.Terms{Recipient: address(0x99), MinOut: u256.One, NativeIn: true})
	if !bytes.Equal(plain.Data, in.Data) || in.Value != p.AmountIn || plain.Gas != in.Gas {
		t.Error("native in: one calldata and one limit must serve both ways")
	}
	out, _ := at.Encode(p, calldata.Terms{Recipient: address(0x99), MinOut: u256.One, NativeOut: true})
	args, err := contracts.Router.ABI.Methods["swap"].Inputs.Unpack(out.Data[4:])
	if err != nil || args[2] != (common.Address{}) {
		t.Errorf("native out asks for token %v: %v", args[2], err)
	}
}

// TestRoute reads the packed steps back as the Executor does.
func TestRoute(t *testing.T) {
	quarter := plan.Share(1 << 30)
	for _, row := range []struct {
		name  string
		plan  *plan.Plan
		table []common.Address
		steps []string // kind in>out share
	}{
		{"direct", run(t, plan.Step{Pool: pool(1, a, d), In: 0, Out: 1}), nil, []string{"01 0>1 all"}},
		{"chain: each pair pays the next", run(t,
			plan.Step{Pool: pool(1, a, b), In: 0, Out: 1},
			plan.Step{Pool: pool(2, b, c), In: 0, Out: 1},
			plan.Step{Pool: pool(3, c, d), In: 0, Out: 1},
		), []common.Address{b, c}, []string{"01 0>2 all", "81 2>3 all", "81 3>1 all"}},
		{"split at the source", run(t,
			plan.Step{Pool: pool(1, a, d), In: 0, Out: 1, Share: quarter},
			plan.Step{Pool: pool(2, a, d), In: 0, Out: 1},
		), nil, []string{"01 0>1 1073741824", "01 0>1 all"}},
		{"split in the middle stops in the Executor", run(t,
			plan.Step{Pool: pool(1, a, b), In: 0, Out: 1},
			plan.Step{Pool: pool(2, b, d), In: 0, Out: 1, Share: quarter},
			plan.Step{Pool: pool(3, b, d), In: 0, Out: 1},
		), []common.Address{b}, []string{"01 0>2 all", "01 2>1 1073741824", "01 2>1 all"}},
		{"merge in the middle stops in the Executor", run(t,
			plan.Step{Pool: pool(1, a, b), In: 0, Out: 1, Share: quarter},
			plan.Step{Pool: pool(2, a, b), In: 0, Out: 1},
			plan.Step{Pool: pool(3, b, d), In: 0, Out: 1},
		), []common.Address{b}, []string{"01 0>2 1073741824", "01 0>2 all", "01 2>1 all"}},
		{"not adjacent: not paid straight", run(t,
			plan.Step{Pool: pool(1, a, b), In: 0, Out: 1, Share: quarter},
			plan.Step{Pool: pool(2, a, c), In: 0, Out: 1},
			plan.Step{Pool: pool(3, b, d), In: 0, Out: 1},
			plan.Step{Pool: pool(4, c, d), In: 0, Out: 1},
		), []common.Address{b, c}, []string{"01 0>2 1073741824", "01 0>3 all", "01 2>1 all", "01 3>1 all"}},
	} {
		table, steps := read(t, routeOf(t, row.plan))
		if diff := cmp.Diff(row.table, table); diff != "" {
			t.Errorf("%s: table: %s", row.name, diff)
		}
		if diff := cmp.Diff(row.steps, steps); diff != "" {
			t.Errorf("%s: steps: %s", row.name, diff)
		}
	}
}

// TestSize: calldata is paid for by the byte.
func TestSize(t *testing.T) {
	split := run(t,
		plan.Step{Pool: pool(1, a, d), In: 0, Out: 1, Share: 1 << 30},
		plan.Step{Pool: pool(2, a, d), In: 0, Out: 1, Share: 1 << 30},
		plan.Step{Pool: pool(3, a, d), In: 0, Out: 1, Share: 1 << 30},
		plan.Step{Pool: pool(4, a, d), In: 0, Out: 1},
	)
	tx, err := at.Encode(split, calldata.Terms{Recipient: address(0x99), MinOut: u256.One})
	if err != nil || len(tx.Data) >= 500 {
		t.Errorf("a split in four is %d bytes: %v", len(tx.Data), err)
	}
}

// BenchmarkEncode is a split in four, with its gas limit.
func BenchmarkEncode(b *testing.B) {
	p, err := plan.Run(a, d, u256.From(1e9), []plan.Step{
		{Pool: pool(1, a, d), In: 0, Out: 1, Share: 1 << 30},
		{Pool: pool(2, a, d), In: 0, Out: 1, Share: 1 << 30},
		{Pool: pool(3, a, d), In: 0, Out: 1, Share: 1 << 30},
		{Pool: pool(4, a, d), In: 0, Out: 1},
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := at.Encode(&p, calldata.Terms{Recipient: address(0x99), MinOut: u256.One}); err != nil {
			b.Fatal(err)
		}
	}
}
