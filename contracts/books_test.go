package contracts

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/google/go-cmp/cmp"

	"braid/plan"
	"braid/u256"
	"braid/venue"
	"braid/venue/hanji"
	"braid/venue/kuru"
)

// Law 5 for the kinds whose venues pull or leave dust, and law 6 for those who
// pay native.

type market struct {
	source string
	x, y   common.Address
}

func (s *venueRig) markets() []market {
	return []market{
		{"V2", s.a, s.c}, {"V3", s.a, s.b}, {"V3 renamed", s.a, s.b}, {"V3 Pancake", s.a, s.b}, {"V4", s.wrapped, s.a}, {"V4", s.a, s.b},
		{"Balancer", s.b, s.c}, {"Kuru", s.wrapped, s.a}, {"Kuru", s.b, s.c}, {"Hanji", s.wrapped, s.a}, {"Hanji", s.b, s.c},
		{"NadFun", s.wrapped, s.launched},
	}
}

// Both contracts end with what they had and nobody may spend it, whatever lay
// there before; approvals are of what is used; dust stays with the sender.
func TestLaw5EveryKind(t *testing.T) {
	s := newVenueRig(t)
	for _, donated := range []bool{false, true} {
		if donated {
			s.donate(s.a, s.b, s.c, s.wrapped, s.launched)
		}
		kept := s.ledger(s.router, s.exec, victim)
		for _, m := range s.markets() {
			s.approvesWhatIsUsed(m.source, m.x, m.y)
			s.approvesWhatIsUsed(m.source, m.y, m.x)
		}
		s.same(kept, s.ledger(s.router, s.exec, victim))
	}
}

func (s *venueRig) approvesWhatIsUsed(source string, in, out common.Address) {
	s.t.Helper()
	st, amount := s.through(source, in, out), plus(e18(3), big.NewInt(7))
	c := st.Pool.Call(st.In, st.Out)
	o, want := s.trade(in, out, amount, st)
	had, from := s.held(in, user), len(s.Logs())
	s.pays(o, want)
	used := had.Sub(had, s.held(in, user))
	s.dust(c, amount, new(big.Int).Sub(amount, used))

	var lent []approval
	if source == "Kuru" && in != s.wrapped || source == "Hanji" || source == "NadFun" && in != s.wrapped {
		most := used
		if buysOnHanji(c) { // which tells only afterwards
			most = amount
		}
		lent = []approval{{in, common.BytesToAddress(c.Body[:20]), most.String()}, {in, common.BytesToAddress(c.Body[:20]), "0"}}
	}
	if diff := cmp.Diff(lent, s.approvals(from)); diff != "" {
		s.t.Errorf("approvals for %s (-want +got):\n%s", source, diff)
	}
}

func buysOnHanji(c venue.Call) bool { return c.Kind == hanji.Kind && c.Body[20]&1 != 0 }

// dust asserts how much of an amount a call leaves: what is no whole lot or,
// where the cost of a last share counts, little.
func (s *venueRig) dust(c venue.Call, amount, left *big.Int) {
	s.t.Helper()
	lot := big.NewInt(1)
	switch c.Kind {
	case kuru.Kind:
		lot.Exp(big.NewInt(10), big.NewInt(int64(int8(c.Body[41]))), nil)
	case hanji.Kind:
		lot.SetBytes(c.Body[21:])
	}
	want := new(big.Int).Mod(amount, lot)
	if buysOnHanji(c) {
		if left.Sign() <= 0 || mul(left, big.NewInt(100_000)).Cmp(amount) > 0 {
			s.t.Errorf("a buy of %s left %s", amount, left)
		}
	} else if left.Cmp(want) != 0 {
		s.t.Errorf("kind %d left %s of %s, want %s", c.Kind, left, amount, want)
	}
}

