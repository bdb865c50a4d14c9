package contracts

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
)

// The laws about who may call, and with what: 4, 6 and 7.

// Law 4: callbacks are accepted only from the contract just called. A pair is
// paid before it is called and has none to make.
func TestLaw4PairsDoNotCallBack(t *testing.T) {
	r := newRig(t)
	fake := r.fakePair(r.quote(r.ab, r.a, r.b, e18(10)))
	o := r.order(r.a, r.b, e18(10), route(nil, through(fake, 0, 1)))
	for _, callback := range []string{
		"uniswapV2Call(address,uint256,uint256,bytes)", "uniswapV3SwapCallback(int256,int256,bytes)", "unlockCallback(bytes)",
	} {
		r.program(fake.at, swapSelector, nil, call(r.exec, append(crypto.Keccak256([]byte(callback))[:4], make([]byte, 160)...)))
		r.refuses(o, "NotCalled")
	}
	r.program(fake.at, swapSelector, nil, r.pull(fake.at, big.NewInt(1)))
	r.refuses(o, "NotExecutor")
}

// Law 6: only the Router executes, only the running executor pulls, native
// comes only from wrapped native, and nothing enters twice.
func TestLaw6Access(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		to    common.Address
		value *big.Int
		data  []byte
		fault string
	}{
		"execute by a stranger": {r.exec, nil, pack(Executor, "execute", stranger, r.a, e18(1), r.b, stranger, []byte{0}), "NotRouter"},
		"pull by a stranger":    {r.router, nil, pack(Router, "pull", stranger, big.NewInt(0)), "NotExecutor"},
		"native to the Router":  {r.router, big.NewInt(1), nil, "NotWrappedNative"},
		"native to Executor":    {r.exec, big.NewInt(1), nil, "NotCalled"},
		"unknown selector":      {r.router, nil, []byte{1, 2, 3, 4}, "0x"},
		"value to pull":         {r.router, big.NewInt(1), pack(Router, "pull", stranger, big.NewInt(0)), "0x"},
	} {
		if res := r.send(stranger, &c.to, c.value, c.data); res.fault != c.fault {
			t.Errorf("%s: %q, want %q", name, res.fault, c.fault)
		}
	}
}

func TestLaw6Reentry(t *testing.T) {
	r := newRig(t)
	hook := r.hostile()
	odd := r.deploy(r.artifact("Odd").Init(uint8(3), hook, user, e18(10_000_000)))
	r.endow(odd)
	p := r.pair(odd, r.b, e18(5_000), e18(5_000), 30)
	inner := r.order(r.a, r.b, e18(1), route(nil, through(r.ab, 0, 1)))
	in := r.order(odd, r.b, e18(1), route(nil, through(p, 0, 1)))
	out := r.order(r.b, odd, e18(1), route(nil, through(p, 0, 1)))
	r.pays(in, r.quote(p, odd, r.b, e18(1)))
	for fault, again := range map[string]act{
		"Reentered":   call(r.router, inner.data()),
		"NotExecutor": r.pull(hook, big.NewInt(1)),
		"NotRouter":   call(r.exec, pack(Executor, "execute", stranger, r.a, e18(1), r.b, stranger, inner.route)),
	} {
		r.program(hook, [4]byte{}, nil, again)
		r.refuses(in, "TransferFailed: "+fault)
		r.refuses(out, "UniswapV2: TRANSFER_FAILED")
	}

	o := r.order(r.a, native, e18(1), route(nil, through(r.wa, 0, 1)))
	o.recipient = hook
	r.program(hook, [4]byte{}, nil, call(r.router, inner.data()))
	r.refuses(o, "NativeRefused")
}

// The lock ends with the swap, not with the transaction.
func TestLaw6TwoSwapsInOneTransaction(t *testing.T) {
	r := newRig(t)
	o := r.order(r.a, r.b, e18(1), route(nil, through(r.ab, 0, 1)))
	wallet, both := r.hostileExecutor(func(common.Address) []act { return nil }), [4]byte{2}
	r.program(wallet, both, nil, call(r.a, pack(Token, "approve", r.router, maxWei)), call(r.router, o.data()), call(r.router, o.data()))
	before := r.held(r.a, wallet)
	r.must(user, wallet, nil, both[:])
	if got := before.Sub(before, r.held(r.a, wallet)); got.Cmp(e18(2)) != 0 {
		t.Errorf("two swaps of 1e18 took %s", got)
	}
}

