package contracts

import (
	"bytes"
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/go-cmp/cmp"
)

// The laws about whose tokens move: 1, 2, 3 and 5.

// Law 1: tokens move only out of msg.sender, only tokenIn, at most amountIn,
// only during its own call.
func TestLaw1OnlyTheCallersInput(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		acts  func(self common.Address) []act
		fault string
	}{
		"more than amountIn": {func(common.Address) []act { return []act{r.pull(stranger, plus(e18(5), big.NewInt(1)))} }, "PulledTooMuch"},
		"more in two pulls":  {func(common.Address) []act { return []act{r.pull(stranger, e18(4)), r.pull(stranger, e18(2))} }, "PulledTooMuch"},
		"somebody else's": {func(common.Address) []act {
			return []act{call(r.a, pack(Token, "transferFrom", victim, stranger, e18(1)))}
		}, "InsufficientAllowance"},
		"without paying": {func(common.Address) []act { return []act{r.pull(stranger, e18(5))} }, "TooLittleOut"},
	} {
		t.Run(name, func(t *testing.T) {
			r.t = t
			o := r.order(r.a, r.b, e18(5), nil)
			o.executor = r.hostileExecutor(c.acts)
			r.refuses(o, c.fault)
		})
	}
	r.t = t

	// One that pays takes what it may, and no more after its call.
	later := [4]byte{1}
	o := r.order(r.a, r.b, e18(5), nil)
	o.executor = r.hostileExecutor(func(self common.Address) []act { return []act{r.pull(self, e18(2)), give(r.b, recipient, e18(1))} })
	r.program(o.executor, later, nil, r.pull(stranger, big.NewInt(1)))
	others, mine := r.ledger(victim, r.router, r.exec), r.held(r.a, user)
	r.pays(o, e18(1))
	r.same(others, r.ledger(victim, r.router, r.exec))
	if got := mine.Sub(mine, r.held(r.a, user)); got.Cmp(e18(2)) != 0 {
		t.Errorf("%s left the caller, 2e18 were pulled", got)
	}
	if res := r.send(user, &o.executor, nil, later[:]); res.fault != "NotExecutor" {
		t.Errorf("pull after the call: %q", res.fault)
	}

	var names []string
	for _, m := range Router.ABI.Methods {
		for _, in := range m.Inputs {
			if in.Name == "from" || in.Name == "owner" || in.Name == "payer" {
				t.Errorf("%s lets the caller name who pays", m.Sig)
			}
		}
		names = append(names, m.Name)
	}
	if len(names) != 5 {
		t.Errorf("the Router has the doors %v, want three swaps, pull and wrappedNative", names)
	}
}

// Pulls end with execute, though the swap still runs: the recipient of native
// lets the executor try.
func TestLaw1NoPullAfterExecute(t *testing.T) {
	r := newRig(t)
	late := [4]byte{1}
	o := r.order(r.a, native, e18(5), nil)
	o.executor = r.hostileExecutor(func(self common.Address) []act { return []act{give(r.wrapped, r.router, e18(1))} })
	o.recipient = r.hostile()
	r.pays(o, e18(1))
	r.program(o.executor, late, nil, r.pull(stranger, big.NewInt(1)))
	r.program(o.recipient, [4]byte{}, nil, call(o.executor, late[:]))
	r.refuses(o, "NativeRefused")
}

// Law 2: the recipient gets at least minOut >= 1, or all reverts.
func TestLaw2AtLeastMinOut(t *testing.T) {
	r := newRig(t)
	want := r.quote(r.ab, r.a, r.b, e18(10))
	o := r.order(r.a, r.b, e18(10), route(nil, through(r.ab, 0, 1)))
	o.minOut = plus(want, big.NewInt(1))
	r.refuses(o, "TooLittleOut")
	o.minOut = new(big.Int)
	r.refuses(o, "ZeroAmount")
	o.minOut = want
	r.pays(o, want)

	// The price moved since the quote.
	o.minOut = r.quote(r.ab, r.a, r.b, e18(10))
	moved := o
	moved.minOut, moved.from = big.NewInt(1), victim
	r.swap(moved)
	r.refuses(o, "TooLittleOut")
}

func TestLaw2CountsWhatArrives(t *testing.T) {
	r := newRig(t)
	taxed := r.deploy(r.artifact("Odd").Init(uint8(2), native, user, e18(10_000_000)))
	p := r.pair(r.a, taxed, e18(5_000), e18(5_000), 30)
	o := r.order(r.a, taxed, e18(10), route(nil, through(p, 0, 1)))
	sent := r.quote(p, r.a, taxed, e18(10))
	o.minOut = sent
	r.refuses(o, "TooLittleOut")
	o.minOut = new(big.Int).Sub(sent, new(big.Int).Div(sent, big.NewInt(100)))
	r.pays(o, o.minOut)
}