// Dust of a token on the way goes to the sender; dust of native that was sent
// comes back wrapped.
func TestLaw5DustIsTheSenders(t *testing.T) {
	s := newVenueRig(t)
	s.donate(s.a, s.b, s.c, s.wrapped)
	kept := s.ledger(s.router, s.exec, victim)
	for _, c := range []struct {
		first, second string
		in, mid, out  common.Address
	}{
		{"V3", "Kuru", s.a, s.b, s.c}, {"V3", "Hanji", s.a, s.b, s.c},
		{"V2", "Kuru", s.a, s.c, s.b}, {"V2", "Hanji", s.a, s.c, s.b},
		{"V2", "Kuru", s.c, s.a, s.wrapped}, {"V2", "Hanji", s.c, s.a, s.wrapped},
		{"NadFun", "Kuru", s.launched, s.wrapped, s.a}, {"NadFun", "Hanji", s.launched, s.wrapped, s.a},
	} {
		steps := []plan.Step{s.through(c.first, c.in, c.mid), s.through(c.second, c.mid, c.out)}
		p, err := plan.Run(c.in, c.out, u256.FromBig(e18(4_321)), steps)
		if err != nil {
			t.Fatal(err)
		}
		had := s.held(c.mid, user)
		s.pays(s.trade(c.in, c.out, e18(4_321), steps...))
		s.dust(steps[1].Pool.Call(steps[1].In, steps[1].Out), p.Steps[1].AmountIn.Big(), had.Sub(s.held(c.mid, user), had))
	}
	for _, source := range []string{"Kuru", "Hanji"} {
		st, amount := s.through(source, s.wrapped, s.a), plus(e18(3), big.NewInt(7))
		o, want := s.trade(s.wrapped, s.a, amount, st)
		o.value = amount
		had := s.held(s.wrapped, user)
		s.pays(o, want)
		s.dust(st.Pool.Call(st.In, st.Out), amount, had.Sub(s.held(s.wrapped, user), had))
	}
	s.same(kept, s.ledger(s.router, s.exec, victim))
}

// puller is a puppet in the place of a venue that takes 10e18 of tokenIn by
// allowance and pays 1e18.
type puller struct {
	kind   byte
	body   []byte
	sells  [4]byte
	answer []byte
	out    common.Address
	pays   act
}

func (r *rig) pullers(at common.Address) map[string]puller {
	inC, inNative := give(r.c, r.exec, e18(1)), act{r.exec, e18(1), nil}
	one := append(make([]byte, 15), 1) // a unit of 1
	book := func(flags byte) []byte { return append(append(at.Bytes(), flags), one...) }
	return map[string]puller{
		"Kuru": {7, append(append(at.Bytes(), at[:]...), 0, 0), sighash("placeAndExecuteMarketSell(uint96,uint256,bool,bool)"), words(e18(1)), r.c, inC},
		"Kuru, native out": {7, append(append(at.Bytes(), at[:]...), 4, 0),
			sighash("placeAndExecuteMarketSell(uint96,uint256,bool,bool)"), words(e18(1)), r.wrapped, inNative},
		"Hanji": {8, book(0), sighash("placeOrder(bool,uint128,uint72,uint128,bool,bool,bool,uint256)"),
			words(new(big.Int), e18(10), e18(1), new(big.Int)), r.c, inC},
		"Hanji, buy": {8, book(1), sighash("placeMarketOrderWithTargetValue(bool,uint128,uint72,uint128,bool,uint256)"),
			words(e18(1), e18(10), new(big.Int)), r.c, inC},
		"Hanji, native out": {8, book(2), sighash("placeOrder(bool,uint128,uint72,uint128,bool,bool,bool,uint256)"),
			words(new(big.Int), e18(10), e18(1), new(big.Int)), r.wrapped, inNative},
		"NadFun": {9, at.Bytes(), sighash("sell((uint256,uint256,address,address,uint256))"), words(e18(1)), r.wrapped, inNative},
	}
}

