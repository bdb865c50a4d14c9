package contracts

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/crypto"
)

// Law 4 for the kinds that are called back: only by the contract just called,
// once, for the step's amount.

func sighash(signature string) [4]byte { return [4]byte(crypto.Keccak256([]byte(signature))) }

// words are numbers as the ABI has them, below zero too.
func words(numbers ...*big.Int) (b []byte) {
	for _, n := range numbers {
		b = append(b, math.U256Bytes(new(big.Int).Set(n))...)
	}
	return b
}

var swapV3 = sighash("swap(address,bool,int256,uint160,bytes)")

// fakePool is a puppet in the place of a V3 pool that takes 10e18 of in and pays
// 1e18 of out, as it says and as it does.
type fakePool struct {
	at      common.Address
	in, out common.Address
}

func (r *rig) fakePool(in, out common.Address) fakePool {
	p := fakePool{r.hostile(), in, out}
	r.must(user, out, nil, pack(Token, "transfer", p.at, e18(100)))
	return p
}

// amounts puts what goes in and what comes out where the pool's order wants it.
func (p fakePool) amounts(in, out *big.Int) []byte {
	if p.in.Cmp(p.out) < 0 {
		return words(in, out)
	}
	return words(out, in)
}

// asks is the callback, under any name.
func (p fakePool) asks(executor common.Address, name [4]byte, amount *big.Int) act {
	return call(executor, append(name[:], p.amounts(amount, e18(-1))...))
}

func (p fakePool) step(in, out byte) step { return step{kind: 4, in: in, out: out, body: p.at[:]} }

func TestLaw4V3Callback(t *testing.T) {
	r := newRig(t)
	r.donate(r.a, r.b, r.c, r.wrapped)
	pool := r.fakePool(r.a, r.b)
	other, again := r.hostile(), [4]byte{9}
	name := sighash("uniswapV3SwapCallback(int256,int256,bytes)")
	fair, pays := pool.asks(r.exec, name, e18(10)), give(r.b, recipient, e18(1))
	said := pool.amounts(e18(10), e18(-1))
	r.program(other, again, nil, fair)
	r.must(user, pool.at, big.NewInt(1), nil)
	o := r.order(r.a, r.b, e18(10), route(nil, pool.step(0, 1)))
	kept := r.ledger(victim, r.router, r.exec)

	asks := func(amount *big.Int) []act { return []act{pays, pool.asks(r.exec, name, amount)} }
	swapped := append(name[:], pool.amounts(e18(-1), e18(10))...)
	for what, c := range map[string]struct {
		said  []byte
		acts  []act
		fault string
	}{
		"fair":                    {said, []act{pays, fair}, ""},
		"fair, pays afterwards":   {said, []act{fair, pays}, ""},
		"another fork's name":     {said, []act{pays, pool.asks(r.exec, [4]byte{0xde, 0xad, 0xbe, 0xef}, e18(10))}, ""},
		"data behind the amounts": {said, []act{pays, call(r.exec, append(fair.Data[:68:68], make([]byte, 500)...))}, ""},
		"asks for the other":      {said, []act{pays, call(r.exec, swapped)}, ""}, // and gets the step's token all the same
		"no callback":             {said, []act{pays}, "PartialFill"},
		"asks for more":           {said, asks(plus(e18(10), big.NewInt(1))), "PartialFill"},
		"asks for less":           {said, asks(plus(e18(10), big.NewInt(-1))), "PartialFill"},
		"asks for nothing":        {said, asks(new(big.Int)), "PartialFill"},
		"asks below zero":         {said, asks(e18(-10)), "PartialFill"},
		"asks twice":              {said, []act{pays, fair, fair}, "NotCalled"},
		"asks in two parts":       {said, []act{pays, pool.asks(r.exec, name, e18(5)), pool.asks(r.exec, name, e18(5))}, "PartialFill"},
		"another asks":            {said, []act{pays, call(other, again[:])}, "NotCalled"},
		"another asks too":        {said, []act{pays, fair, call(other, again[:])}, "NotCalled"},
		"one word":                {said, []act{pays, call(r.exec, fair.Data[:36])}, "0x"},
		"half a name":             {said, []act{pays, call(r.exec, fair.Data[:3])}, "0x"},
		"with native":             {said, []act{pays, {r.exec, big.NewInt(1), fair.Data}}, "0x"},
		"says it paid nothing":    {pool.amounts(e18(10), new(big.Int)), []act{pays, fair}, "ZeroAmount"},
		"says nothing":            {nil, []act{pays, fair}, "0x"},
		"pays nothing":            {said, []act{fair}, "TooLittleOut"},
		"pulls by itself":         {said, []act{pays, fair, r.pull(pool.at, big.NewInt(1))}, "NotExecutor"},
		"plays the manager":       {said, []act{pays, call(r.exec, pack(Executor, "unlockCallback", words(e18(1))))}, "NotCalled"},
		"plays the vault":         {said, []act{pays, call(r.exec, pack(Executor, "balancerUnlocked", pool.at, r.a, r.b, e18(1), pool.at))}, "NotCalled"},
	} {
		t.Run(what, func(t *testing.T) {
			r.t = t
			r.program(pool.at, swapV3, c.said, c.acts...)
			if c.fault != "" {
				r.refuses(o, c.fault)
				return
			}
			paid := r.held(r.a, pool.at)
			r.pays(o, e18(1))
			if got := paid.Sub(r.held(r.a, pool.at), paid); got.Cmp(e18(10)) != 0 {
				t.Errorf("the pool got %s, not the step's 10e18", got)
			}
		})
	}
	r.t = t
	if res := r.send(stranger, &r.exec, nil, fair.Data); res.fault != "NotCalled" {
		t.Errorf("a stranger's callback: %q", res.fault)
	}
	r.same(kept, r.ledger(victim, r.router, r.exec))
}

