package contracts

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
)

// Attacks on several laws at once, or between two swaps.

type tried struct {
	Target       common.Address
	AllowFailure bool
	CallData     []byte
}

type answered struct {
	Success    bool
	ReturnData []byte
}

// batch is one transaction of a wallet that goes on whatever fails; it gives
// the names of the faults.
func (r *rig) batch(wallet common.Address, calls ...act) (faults []string) {
	r.t.Helper()
	code, list := r.artifact("Multicall3"), []tried(nil)
	for _, c := range calls {
		list = append(list, tried{c.Target, true, c.Data})
	}
	values, err := code.ABI.Unpack("aggregate3", r.must(user, wallet, nil, pack(code, "aggregate3", list)))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, v := range *abi.ConvertType(values[0], new([]answered)).(*[]answered) {
		fault := ""
		if !v.Success {
			fault = faultName(v.ReturnData)
		}
		faults = append(faults, fault)
	}
	return faults
}

// A swap that fails at its very end, and is caught, leaves nothing behind for
// the next of the same transaction: of any kind, whatever kind came before.
func TestCaughtSwapLeavesNothing(t *testing.T) {
	s := newVenueRig(t)
	s.donate(s.a, s.b, s.c, s.wrapped, s.launched)
	wallet := s.deploy(s.artifact("Multicall3").Init())
	for _, token := range []common.Address{s.a, s.b, s.c, s.wrapped, s.launched} {
		s.must(user, token, nil, pack(Token, "transfer", wallet, e18(1_000)))
		s.batch(wallet, call(token, pack(Token, "approve", s.router, maxWei)))
	}
	pool, late := s.fakePool(s.a, s.b), [4]byte{9}
	s.program(pool.at, swapV3, pool.amounts(e18(1), e18(-1))) // pays nothing and does not call back
	s.program(pool.at, late, nil, pool.asks(s.exec, late, e18(1)))
	silent := s.order(s.a, s.b, e18(1), route(nil, pool.step(0, 1)))
	kept := s.ledger(s.router, s.exec, victim, user)

	markets := s.markets()
	for i, m := range markets {
		before := markets[(i+5)%len(markets)]
		spoilt, _ := s.trade(before.y, before.x, e18(1), s.through(before.source, before.y, before.x))
		spoilt.minOut = maxWei
		o, want := s.trade(m.x, m.y, e18(1), s.through(m.source, m.x, m.y))
		had, spent := s.held(m.y, recipient), s.held(m.x, wallet)
		swap := func(o order) act { return call(s.router, o.data()) }
		faults := s.batch(wallet, swap(silent), call(pool.at, late[:]), swap(spoilt), call(pool.at, late[:]),
			swap(o), call(pool.at, late[:]), call(s.router, pack(Router, "pull", stranger, big.NewInt(1))))
		s.follow()
		for j, want := range []string{"PartialFill", "NotCalled", "TooLittleOut", "NotCalled", "", "NotCalled", "NotExecutor"} {
			if faults[j] != want {
				t.Errorf("%s after %s: call %d: %q, want %q", m.source, before.source, j, faults[j], want)
			}
		}
		if got := had.Sub(s.held(m.y, recipient), had); got.Cmp(want) != 0 {
			t.Errorf("%s after %s paid %s, want %s", m.source, before.source, got, want)
		}
		if spent.Sub(spent, s.held(m.x, wallet)); spent.Cmp(e18(1)) > 0 {
			t.Errorf("%s after %s took %s", m.source, before.source, spent)
		}
	}
	s.same(kept, s.ledger(s.router, s.exec, victim, user))
}

// Law 5: native that is sent to wrapped native comes back to the Router.
func TestLaw5NativeToWrappedNative(t *testing.T) {
	r := newRig(t)
	o := r.order(r.a, native, e18(3), route(nil, through(r.wa, 0, 1)))
	o.recipient = r.wrapped
	r.refuses(o, "BadRecipient")
}

// A venue that pays itself has not paid.
func TestLaw2RecipientIsTheVenue(t *testing.T) {
	s := newVenueRig(t)
	for _, m := range []market{{"V2", s.a, s.c}, {"V3", s.a, s.b}, {"V4", s.a, s.b}, {"Balancer", s.b, s.c}, {"Hanji", s.b, s.c}} {
		st := s.through(m.source, m.x, m.y)
		o, _ := s.trade(m.x, m.y, e18(3), st)
		switch m.source {
		case "V4":
			o.recipient = managerAt
		case "Balancer":
			o.recipient = vaultAt
		default:
			o.recipient = common.BytesToAddress(st.Pool.Call(st.In, st.Out).Body[:20])
		}
		s.refuses(o, "TooLittleOut")
	}
}

