package contracts

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/tracing"

	"braid/calldata"
	"braid/families"
	"braid/plan"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ4"
)

// Plans and what the contracts make of them: the same, over all of their range.

// Hops that share an unlock may pass native between them, and pass through
// wrapped native where the manager holds that; one for the other is refused.
func TestV4NativeBetweenHops(t *testing.T) {
	s := newVenueRig(t)
	s.donate(s.a, s.b, s.c, s.wrapped)
	w, n, m, e, f := s.wrapped, s.besideNative(true), s.besideNative(true), s.besideNative(false), s.besideNative(false)
	kept := s.ledger(s.router, s.exec, victim)
	for _, c := range []struct {
		way   []common.Address
		terms calldata.Terms
	}{
		{way: []common.Address{n, w, m}}, {way: []common.Address{e, w, f}}, {way: []common.Address{n, w, e}}, {way: []common.Address{e, w, n}},
		{way: []common.Address{s.b, s.a, w, n}}, {way: []common.Address{w, n}}, {way: []common.Address{w, e}}, {way: []common.Address{n, w}},
		{[]common.Address{w, n}, calldata.Terms{NativeIn: true}}, {[]common.Address{w, e}, calldata.Terms{NativeIn: true}},
		{[]common.Address{n, w}, calldata.Terms{NativeOut: true}}, {[]common.Address{e, w}, calldata.Terms{NativeOut: true}},
	} {
		var steps []plan.Step
		for i := range c.way[1:] {
			steps = append(steps, s.through("V4", c.way[i], c.way[i+1]))
		}
		p, err := plan.Run(c.way[0], c.way[len(c.way)-1], u256.FromBig(e18(3)), steps)
		if err != nil {
			t.Fatal(err)
		}
		s.sends(&p, c.terms)
	}
	for _, ends := range [][2]common.Address{{n, e}, {e, n}} {
		x, y := s.through("V4", ends[0], w), s.through("V4", w, ends[1])
		body := slices.Concat([]byte{2}, x.Pool.Call(x.In, x.Out).Body[1:], w[:], y.Pool.Call(y.In, y.Out).Body[1:])
		s.refuses(s.order(ends[0], ends[1], e18(3), route(nil, step{kind: 5, in: 0, out: 1, body: body})), hexOf("CurrencyNotSettled()"))
	}
	s.same(kept, s.ledger(s.router, s.exec, victim))
}

// Plans of any shape, from a wei up and with the smallest and largest shares,
// pay what they say, to the wei and within their gas limit.
func TestRandomPlans(t *testing.T) {
	s := newVenueRig(t)
	tokens := []common.Address{s.a, s.b, s.c, s.wrapped, s.launched}
	s.donate(tokens...)
	kept := s.ledger(s.router, s.exec, victim)
	rng := rand.New(rand.NewPCG(143, 31))
	done := 0
	for range 6_000 {
		amount := plus(new(big.Int).Rsh(e18(1_000), uint(rng.IntN(70))), big.NewInt(1+rng.Int64N(1_000)))
		steps, in, out := s.randomSteps(rng, tokens)
		p, err := plan.Run(in, out, u256.FromBig(amount), steps)
		if steps == nil || err != nil {
			continue
		}
		terms := calldata.Terms{NativeIn: in == s.wrapped && rng.IntN(2) == 0, NativeOut: out == s.wrapped && rng.IntN(2) == 0}
		if rng.IntN(2) == 0 {
			// Half of them go to an account that holds none of the token.
			terms.Fee = &calldata.Fee{Recipient: common.Address{1: byte(rng.IntN(2) * done), 2: byte(done >> 8), 19: 7}, Bps: 1 + rng.Uint64N(calldata.MaxFeeBps), Side: calldata.FeeSide(rng.IntN(2))}
		}
		s.sends(&p, terms)
		done++
	}
	if done < 500 {
		t.Errorf("only %d plans could be made", done)
	}
	s.same(kept, s.ledger(s.router, s.exec, victim))
}