func TestLaw6NamedErrors(t *testing.T) {
	r := newRig(t)
	generous := r.hostileExecutor(func(common.Address) []act { return []act{give(r.b, recipient, e18(1))} })
	for name, c := range map[string]struct {
		mutate func(*order)
		fault  string
	}{
		"nothing in":            {func(o *order) { o.amountIn, o.executor = new(big.Int), generous }, "ZeroAmount"},
		"late":                  {func(o *order) { o.deadline = big.NewInt(now - 1) }, "Expired"},
		"to nobody":             {func(o *order) { o.recipient = native }, "BadRecipient"},
		"to the Router":         {func(o *order) { o.recipient = r.router }, "BadRecipient"},
		"to the Executor":       {func(o *order) { o.recipient = r.exec }, "BadRecipient"},
		"same token":            {func(o *order) { o.tokenOut = o.tokenIn }, "SameToken"},
		"wrapped to native":     {func(o *order) { o.tokenIn, o.tokenOut = r.wrapped, native }, "SameToken"},
		"executor without code": {func(o *order) { o.executor = stranger }, "NotContract"},
		"more than held":        {func(o *order) { o.amountIn = e18(100_000_000) }, "TransferFailed: InsufficientBalance"},
		"not approved":          {func(o *order) { o.from = stranger }, "TransferFailed: InsufficientAllowance"},
		"output rounds to 0":    {func(o *order) { o.tokenIn, o.tokenOut, o.amountIn = r.b, r.a, big.NewInt(1) }, "ZeroAmount"},
	} {
		t.Run(name, func(t *testing.T) {
			r.t = t
			o := r.order(r.a, r.b, e18(1), route(nil, through(r.ab, 0, 1)))
			c.mutate(&o)
			r.refuses(o, c.fault)
		})
	}
}

// Law 7: no length or offset of the caller is believed. Every cut of the
// calldata and of the route inside it reverts.
func TestLaw7Truncated(t *testing.T) {
	r := newRig(t)
	whole := route([]common.Address{r.b}, through(r.ab, 0, 2), through(r.bc, 2, 1).prepaid())
	o := r.order(r.a, r.c, e18(1), whole)
	ends := map[int]string{1 + 20: "LeftOver", 1 + 20 + 29: "LeftOver"}
	for n := range whole {
		want, ok := ends[n]
		if !ok {
			want = "Truncated"
		}
		o.route = whole[:n]
		if res := r.swap(o); res.fault != want {
			t.Errorf("route cut to %d bytes: %q, want %q", n, res.fault, want)
		}
	}
	o.route = whole
	data := o.data()
	body := len(data) - (32-len(whole)%32)%32 // the padding of the route carries nothing
	for n := range body {
		if res := r.send(user, &r.router, nil, data[:n]); res.fault == "" {
			t.Errorf("calldata cut to %d bytes went through", n)
		}
	}
}

func TestLaw7TokensOfAnyAnswer(t *testing.T) {
	r := newRig(t)
	silent := r.deploy(r.artifact("Odd").Init(uint8(0), native, user, e18(10_000_000)))
	r.endow(silent)
	p := r.pair(silent, r.b, e18(5_000), e18(5_000), 30)
	r.pays(r.order(silent, r.b, e18(1), route(nil, through(p, 0, 1))), r.quote(p, silent, r.b, e18(1)))

	lying := r.deploy(r.artifact("Odd").Init(uint8(1), native, user, e18(10_000_000)))
	r.refuses(r.order(lying, r.b, e18(1), route(nil, through(p, 0, 1))), "TransferFailed: "+faultName(make([]byte, 32)))
	r.refuses(r.order(stranger, r.b, e18(1), route(nil, through(p, 0, 1))), "TransferFailed: 0x")
}

// Whatever bytes a route holds, nobody but the caller can lose by it and
// nothing is kept.
func TestRandomBytes(t *testing.T) {
	r := newRig(t)
	r.donate(r.a, r.b, r.c, r.wrapped)
	rng := rand.New(rand.NewPCG(143, 7))
	whole := route([]common.Address{r.b, native, r.wrapped},
		through(r.ab, 0, 2).part(1<<31), through(r.ac, 0, 1), through(r.bc, 2, 1))
	before := r.ledger(victim, r.router, r.exec)
	passed := 0
	for range 3_000 {
		o := r.order(r.a, r.c, e18(1), bytes.Clone(whole))
		for range 1 + rng.IntN(3) {
			o.route[rng.IntN(len(whole))] = byte(rng.UintN(256))
		}
		if r.swap(o).fault == "" {
			passed++
		}
	}
	if passed == 0 || passed == 3_000 {
		t.Errorf("%d of 3000 went through: the routes test nothing", passed)
	}
	r.same(before, r.ledger(victim, r.router, r.exec))
}

// No storage, no owner, no proxy: the opcodes for them are not in the code.
func TestNoStorageNoDelegatecall(t *testing.T) {
	r := newRig(t)
	for _, at := range []common.Address{r.router, r.exec} {
		code := r.Code(at)
		if len(code) == 0 {
			t.Fatal("no code")
		}
		for i := 0; i < len(code); i++ {
			switch op := vm.OpCode(code[i]); {
			case op == vm.SSTORE, op == vm.SLOAD, op == vm.DELEGATECALL, op == vm.CALLCODE, op == vm.SELFDESTRUCT, op == vm.CREATE, op == vm.CREATE2:
				t.Errorf("%s has %s at %d", at, op, i)
			case op.IsPush():
				i += int(op - vm.PUSH0)
			}
		}
	}
}