// Law 7: a token's answer counts by its first word, however long it is.
func TestLaw7AnswersOfAnyLength(t *testing.T) {
	r := newRig(t)
	token := r.hostile()
	o := r.order(token, r.b, e18(5), nil)
	o.executor = r.hostileExecutor(func(self common.Address) []act { return []act{r.pull(self, e18(5)), give(r.b, recipient, e18(1))} })
	one, long := words(big.NewInt(1)), make([]byte, 16_000)
	for name, c := range map[string]struct {
		answer []byte
		good   bool
	}{
		"nothing": {nil, true}, "one": {one, true}, "one and more": {append(one[:32:32], long...), true},
		"zero": {make([]byte, 32), false}, "zero and more": {append(make([]byte, 32), one...), false}, "much": {long, false},
		"two": {words(big.NewInt(2)), false}, "a byte": {[]byte{1}, false}, "31 bytes": {one[1:], false}, "high one": {append([]byte{1}, make([]byte, 31)...), false},
	} {
		t.Run(name, func(t *testing.T) {
			r.t = t
			r.program(token, selector(Token, "transferFrom"), c.answer)
			if c.good {
				r.pays(o, e18(1))
			} else {
				r.refuses(o, "TransferFailed: "+faultName(c.answer))
			}
		})
	}
}

// A token that calls others in its transfer does so inside callbacks and between
// the payment of a venue and its call, too: both contracts refuse it then.
func TestLaw6ReentryInEveryPhase(t *testing.T) {
	r := newRig(t)
	hook, venue, again := r.hostile(), r.hostile(), [4]byte{9}
	odd := r.deploy(r.artifact("Odd").Init(uint8(3), hook, user, e18(10_000_000)))
	r.endow(odd)
	r.others = append(r.others, odd)
	for _, token := range []common.Address{odd, r.b, r.c} {
		r.must(user, token, nil, pack(Token, "transfer", venue, e18(100)))
	}
	r.must(user, venue, e18(100), nil)
	r.must(user, hook, e18(100), nil)
	pool := fakePool{venue, odd, r.b}
	r.program(venue, again, nil, pool.asks(r.exec, again, e18(10)))
	inner := r.order(r.a, r.b, e18(1), route(nil, through(r.ab, 0, 1)))
	doors := map[string]act{
		"Reentered":   call(r.router, inner.data()),
		"NotExecutor": r.pull(hook, big.NewInt(1)),
		"NotRouter":   call(r.exec, pack(Executor, "execute", stranger, r.a, e18(1), r.b, stranger, inner.route)),
		"NotCalled":   {r.exec, big.NewInt(1), nil},
	}
	orders := []order{r.order(odd, r.b, e18(10), route(nil, pool.step(0, 1)))} // inside its callback
	r.program(venue, swapV3, pool.amounts(e18(10), e18(-1)), give(r.b, recipient, e18(1)), pool.asks(r.exec, again, e18(10)))
	for _, v := range r.pullers(venue) { // before the venue is called
		orders = append(orders, r.order(odd, v.out, e18(10), route(nil, step{kind: v.kind, in: 0, out: 1, body: v.body})))
	}
	for _, o := range orders {
		for fault, door := range doors {
			r.program(hook, [4]byte{}, nil, door)
			r.refuses(o, "TransferFailed: "+fault)
		}
		r.program(hook, [4]byte{}, nil, call(venue, again[:])) // which asks for the amount, once more or too early
		r.refuses(o, "TransferFailed: NotCalled")
	}
	r.program(hook, [4]byte{}, nil)
	r.pays(orders[0], e18(1))
}

