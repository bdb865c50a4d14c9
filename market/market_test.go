package market_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/router/graph"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

var (
	usd    = token(1, "USD", 6)
	native = token(2, "WMON", 18)
	meme   = token(3, "MEME", 18)
	lonely = token(4, "LONE", 8)

	chain = market.Chain{
		WrappedNative: native.Address, Stables: []common.Address{usd.Address},
		MinBaseFee: u256.From(100), Tip: u256.From(2),
	}
	source = &venue.Source{ID: "Fork", Type: venue.V2, Family: univ2.Name, Params: univ2.Fee(30)}
)

func token(n byte, symbol string, decimals uint8) market.Token {
	return market.Token{Address: common.Address{19: n}, Symbol: symbol, Name: symbol, Decimals: decimals}
}

func pool(n byte, a, b market.Token, ra, rb float64) venue.Pool {
	return univ2.NewPool(source, common.Address{0: 0xff, 19: n}, [2]common.Address{a.Address, b.Address}, u256.FromFloat(ra), u256.FromFloat(rb))
}

func block(n uint64) market.Block {
	return market.Block{Number: n, Hash: common.Hash{31: byte(n)}, Parent: common.Hash{31: byte(n - 1)}, BaseFee: u256.From(n)}
}

func next(t *testing.T, s *market.Snapshot, n uint64, tokens []market.Token, pools ...venue.Pool) *market.Snapshot {
	t.Helper()
	s, err := s.Next(block(n), pools, tokens)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSnapshotsNeverChange: what an older snapshot answers is the same after
// any number of newer ones, on any branch.
func TestSnapshotsNeverChange(t *testing.T) {
	all := []market.Token{usd, native, meme, lonely}
	one := next(t, market.New(chain), 1, all, pool(1, usd, native, 1e12, 1e24))
	before := describe(one)

	two := next(t, one, 2, nil, pool(1, usd, native, 2e12, 1e24), pool(2, native, meme, 1e24, 1e24))
	side := next(t, one, 2, nil, pool(3, usd, meme, 5e12, 1e24))
	if got := describe(one); got != before {
		t.Errorf("block 1 was\n%s\nand is\n%s", before, got)
	}
	if len(two.Pools()) != 2 || len(side.Pools()) != 2 {
		t.Fatalf("branches hold %d and %d pools", len(two.Pools()), len(side.Pools()))
	}
	if _, ok := two.Pool(pool(3, usd, meme, 0, 0).Info().ID); ok {
		t.Error("a pool of one branch shows on the other")
	}
	third := next(t, two, 3, nil)
	if &third.Pools()[0] != &two.Pools()[0] {
		t.Error("a block without changes copies the pools")
	}
}

// TestBranchesKeepApart: tokens and pools that came on one branch, before or
// after those of others, have the same numbers and none of the others' for good.
func TestBranchesKeepApart(t *testing.T) {
	type branch struct {
		*market.Snapshot
		tokens []common.Address
		pools  []venue.ID
	}
	r := rand.New(rand.NewPCG(1, 1))
	all := []branch{{market.New(chain), nil, nil}}
	for i := range 400 {
		from := all[max(0, len(all)-1-r.IntN(4))]
		from.tokens, from.pools = slices.Clone(from.tokens), slices.Clone(from.pools)
		var tokens []market.Token
		var pools []venue.Pool
		for k := range r.IntN(60) {
			token := market.Token{Address: number(byte(k), i)}
			from.tokens, tokens = append(from.tokens, token.Address), append(tokens, token)
			pair := [2]common.Address{from.tokens[0], token.Address}
			if r.IntN(2) == 0 {
				pools = append(pools, univ2.NewPool(source, number(byte(k), r.IntN(1e6)), pair, u256.One, u256.One))
			}
		}
		from.Snapshot = next(t, from.Snapshot, 1, tokens, pools...)
		for _, p := range pools {
			if id := p.Info().ID; !slices.Contains(from.pools, id) {
				from.pools = append(from.pools, id)
			}
		}
		all = append(all, from)
	}
	for i, b := range all {
		if len(b.Tokens()) != len(b.tokens) || len(b.Pools()) != len(b.pools) {
			t.Fatalf("snapshot %d has %d tokens and %d pools of %d and %d", i, len(b.Tokens()), len(b.Pools()), len(b.tokens), len(b.pools))
		}
		for n, a := range b.tokens {
			if no, ok := b.Token(a); !ok || no != n || b.Tokens()[n].Address != a {
				t.Fatalf("snapshot %d: token %d is %d, and at its place stands %s", i, n, no, b.Tokens()[n].Address)
			}
		}
		for n, id := range b.pools {
			if no, ok := b.PoolNo(id); !ok || no != n || b.Pools()[n].Info().ID != id {
				t.Fatalf("snapshot %d: pool %d is %d, and at its place stands %s", i, n, no, b.Pools()[n].Info().ID)
			}
		}
		for _, a := range all[max(0, i-2)].tokens {
			if no, known := b.Token(a); known && b.tokens[no] != a {
				t.Fatalf("snapshot %d knows a token of another branch", i)
			}
		}
	}
}

func describe(s *market.Snapshot) string {
	text := fmt.Sprint(s.Block(), s.Tokens(), s.GasPrice())
	for i := range s.Tokens() {
		text += fmt.Sprint(slices.Collect(s.Edges(i)), s.Price(i))
	}
	for _, p := range s.Pools() {
		text += fmt.Sprint(p.Info().ID, p.Depth(0), p.Depth(1))
	}
	return text
}

// TestNext: the last of several changes wins, edges lead both ways, and a pool
// of unknown tokens is refused.
func TestNext(t *testing.T) {
	s := next(t, market.New(chain), 1, []market.Token{usd, native},
		pool(1, usd, native, 1, 1), pool(1, usd, native, 7e12, 1e24))
	p, ok := s.Pool(pool(1, usd, native, 0, 0).Info().ID)
	if !ok || p.Depth(0) != 7e12 || len(s.Pools()) != 1 {
		t.Fatalf("%d pools, the first with %v", len(s.Pools()), p.Depth(0))
	}
	for i, want := range []market.Edge{{Pool: 0, To: 1, In: 0, Out: 1}, {Pool: 0, To: 0, In: 1, Out: 0}} {
		if got := slices.Collect(s.Edges(i)); len(got) != 1 || got[0] != want {
			t.Errorf("token %d leads %v, want %v", i, got, want)
		}
	}
	if _, err := s.Next(block(2), []venue.Pool{pool(2, usd, meme, 1, 1)}, nil); err == nil {
		t.Error("a pool of an unknown token was taken in")
	}
	if again := next(t, s, 2, []market.Token{usd}); len(again.Tokens()) != 2 {
		t.Error("a token was taken in twice")
	}
}

// TestPrices: a price comes from the pools that can trade most; without a pool it is
// unknown.
func TestPrices(t *testing.T) {
	s := next(t, market.New(chain), 1, []market.Token{usd, native, meme, lonely},
		pool(1, usd, native, 3e6*1e6, 1e8*1e18), // 0.03 dollars, three millions deep
		pool(2, usd, native, 10*1e6, 1e18),      // a bent price behind ten dollars
		pool(3, native, meme, 1e6*1e18, 1e6*1e18),
	)
	close := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > want*1e-9 {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
	close("USD", s.USD(usd.Address), 1e-6)
	close("WMON", s.USD(native.Address), 0.03e-18)
	close("MEME", s.USD(meme.Address), 0.03e-18)
	if got := s.USD(lonely.Address); got != 0 {
		t.Errorf("a token without a market is worth %g", got)
	}
	no, _ := s.Token(meme.Address)
	close("liquidity of MEME", s.Price(no).Liquidity, 30_000)
}

// TestStables: the price of each is a dollar, whatever the price of its only pool.
func TestStables(t *testing.T) {
	two := market.Chain{Stables: []common.Address{usd.Address, lonely.Address}}
	s := next(t, market.New(two), 1, []market.Token{usd, lonely}, pool(1, usd, lonely, 3e12, 1e14))
	if s.USD(usd.Address) != 1e-6 || s.USD(lonely.Address) != 1e-8 {
		t.Errorf("stablecoins are worth %g and %g a unit", s.USD(usd.Address), s.USD(lonely.Address))
	}
}

// TestAbsurdPrices: pools of tokens that somebody made, each a fortune in units
// of the one before, end in no price, and in nothing that is not a number.
func TestAbsurdPrices(t *testing.T) {
	for _, up := range []bool{true, false} {
		tokens := []market.Token{usd, native}
		pools := []venue.Pool{pool(1, usd, native, 3e12, 1e26)}
		for i := byte(2); i < 22; i++ {
			tokens = append(tokens, token(i+1, "FAKE", 18))
			a, b := 5e33, 1e3
			if !up {
				a, b = b, a
			}
			pools = append(pools, pool(i, tokens[i-1], tokens[i], a, b), pool(i+100, tokens[i%2], tokens[i], 1e7, 1e3))
		}
		s := next(t, market.New(chain), 1, tokens, pools...)
		for i, ref := range graph.Of(s).Ref {
			if !(ref >= 1e-80 && ref <= 1e15) || s.Price(i).USD > 1e15 {
				t.Errorf("token %d is compared at %g and priced at %g", i, ref, s.Price(i).USD)
			}
			for _, l := range graph.Of(s).All(i) {
				if !(l.Onward >= 0 && l.Onward <= math.MaxFloat64) {
					t.Errorf("token %d: a link has a ratio of %g", i, l.Onward)
				}
			}
		}
		if got := s.USD(native.Address); math.Abs(got-3e-20) > 1e-28 {
			t.Errorf("up %v: WMON is %g", up, got)
		}
	}
}

// TestGasPrice: the base fee, but never less than the chain's least, and a tip.
func TestGasPrice(t *testing.T) {
	for n, want := range map[uint64]uint64{1: 102, 100: 102, 101: 103, 5000: 5002} {
		if got := next(t, market.New(chain), n, nil).GasPrice(); got != u256.From(want) {
			t.Errorf("at a base fee of %d: %v, want %d", n, got, want)
		}
	}
}