// A venue gets all of what it was lent or nothing, in its own step only, and
// has to pay for it with what is its own.
func TestLaw5HostileVenues(t *testing.T) {
	r := newRig(t)
	taxed := r.deploy(r.artifact("Odd").Init(uint8(2), native, user, e18(10_000_000)))
	r.endow(taxed)
	r.others = append(r.others, taxed)
	r.donate(r.a, r.b, r.c, r.wrapped, taxed)
	at, other, late := r.hostile(), r.hostile(), [4]byte{9}
	takes := func(token common.Address, amount *big.Int) act {
		return call(token, pack(Token, "transferFrom", r.exec, at, amount))
	}
	r.must(user, r.c, nil, pack(Token, "transfer", at, e18(100)))
	for _, who := range []common.Address{at, other} {
		r.must(user, who, e18(100), nil)
	}
	r.program(other, late, nil, act{r.exec, e18(1), nil})
	r.program(at, late, nil, takes(r.a, big.NewInt(1)))
	all, callback := takes(r.a, e18(10)), sighash("uniswapV3SwapCallback(int256,int256,bytes)")
	asks := call(r.exec, append(callback[:], words(e18(10), e18(-1))...))

	for name, v := range r.pullers(at) {
		for what, c := range map[string]struct {
			acts  []act
			fault string
		}{
			"fair":              {[]act{all, v.pays}, ""},
			"pays first":        {[]act{v.pays, all}, ""},
			"takes nothing":     {[]act{v.pays}, "PartialFill"},
			"takes half":        {[]act{takes(r.a, e18(5)), v.pays}, "PartialFill"},
			"gives half back":   {[]act{all, give(r.a, r.exec, e18(5)), v.pays}, "PartialFill"},
			"takes more":        {[]act{takes(r.a, plus(e18(10), big.NewInt(1))), v.pays}, "InsufficientAllowance"},
			"takes twice":       {[]act{all, takes(r.a, big.NewInt(1)), v.pays}, "InsufficientAllowance"},
			"takes what lies":   {[]act{all, takes(r.b, big.NewInt(1)), v.pays}, "InsufficientAllowance"},
			"pays nothing":      {[]act{all}, "ZeroAmount"},
			"another's native":  {[]act{all, v.pays, call(other, late[:])}, "NotCalled"},
			"pulls by itself":   {[]act{all, v.pays, r.pull(at, big.NewInt(1))}, "NotExecutor"},
			"plays a V3 pool":   {[]act{all, v.pays, asks}, "NotCalled"},
			"plays the manager": {[]act{all, v.pays, call(r.exec, pack(Executor, "unlockCallback", words(e18(1))))}, "NotCalled"},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				r.t = t
				r.program(at, v.sells, v.answer, c.acts...)
				o := r.order(r.a, v.out, e18(10), route(nil, step{kind: v.kind, in: 0, out: 1, body: v.body}))
				if c.fault != "" {
					r.refuses(o, c.fault)
					return
				}
				kept := r.ledger(victim, r.router, r.exec)
				r.pays(o, e18(1))
				if res := r.send(stranger, &at, nil, late[:]); res.fault != "InsufficientAllowance" {
					t.Errorf("takes some more afterwards: %q", res.fault)
				}
				r.same(kept, r.ledger(victim, r.router, r.exec))
			})
		}
		// Of a token that loses some on the way here, the rest is not made up
		// from what lies here.
		r.t = t
		r.program(at, v.sells, v.answer, takes(taxed, e18(10)), v.pays)
		r.refuses(r.order(taxed, v.out, e18(10), route(nil, step{kind: v.kind, in: 0, out: 1, body: v.body})), "PartialFill")
	}
}

// Law 6: native comes in from wrapped native and from the contract being
// called, and within the gas that wrapped native gives along.
func TestLaw6Receive(t *testing.T) {
	s := newVenueRig(t)
	type frame struct {
		from     common.Address
		receives bool
	}
	var frames []frame
	dearest := map[common.Address]uint64{}
	s.Tracer = &tracing.Hooks{
		OnEnter: func(_ int, _ byte, from, to common.Address, input []byte, _ uint64, value *big.Int) {
			frames = append(frames, frame{from, to == s.exec && len(input) == 0 && value.Sign() > 0})
		},
		OnExit: func(_ int, _ []byte, gas uint64, _ error, _ bool) {
			last := frames[len(frames)-1]
			frames = frames[:len(frames)-1]
			if last.receives {
				dearest[last.from] = max(dearest[last.from], gas)
			}
		},
	}
	senders := map[common.Address]string{s.wrapped: "wrapped native", managerAt: "manager", place("Kuru margin"): "margin", place("NadFun router"): "NadFun"}
	for source, in := range map[string]common.Address{"V4": s.a, "Kuru": s.a, "Hanji": s.a, "NadFun": s.launched} {
		st := s.through(source, in, s.wrapped)
		if source == "Hanji" {
			senders[common.BytesToAddress(st.Pool.Call(st.In, st.Out).Body[:20])] = source
		}
		s.pays(s.trade(in, native, e18(3), st))
		s.pays(s.trade(s.wrapped, in, e18(3), s.through(source, s.wrapped, in)))
	}
	for who, name := range senders {
		if gas, ok := dearest[who]; !ok || gas > 2_300 {
			t.Errorf("native from %s: %d gas, %v", name, gas, ok)
		}
	}
	if len(dearest) != len(senders) {
		t.Errorf("native came from %v", dearest)
	}
}

// The margin account of a market pays, and no one else.
func TestLaw6KuruPaysFromItsMargin(t *testing.T) {
	r := newRig(t)
	at, margin, pay := r.hostile(), r.hostile(), [4]byte{9}
	v := r.pullers(at)["Kuru, native out"]
	copy(v.body[20:40], margin[:])
	for _, who := range []common.Address{at, margin} {
		r.must(user, who, e18(100), nil)
	}
	all := call(r.a, pack(Token, "transferFrom", r.exec, at, e18(10)))
	o := r.order(r.a, native, e18(10), route(nil, step{kind: v.kind, in: 0, out: 1, body: v.body}))
	r.program(margin, pay, nil, v.pays)
	r.program(at, v.sells, v.answer, all, call(margin, pay[:]))
	r.pays(o, e18(1))
	r.program(at, v.sells, v.answer, all, v.pays)
	r.refuses(o, "NotCalled")
}