// While the manager is unlocked any contract may call it. A token that does, in
// its transfer, cannot have its payment credited to another.
func TestLaw4TokenCallsUnlockedManager(t *testing.T) {
	s := newVenueRig(t)
	hook := s.hostile()
	odd := s.deploy(s.artifact("Odd").Init(uint8(3), hook, user, e18(10_000_000)))
	s.endow(odd)
	s.others = append(s.others, odd)
	s.must(user, odd, nil, pack(Token, "transfer", deployer, e18(1_000_000)))
	s.openV4(odd, s.b)
	manager := func(signature string, words ...common.Address) act {
		id := sighash(signature)
		data := id[:]
		for _, w := range words {
			data = append(data, common.LeftPadBytes(w[:], 32)...)
		}
		return call(managerAt, data)
	}
	in, _ := s.trade(odd, s.b, e18(3), s.through("V4", odd, s.b))
	unsettled := hexOf("CurrencyNotSettled()")
	for what, c := range map[string]struct {
		act   act
		fault string
	}{
		"settles first":      {manager("settle()"), unsettled},
		"settles for itself": {manager("settleFor(address)", hook), unsettled},
		"syncs another":      {manager("sync(address)", s.a), unsettled},
		"syncs native":       {manager("sync(address)", native), unsettled},
		"takes":              {call(managerAt, append(manager("take(address,address,uint256)", s.b, hook).Data, words(big.NewInt(1))...)), unsettled},
		"calls back":         {call(s.exec, s.singletons()["manager"].callback(e18(3))), "TransferFailed: NotCalled"},
	} {
		t.Run(what, func(t *testing.T) {
			s.t = t
			s.program(hook, [4]byte{}, nil, c.act)
			s.refuses(in, c.fault)
		})
	}
	s.t = t
	s.program(hook, [4]byte{}, nil)
	s.pays(s.trade(odd, s.b, e18(3), s.through("V4", odd, s.b)))
}

// A pool that lies about what it paid to the pair behind it gains nothing.
func TestLaw2FalseAmountToPrepaidPair(t *testing.T) {
	r := newRig(t)
	pool, name := r.fakePool(r.a, r.b), [4]byte{9}
	o := r.order(r.a, r.c, e18(10), route([]common.Address{r.b}, pool.step(0, 2), through(r.bc, 2, 1).prepaid()))
	o.minOut = r.quote(r.bc, r.b, r.c, e18(1))
	says := func(n *big.Int) {
		r.program(pool.at, swapV3, pool.amounts(e18(10), n), give(r.b, r.bc.at, e18(1)), pool.asks(r.exec, name, e18(10)))
	}
	says(plus(e18(-1), e18(-1)))
	r.refuses(o, "UniswapV2: K")
	says(new(big.Int).Neg(maxWei))
	r.refuses(o, "ZeroAmount")
	says(new(big.Int).Div(e18(-1), big.NewInt(2)))
	r.refuses(o, "TooLittleOut")
	says(e18(-1))
	r.pays(o, o.minOut)
}

// What goes back to the sender is not also counted as made, though the two
// tokens of a step be one; so nobody gets what lay here.
func TestLaw5DustIsNotCountedTwice(t *testing.T) {
	r := newRig(t)
	r.donate(r.wrapped)
	kept := r.ledger(r.router, r.exec)
	market, fake := r.hostile(), r.fakePair(e18(1_000))
	r.must(user, market, e18(1), nil)
	r.must(user, r.b, nil, pack(Token, "transfer", fake.at, e18(1)))
	r.program(fake.at, swapSelector, nil, give(r.b, recipient, e18(1)))
	v := r.pullers(market)["Hanji, buy"]
	v.body[20] |= 2                                                             // pays native
	r.program(market, v.sells, words(new(big.Int), new(big.Int), new(big.Int)), // takes next to nothing
		call(r.wrapped, pack(Token, "transferFrom", r.exec, market, big.NewInt(1))), act{r.exec, e18(1), nil})
	r.pays(r.order(r.wrapped, r.b, e18(5), route([]common.Address{r.wrapped},
		step{kind: v.kind, in: 0, out: 2, body: v.body}, through(fake, 2, 1))), e18(1))
	r.same(kept, r.ledger(r.router, r.exec))
	if got := r.held(r.wrapped, fake.at); got.Cmp(e18(1)) != 0 {
		t.Errorf("the pair got %s, the market made 1e18", got)
	}
}

// The Executor as its own V3 pool would be called back by itself, for the very
// amount if that is the number of the recipient; but it does not answer.
func TestLaw4ExecutorAsItsOwnPool(t *testing.T) {
	r := newRig(t)
	r.refuses(r.order(r.a, r.b, recipient.Big(), route(nil, step{kind: 4, in: 0, out: 1, body: r.exec[:]})), "0x")
}

// A table may have 127 tokens: the eighth bit of their number says that a fee follows.
func TestFullTable(t *testing.T) {
	r := newRig(t)
	table := make([]common.Address, 128)
	table[126] = r.b
	o := r.order(r.a, r.c, e18(3), route(table[:127], through(r.ab, 0, 128), through(r.bc, 128, 1).prepaid()))
	r.pays(o, r.quote(r.bc, r.b, r.c, r.quote(r.ab, r.a, r.b, e18(3))))
	o.route = route(table, through(r.ab, 0, 128), through(r.bc, 128, 1))
	r.refuses(o, "BadFee")
}
