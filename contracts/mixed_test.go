package contracts

import (
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/plan"
)

// One transaction through every kind of venue, with splits, merges and native
// on the way, pays what the families' own arithmetic says, to the wei; and
// again the other way.
func TestMixedRoute(t *testing.T) {
	s := newVenueRig(t)
	s.donate(s.a, s.b, s.c, s.wrapped)
	before := s.ledger(s.router, s.exec, victim)
	part := func(st plan.Step, share plan.Share) plan.Step { st.Share = share; return st }
	w, l := s.wrapped, s.launched

	there := func() []plan.Step { // from wrapped native to c
		return []plan.Step{
			part(s.through("V4", w, s.a), 1<<30), part(s.through("Kuru", w, s.a), 1<<31), s.through("Hanji", w, s.a),
			part(s.through("V2", s.a, s.c), 1<<30), part(s.through("V3", s.a, s.b), 1<<30),
			part(s.through("V3 renamed", s.a, s.b), 1<<31), part(s.through("V3 Pancake", s.a, s.b), 1<<31), s.through("V4", s.a, s.b),
			part(s.through("Balancer", s.b, s.c), 1<<30), part(s.through("Kuru", s.b, s.c), 1<<31), s.through("Hanji", s.b, s.c),
		}
	}
	back := func() []plan.Step {
		return []plan.Step{
			part(s.through("Balancer", s.c, s.b), 1<<30), part(s.through("Kuru", s.c, s.b), 1<<30),
			part(s.through("Hanji", s.c, s.b), 1<<30), s.through("V2", s.c, s.a),
			part(s.through("V3", s.b, s.a), 1<<30), part(s.through("V3 renamed", s.b, s.a), 1<<31),
			part(s.through("V3 Pancake", s.b, s.a), 1<<31), s.through("V4", s.b, s.a),
			part(s.through("V4", s.a, w), 1<<30), part(s.through("Kuru", s.a, w), 1<<31), s.through("Hanji", s.a, w),
		}
	}
	if s.through("V4", w, s.a).Pool.Call(0, 1).Body[1] != 1 {
		t.Fatal("the V4 pool of wrapped native is not of native: list its tokens the other way")
	}
	for range 2 {
		s.pays(s.trade(w, s.c, e18(30), there()...))
		in, want := s.trade(w, s.c, e18(30), there()...)
		in.value = e18(30)
		s.pays(in, want)
		s.pays(s.trade(s.c, w, e18(90), back()...))
		s.pays(s.trade(s.c, native, e18(90), back()...))
		s.pays(s.trade(l, s.c, e18(100_000), append([]plan.Step{s.through("NadFun", l, w)}, there()...)...))
		s.pays(s.trade(s.c, l, e18(90), append(back(), s.through("NadFun", w, l))...))
	}
	s.same(before, s.ledger(s.router, s.exec, victim))
}

// Consecutive V4 hops are one step under one unlock: it pays the same and burns
// less than two.
func TestV4HopsShareAnUnlock(t *testing.T) {
	for _, ends := range [][2]string{{"wrapped", "b"}, {"b", "wrapped"}, {"b", "native"}} {
		s := newVenueRig(t)
		before := s.ledger(s.router, s.exec, victim)
		named := map[string]common.Address{"wrapped": s.wrapped, "b": s.b, "native": native}
		in, out, made := named[ends[0]], named[ends[1]], named[ends[1]]
		if made == native {
			made = s.wrapped
		}
		hops := []plan.Step{s.through("V4", in, s.a), s.through("V4", s.a, made)}
		apart, want := s.trade(in, out, e18(3), hops...)
		_, steps := legs(plan.Plan{TokenIn: in, TokenOut: made, Steps: hops})
		together := apart
		together.route = route(nil, step{kind: 5, in: 0, out: 1, body: slices.Concat([]byte{2}, steps[0].body[1:], s.a[:], steps[1].body[1:])})

		s.pays(together, want)
		less, more := s.swap(together).gas, s.swap(apart).gas
		if t.Logf("two hops burn %d together, %d apart", less, more); less+40_000 > more {
			t.Errorf("two hops burn %d together, %d apart", less, more)
		}
		together.route = route(nil, step{kind: 5, in: 0, out: 1, body: []byte{0}})
		s.refuses(together, "Truncated")
		s.same(before, s.ledger(s.router, s.exec, victim))
	}
}