// A pool of one step has no say in the next, nor after the swap.
func TestLaw4V3CallbackAfterItsStep(t *testing.T) {
	r := newRig(t)
	first, second := r.fakePool(r.a, r.c), r.fakePool(r.c, r.b)
	late := [4]byte{9}
	r.program(first.at, swapV3, first.amounts(e18(10), e18(-1)), give(r.c, r.exec, e18(1)), first.asks(r.exec, late, e18(10)))
	r.program(first.at, late, nil, first.asks(r.exec, late, e18(1)))
	fair := []act{give(r.b, recipient, e18(1)), second.asks(r.exec, late, e18(1))}
	o := r.order(r.a, r.b, e18(10), route([]common.Address{r.c}, first.step(0, 2), second.step(2, 1)))

	r.program(second.at, swapV3, second.amounts(e18(1), e18(-1)), append(fair, call(first.at, late[:]))...)
	r.refuses(o, "NotCalled")
	r.program(second.at, swapV3, second.amounts(e18(1), e18(-1)), append([]act{call(first.at, late[:])}, fair...)...)
	r.refuses(o, "NotCalled")
	r.program(second.at, swapV3, second.amounts(e18(1), e18(-1)), fair...)
	r.pays(o, e18(1))
	if res := r.send(stranger, &first.at, nil, late[:]); res.fault != "NotCalled" {
		t.Errorf("after the swap: %q", res.fault)
	}
}

// What is no pool is none, though its caller says so.
func TestLaw4V3NotAPool(t *testing.T) {
	r := newRig(t)
	for what, at := range map[string]common.Address{
		"tokenIn": r.a, "tokenOut": r.b, "wrapped native": r.wrapped, "router": r.router, "executor": r.exec,
		"pair": r.ab.at, "nobody": stranger, "precompile": common.BytesToAddress([]byte{4}),
	} {
		t.Run(what, func(t *testing.T) {
			r.t = t
			fault := "0x"
			if what == "executor" || what == "precompile" { // the one asks itself for nonsense, the other answers
				fault = "PartialFill"
			}
			r.refuses(r.order(r.a, r.b, e18(1), route(nil, step{kind: 4, in: 0, out: 1, body: at[:]})), fault)
		})
	}
}

// managerBody is one hop: no native, a fee of 500 and a spacing of 10.
var managerBody = []byte{1, 0, 0, 1, 244, 0, 0, 10}

// singleton is a venue of one address in the place of which a puppet is put.
type singleton struct {
	at       common.Address
	kind     byte
	body     []byte
	unlock   [4]byte
	answer   []byte // of unlock
	callback func(amount *big.Int) []byte
	manners  func()
}