// A native output is what was sent: a recipient may pass it on.
func TestLaw2NativePassedOn(t *testing.T) {
	r := newRig(t)
	want := r.quote(r.wa, r.a, r.wrapped, e18(3))
	o := r.order(r.a, native, e18(3), route(nil, through(r.wa, 0, 1)))
	o.minOut, o.recipient = want, r.hostile()
	r.program(o.recipient, [4]byte{}, nil, act{stranger, want, nil})
	before := r.held(native, stranger)
	if res := r.swap(o); res.fault != "" {
		t.Fatal(res.fault)
	}
	if got := before.Sub(r.held(native, stranger), before); got.Cmp(want) != 0 {
		t.Errorf("passed on %s, want %s", got, want)
	}
	o.recipient, o.minOut = r.b, big.NewInt(1) // a contract that takes no native
	r.refuses(o, "NativeRefused")
}

// Law 3: msg.value is 0, or exactly amountIn with tokenIn = wrapped native.
// TestNativeInAndOut shows the two that work.
func TestLaw3Value(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		tokenIn common.Address
		value   *big.Int
	}{
		{r.wrapped, big.NewInt(1)},
		{r.wrapped, plus(e18(3), big.NewInt(1))},
		{r.wrapped, plus(e18(3), big.NewInt(-1))},
		{r.b, e18(3)},
		{r.b, big.NewInt(1)},
	} {
		o := r.order(c.tokenIn, r.a, e18(3), route(nil, through(r.wa, 0, 1)))
		o.value = c.value
		r.refuses(o, "WrongValue")
	}
}

// Law 5: after any call both contracts hold what they held, and no allowance
// is left. Donations neither help nor block.
func TestLaw5DonationsStay(t *testing.T) {
	r := newRig(t)
	r.donate(r.a, r.b, r.c, r.wrapped)
	before := r.ledger(r.router, r.exec)
	in := r.order(r.wrapped, r.a, e18(3), route(nil, through(r.wa, 0, 1)))
	r.pays(in, r.quote(r.wa, r.wrapped, r.a, e18(3)))
	in.value = e18(3)
	r.pays(in, r.quote(r.wa, r.wrapped, r.a, e18(3)))
	r.pays(r.order(r.a, native, e18(3), route(nil, through(r.wa, 0, 1))), r.quote(r.wa, r.a, r.wrapped, e18(3)))
	mid := r.quote(r.ab, r.a, r.b, e18(3))
	r.pays(r.order(r.a, r.c, e18(3), route([]common.Address{r.b}, through(r.ab, 0, 2), through(r.bc, 2, 1))), r.quote(r.bc, r.b, r.c, mid))
	r.same(before, r.ledger(r.router, r.exec))

	if approve := selector(Token, "approve"); bytes.Contains(Router.Code, approve[:]) {
		t.Error("the Router can approve")
	}
}

// A pool that says it paid the Executor and did not cannot make it spend what
// lay there, be it a token or native.
func TestLaw5DonationsAreNotSpent(t *testing.T) {
	r := newRig(t)
	r.donate(r.a, r.b, r.c, r.wrapped)
	fake := r.fakePair(big.NewInt(1e9))
	r.refuses(r.order(r.a, r.c, e18(1), route([]common.Address{r.b}, through(fake, 0, 2), through(r.bc, 2, 1))), "ZeroAmount")
	r.refuses(r.order(r.a, r.c, e18(1), route([]common.Address{native}, through(fake, 0, 2), through(r.bc, 2, 1))), "ZeroAmount")
	r.refuses(r.order(native, r.a, big.NewInt(5), route(nil, through(r.wa, 0, 1))), "TransferFailed: 0x")
	o := r.order(r.a, native, e18(1), nil)
	o.executor = r.hostileExecutor(func(common.Address) []act { return []act{r.pull(r.router, e18(1))} })
	r.refuses(o, "PulledToRouter")
}

// What was wrapped and never pulled goes back as wrapped native, and the event
// tells what was pulled.
func TestLaw5LeftoverComesBackWrapped(t *testing.T) {
	r := newRig(t)
	o := r.order(r.wrapped, r.b, e18(3), nil)
	o.value = e18(3)
	o.executor = r.hostileExecutor(func(self common.Address) []act { return []act{r.pull(self, e18(1)), give(r.b, recipient, e18(1))} })
	before, wrapped := r.ledger(r.router, r.exec), r.held(r.wrapped, user)
	r.pays(o, e18(1))
	r.same(before, r.ledger(r.router, r.exec))
	if got := wrapped.Sub(r.held(r.wrapped, user), wrapped); got.Cmp(e18(2)) != 0 {
		t.Errorf("%s came back, want 2e18", got)
	}
	logs := r.Logs()
	last := logs[len(logs)-1]
	values, err := Router.ABI.Unpack("Swapped", last.Data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fmt.Sprint(e18(1), e18(1), o.minOut, recipient), fmt.Sprint(values...)); diff != "" {
		t.Errorf("Swapped (-want +got):\n%s", diff)
	}
}