// Whatever kind the step before is, it can pay straight into a pair.
func TestEveryKindPaysAPair(t *testing.T) {
	s := newVenueRig(t)
	before := s.ledger(s.router, s.exec, victim)
	p := s.pair(s.launched, s.a, e18(10_000), e18(10_000), 30)
	for _, c := range []struct {
		source       string
		in, mid, out common.Address
	}{
		{"V3", s.b, s.a, s.c}, {"V4", s.wrapped, s.a, s.c}, {"V4", s.b, s.a, s.c}, {"Balancer", s.b, s.c, s.a},
		{"Kuru", s.wrapped, s.a, s.c}, {"Kuru", s.b, s.c, s.a}, {"Hanji", s.b, s.c, s.a}, {"Hanji", s.wrapped, s.a, s.c},
	} {
		o, want := s.trade(c.in, c.out, e18(3), s.through(c.source, c.in, c.mid), s.through("V2", c.mid, c.out))
		o.route = prepaidLast(o.route)
		s.pays(o, want)
	}
	first, bought := s.trade(s.wrapped, s.launched, e18(3), s.through("NadFun", s.wrapped, s.launched))
	first.tokenOut = s.a
	first.route = route([]common.Address{s.launched}, step{kind: 9, in: 0, out: 2, body: place("NadFun router").Bytes()}, through(p, 2, 1).prepaid())
	s.pays(first, s.quote(p, s.launched, s.a, bought))
	s.same(before, s.ledger(s.router, s.exec, victim))
}

// prepaidLast marks the last step, which is of a pair.
func prepaidLast(route []byte) []byte {
	const head, body = 7, 22
	route[len(route)-head-body] |= 0x80
	return route
}

// A venue that cannot use an amount up leaves it where it was.
func TestPartialFill(t *testing.T) {
	s := newVenueRig(t)
	for _, c := range []struct {
		source  string
		in, out common.Address
		amount  *big.Int
		fault   string
	}{
		{"V3 renamed", s.b, s.a, e18(5_000_000), "PartialFill"},
		{"V3 Pancake", s.a, s.b, e18(5_000_000), "PartialFill"},
		{"V4", s.a, s.b, e18(5_000_000), "PartialFill"},
		{"V4", s.wrapped, s.a, e18(500_000), "PartialFill"},
		{"Balancer", s.b, s.c, e18(5_000_000), hexOf("MaxInRatio()")},
		{"Hanji", s.b, s.c, e18(5_000_000), "PartialFill"},
		{"Hanji", s.c, s.b, e18(5_000_000), "PartialFill"},
		{"NadFun", s.wrapped, s.launched, e18(500_000), hexOf("TargetAmountOverflow()")},
	} {
		st := s.through(c.source, c.in, c.out)
		call := st.Pool.Call(st.In, st.Out)
		o := s.order(c.in, c.out, c.amount, route(nil, step{kind: call.Kind, in: 0, out: 1, body: call.Body}))
		if c.in == s.wrapped {
			o.value = c.amount
		}
		s.refuses(o, c.fault)
	}
}

// Native goes by the name of its wrapped form in every kind: else a step could
// take wrapped native that lay here for native that it brings, or leave some.
func TestNativeByItsOwnName(t *testing.T) {
	s := newVenueRig(t)
	s.donate(s.wrapped)
	v4 := s.through("V4", s.a, s.wrapped)
	buy := step{kind: 5, in: 0, out: 2, body: v4.Pool.Call(v4.In, v4.Out).Body}
	s.refuses(s.order(s.a, s.b, e18(3), route([]common.Address{native}, buy)), "NotNative")
	sell := s.through("NadFun", s.launched, s.wrapped)
	s.refuses(s.order(s.launched, s.a, e18(3), route(nil, step{kind: 9, in: 0, out: 1, body: sell.Pool.Call(1, 0).Body})), "NotNative")
}

func hexOf(signature string) string {
	b := sighash(signature)
	return faultName(b[:])
}
