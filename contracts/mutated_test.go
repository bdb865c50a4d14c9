package contracts

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
)

// Routes through venues of every kind, as encoded and mutated: whatever they hold,
// only the caller's input is ever spent, and nothing is kept.
func TestMutatedRoutesOfEveryKind(t *testing.T) {
	s := newVenueRig(t)
	tokens := []common.Address{s.a, s.b, s.c, s.wrapped, s.launched}
	s.donate(tokens...)
	rng := rand.New(rand.NewPCG(143, 11))
	kept := s.ledger(victim, s.router, s.exec)
	passed := map[bool]int{}
	for i := range 4_000 {
		in := tokens[rng.IntN(len(tokens))]
		out, table, steps := s.randomWay(rng, in)
		if out == in {
			continue
		}
		spoilt := i%4 != 0
		if spoilt {
			table = s.mutate(rng, tokens, table, steps)
		}
		if out == s.wrapped && rng.IntN(2) == 0 {
			out = native
		}
		o := s.order(in, out, plus(e18(1), big.NewInt(rng.Int64N(1e18))), route(table, steps...))
		if in == s.wrapped && rng.IntN(2) == 0 {
			o.value = o.amountIn
		}
		if spoilt && rng.IntN(4) == 0 {
			o.route[rng.IntN(len(o.route))] = byte(rng.UintN(256))
		}
		if s.takesOnlyTheInput(o, tokens) {
			passed[spoilt]++
		}
	}
	if passed[false] < 300 || passed[true] < 100 {
		t.Errorf("%v went through: the routes test nothing", passed)
	}
	s.same(kept, s.ledger(victim, s.router, s.exec))
}

// takesOnlyTheInput asserts that of the order, and says whether it went through.
func (s *venueRig) takesOnlyTheInput(o order, tokens []common.Address) bool {
	s.t.Helper()
	had, input := map[common.Address]*big.Int{native: s.held(native, user)}, o.tokenIn
	for _, token := range tokens {
		had[token] = s.held(token, user)
	}
	if o.value != nil {
		input = native
	}
	if s.swap(o).fault != "" {
		return false
	}
	for token, n := range had {
		if loss := n.Sub(n, s.held(token, user)); loss.Sign() > 0 && (token != input || loss.Cmp(o.amountIn) > 0) {
			s.t.Fatalf("route %x of %s took %s of %s", o.route, o.tokenIn, loss, token)
		}
	}
	return true
}

// randomWay walks up to three markets on from a token; pairs on the way are
// prepaid now and then.
func (s *venueRig) randomWay(rng *rand.Rand, in common.Address) (out common.Address, table []common.Address, steps []step) {
	out = in
	markets := s.markets()
	for range 1 + rng.IntN(3) {
		m := markets[rng.IntN(len(markets))]
		if m.y == out {
			m.x, m.y = m.y, m.x
		}
		if m.x != out {
			continue
		}
		st := s.through(m.source, m.x, m.y)
		c := st.Pool.Call(st.In, st.Out)
		next := step{kind: c.Kind, out: 1, body: c.Body}
		if n := len(steps); n > 0 { // what was the end is now on the way
			table = append(table, out)
			next.in = byte(len(table) + 1)
			steps[n-1].out = next.in
			if c.Kind == 1 {
				next.kind |= byte(rng.IntN(2) << 7)
			}
		}
		out, steps = m.y, append(steps, next)
	}
	return out, table, steps
}

// mutate changes a route where it may still make sense.
func (s *venueRig) mutate(rng *rand.Rand, tokens, table []common.Address, steps []step) []common.Address {
	st := &steps[rng.IntN(len(steps))]
	switch rng.IntN(8) {
	case 0: // a venue, the flags of an order book, the fee of a pair, the hops of a manager
		st.body[rng.IntN(len(st.body))] ^= 1 << rng.IntN(8)
	case 1:
		st.share = rng.Uint32()
	case 2:
		st.kind = byte(1 + rng.IntN(9))
	case 3:
		st.in = byte(rng.IntN(len(table) + 2))
	case 4:
		st.out = byte(rng.IntN(len(table) + 2))
	case 5: // native by its own name, or another token
		if len(table) > 0 {
			table[rng.IntN(len(table))] = append([]common.Address{native}, tokens...)[rng.IntN(len(tokens)+1)]
		}
	case 6: // a token by two numbers
		table = append(table, tokens[rng.IntN(len(tokens))])
		st.out = byte(len(table) + 1)
	case 7:
		st.kind ^= 0x80
	}
	return table
}