func (r *rig) singletons() map[string]singleton {
	unlock := sighash("unlock(bytes)")
	teach := func(at common.Address, signature string, answer []byte, acts ...act) {
		r.program(at, sighash(signature), answer, acts...)
	}
	manager := func(amount *big.Int) []byte { // Step and body, as swapUniswapV4 packs them
		step := words(r.a.Big(), r.b.Big(), amount, new(big.Int), recipient.Big(), big.NewInt(6*32), big.NewInt(int64(len(managerBody))))
		return pack(Executor, "unlockCallback", append(step, common.RightPadBytes(managerBody, 32)...))
	}
	vault := func(amount *big.Int) []byte {
		return pack(Executor, "balancerUnlocked", stranger, r.a, r.b, amount, recipient)
	}
	return map[string]singleton{
		"manager": {managerAt, 5, managerBody, unlock, words(big.NewInt(32), big.NewInt(32), e18(1)), manager, func() {
			high, low := e18(-10), e18(1) // of currency0, of currency1
			if r.a.Cmp(r.b) > 0 {
				high, low = low, high
			}
			delta := plus(high.Lsh(high, 128), low.And(low, new(big.Int).Rsh(maxWei, 128)))
			teach(managerAt, "swap((address,address,uint24,int24,address),(bool,int256,uint160),bytes)", words(delta))
			teach(managerAt, "settle()", words(e18(10)))
			teach(managerAt, "take(address,address,uint256)", nil, give(r.b, recipient, e18(1)))
		}},
		"vault": {vaultAt, 6, stranger[:], unlock, words(big.NewInt(32), big.NewInt(32), e18(1)), vault, func() {
			teach(vaultAt, "settle(address,uint256)", words(e18(10)))
			teach(vaultAt, "swap((uint8,address,address,address,uint256,uint256,bytes))", words(e18(1), e18(10), e18(1)))
			teach(vaultAt, "sendTo(address,address,uint256)", nil, give(r.b, recipient, e18(1)))
		}},
	}
}

func TestLaw4Unlock(t *testing.T) {
	r := newRig(t)
	trigger := [4]byte{9}
	pool := r.fakePool(r.a, r.b)
	for name, v := range r.singletons() {
		t.Run(name, func(t *testing.T) {
			r.t = t
			r.etch(user, v.at, r.artifact("Puppet").Init())
			r.must(user, r.b, nil, pack(Token, "transfer", v.at, e18(100)))
			v.manners()
			back := call(r.exec, v.callback(e18(10)))
			o := r.order(r.a, r.b, e18(10), route(nil, step{kind: v.kind, in: 0, out: 1, body: v.body}))
			kept := r.ledger(victim, r.router, r.exec)

			r.program(v.at, v.unlock, v.answer, back)
			r.pays(o, e18(1))
			r.program(v.at, v.unlock, v.answer, back, back)
			r.refuses(o, "NotCalled")
			r.program(v.at, v.unlock, v.answer)
			r.refuses(o, "TooLittleOut")
			r.program(v.at, v.unlock, v.answer, call(r.exec, back.Data[:20]))
			r.refuses(o, "0x")

			// It may call back in its own step only, and nobody else ever.
			r.program(v.at, trigger, nil, back)
			if res := r.send(stranger, &v.at, nil, trigger[:]); res.fault != "NotCalled" {
				t.Errorf("outside a step: %q", res.fault)
			}
			if res := r.send(stranger, &r.exec, nil, back.Data); res.fault != "NotCalled" {
				t.Errorf("by a stranger: %q", res.fault)
			}
			r.program(pool.at, swapV3, pool.amounts(e18(10), e18(-1)), call(v.at, trigger[:]), pool.asks(r.exec, trigger, e18(10)))
			r.refuses(r.order(r.a, r.b, e18(10), route(nil, pool.step(0, 1))), "NotCalled")
			r.same(kept, r.ledger(victim, r.router, r.exec))
		})
	}
}

// The bytes of the callback are the singleton's to keep; what they could do is
// still bounded by the order.
func TestLaw4UnlockWithOtherBytes(t *testing.T) {
	r := newRig(t)
	v := r.singletons()["manager"]
	r.etch(user, v.at, r.artifact("Puppet").Init())
	v.manners()
	o := r.order(r.a, r.b, e18(10), route(nil, step{kind: v.kind, in: 0, out: 1, body: v.body}))
	for _, amount := range []*big.Int{e18(9), e18(11)} { // the pool takes 10
		r.program(v.at, v.unlock, v.answer, call(r.exec, v.callback(amount)))
		r.refuses(o, "PartialFill")
	}
	o.amountIn = e18(9) // of which the callback asks 10
	r.program(v.at, v.unlock, v.answer, call(r.exec, v.callback(e18(10))))
	r.refuses(o, "PulledTooMuch")
}

// The real ones call back whoever unlocks them, so a stranger who does cannot
// reach the Executor through them.
func TestLaw4StrangersUnlock(t *testing.T) {
	s := newVenueRig(t)
	open := [4]byte{9}
	for name, v := range s.singletons() {
		thief, data := s.hostile(), v.callback(e18(10))
		unlock := append(v.unlock[:], words(big.NewInt(32), big.NewInt(int64(len(data))))...)
		unlock = append(unlock, common.RightPadBytes(data, (len(data)+31)/32*32)...)
		s.program(thief, [4]byte(data[:4]), nil, call(s.exec, data))
		s.program(thief, open, nil, call(v.at, unlock))
		if res := s.send(stranger, &thief, nil, open[:]); res.fault != "NotCalled" {
			t.Errorf("%s: %q", name, res.fault)
		}
	}
}