// randomSteps flows from one token through an order of tokens to another.
func (s *venueRig) randomSteps(rng *rand.Rand, tokens []common.Address) (steps []plan.Step, in, out common.Address) {
	order := make([]common.Address, 0, 5)
	for _, i := range rng.Perm(len(tokens))[:2+rng.IntN(4)] {
		order = append(order, tokens[i])
	}
	in, out = order[0], order[len(order)-1]
	have := map[common.Address]bool{in: true}
	for i, x := range order[:len(order)-1] {
		if !have[x] {
			continue
		}
		var some []plan.Step
		for _, m := range s.markets() {
			for _, y := range order[i+1:] {
				if (m.x == x && m.y == y || m.y == x && m.x == y) && rng.IntN(2) == 0 {
					some = append(some, s.through(m.source, x, y))
					have[y] = true
				}
			}
		}
		if len(some) == 0 {
			return nil, in, out
		}
		for j := range some[:len(some)-1] {
			some[j].Share = []plan.Share{1, 1<<32 - 1, 1 << 31, plan.Share(rng.Uint32() | 1), plan.Share(rng.Uint32() | 1)}[rng.IntN(5)]
		}
		steps = append(steps, some...)
	}
	return steps, in, out
}

// openV4 opens a V4 pool of two tokens.
func (s *venueRig) openV4(x, y common.Address) {
	s.t.Helper()
	source := venue.Source{ID: "V4", Family: univ4.Name, Factory: managerAt}
	half := u256.FromBig(e18(50_000))
	for _, f := range s.families {
		if _, ok := f.(*univ4.Family); !ok {
			continue
		}
		if err := f.Open(s, []venue.Listing{{Source: &source, Tokens: []common.Address{x, y}, Amounts: []u256.Int{half, half}}}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// besideNative is a token with a V4 pool of native, or of wrapped native.
func (s *venueRig) besideNative(isNative bool) common.Address {
	s.t.Helper()
	for i := range 20 {
		token := s.token(fmt.Sprint("T", i))
		s.others = append(s.others, token)
		s.must(user, token, nil, pack(Token, "transfer", deployer, e18(1_000_000)))
		s.openV4(s.wrapped, token)
		st := s.through("V4", s.wrapped, token)
		if st.Pool.Call(st.In, st.Out).Body[1] == 1 == isNative {
			return token
		}
	}
	s.t.Fatal("no such pool")
	return native
}

// sends encodes a plan as the API does and holds the chain to it.
func (s *venueRig) sends(p *plan.Plan, t calldata.Terms) {
	s.t.Helper()
	t.Recipient, t.MinOut, t.Deadline = recipient, p.AmountOut, now
	feeToken, feeAmount, feeTo := p.TokenIn, u256.Zero, stranger
	if f := t.Fee; f != nil && f.Side == calldata.FeeIn {
		t.AmountIn, _ = f.Before(p.AmountIn)
		feeAmount, feeTo = f.Of(t.AmountIn), f.Recipient
	} else if f != nil {
		feeToken, feeAmount, feeTo = p.TokenOut, f.Of(p.AmountOut), f.Recipient
		t.MinOut = f.Rest(p.AmountOut)
		if t.MinOut.IsZero() {
			return
		}
	}
	at := calldata.Contracts{Router: s.router, Executor: s.exec, WrappedNative: s.wrapped, Kinds: families.Steps()}
	tx, err := at.Encode(p, t)
	if err != nil {
		s.t.Fatal(err)
	}
	s.tells(at, p, t, tx)
	out := p.TokenOut
	if t.NativeOut {
		out = native
	}
	had, hadFee := s.held(out, recipient), s.held(feeToken, feeTo)
	res := s.send(user, &tx.To, tx.Value.Big(), tx.Data)
	if got := had.Sub(s.held(out, recipient), had); res.fault != "" || got.Cmp(t.MinOut.Big()) != 0 || res.gas > tx.Gas {
		s.t.Fatalf("paid %s, the plan says %s; burnt %d of %d; fee %s; %s", got, t.MinOut, res.gas, tx.Gas, t.Fee, res.fault)
	}
	if got := hadFee.Sub(s.held(feeToken, feeTo), hadFee); got.Cmp(feeAmount.Big()) != 0 {
		s.t.Fatalf("a fee of %s paid %s, not %s", t.Fee, got, feeAmount)
	}
	s.follow()
}

// tells holds the words that calldata is read as to the plan. No byte of it can
// change unnoticed.
func (s *venueRig) tells(at calldata.Contracts, p *plan.Plan, t calldata.Terms, tx calldata.Tx) {
	s.t.Helper()
	claim := calldata.Claim{Terms: t, TokenIn: p.TokenIn, TokenOut: p.TokenOut, AmountIn: p.AmountIn.String(), Now: now}
	if t.Fee != nil && t.Fee.Side == calldata.FeeIn {
		claim.AmountIn = t.AmountIn.String()
	}
	for i := range p.Steps {
		leg := &p.Steps[i]
		claim.Legs = append(claim.Legs, calldata.Leg{Pool: string(leg.Pool.Info().ID), In: leg.AmountIn, Out: leg.AmountOut})
	}
	swap, err := at.Verify(tx, claim)
	if err != nil {
		s.t.Fatal(err)
	}
	words := strings.Join(swap.Words(nil), "\n")
	for i := range tx.Data {
		if i%7 != len(tx.Data)%7 { // all of them, over many plans
			continue
		}
		tx.Data[i] ^= byte(1 + i%255)
		if again, err := calldata.Decode(tx.Data, at.Kinds); err == nil && strings.Join(again.Words(nil), "\n") == words {
			s.t.Fatalf("byte %d of %x can change unnoticed:\n%s", i, tx.Data, words)
		}
		tx.Data[i] ^= byte(1 + i%255)
	}
}

// The Executor parts amounts as plan does, over all of their range, and stops
// where plan says it cannot.
func TestSharesAsThePlanHasThem(t *testing.T) {
	r := newRig(t)
	rng := rand.New(rand.NewPCG(143, 12))
	token := r.hostile() // of which there is any amount
	r.program(token, selector(Token, "transferFrom"), nil)
	code := r.artifact("UniswapV2Pair-30")
	fake := pair{r.hostile(), 9_999}
	if token.Cmp(r.b) < 0 { // one unit of reserve out: it makes one unit of any amount
		r.program(fake.at, selector(code, "getReserves"), words(new(big.Int), big.NewInt(1), new(big.Int)))
	} else {
		r.program(fake.at, selector(code, "getReserves"), words(big.NewInt(1), new(big.Int), new(big.Int)))
	}
	r.must(user, r.b, nil, pack(Token, "transfer", fake.at, e18(1)))
	r.program(fake.at, swapSelector, nil, give(r.b, recipient, big.NewInt(1)))

	var pulled []u256.Int
	r.Tracer = &tracing.Hooks{OnEnter: func(_ int, _ byte, _, to common.Address, input []byte, _ uint64, _ *big.Int) {
		if to == token && len(input) == 100 {
			pulled = append(pulled, u256.FromBig(new(big.Int).SetBytes(input[68:])))
		}
	}}
	ends := map[string]int{}
	for range 3_000 {
		amount := new(big.Int).Rsh(new(big.Int).SetBytes(randomBytes(rng, 32)), uint(rng.IntN(256)))
		if rng.IntN(8) == 0 {
			amount = new(big.Int).Rsh(maxWei, uint(rng.IntN(40)))
		}
		held := u256.FromBig(amount)
		if held.IsZero() {
			continue
		}
		var steps []step
		var want []u256.Int
		fault := ""
		for n := rng.IntN(5); n >= 0; n-- {
			share := []plan.Share{1, 1<<32 - 1, 1 << 31, plan.Share(rng.Uint32())}[rng.IntN(4)]
			if n == 0 {
				share = plan.All
			}
			steps = append(steps, through(fake, 0, 1).part(uint32(share)))
			if fault != "" {
				continue
			}
			part, ok := share.Of(held)
			switch {
			case !ok:
				fault = "arithmetic underflow or overflow"
			case part.IsZero():
				fault = "ZeroAmount"
			default:
				want, held = append(want, part), held.Sub(part)
			}
		}
		pulled = pulled[:0]
		res := r.swap(r.order(token, r.b, amount, route(nil, steps...)))
		ends[res.fault]++
		if res.fault != fault || !slices.Equal(pulled, want) {
			t.Fatalf("%s by %v: %q after %v, want %q after %v", amount, steps, res.fault, pulled, fault, want)
		}
	}
	if len(ends) != 3 || ends[""] < 1_000 {
		t.Errorf("%v: the amounts test too little", ends)
	}
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.UintN(256))
	}
	return b
}
