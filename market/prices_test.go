package market_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/markettest"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venue/univ3"
)

// ranged is a V3 pool at a tick with positions, and a fee in millionths.
func ranged(t *testing.T, n byte, a, b market.Token, fee uint64, tick int32, list ...ticks.Position) venue.Pool {
	t.Helper()
	book := ticks.NewBook(10)
	for _, r := range list {
		next, err := book.With(r.Lower, r.Upper, r.Liquidity)
		if err != nil {
			t.Fatal(err)
		}
		book = next
	}
	at := ticks.Point{Price: ticks.GetSqrtRatioAtTick(tick), Tick: tick}
	return univ3.NewPool(&venue.Source{ID: "three", Family: univ3.Name, Type: venue.V3}, common.Address{0: 0xfe, 19: n},
		[2]common.Address{a.Address, b.Address}, fee, at, book)
}

// twoTokens has a dollar and native, both of 18 decimals, and pools between them.
func twoTokens(t *testing.T, pools ...venue.Pool) float64 {
	t.Helper()
	return next(t, market.New(chain), 1, []market.Token{dollar, native, meme}, pools...).USD(native.Address) * 1e18
}

var dollar = token(1, "USD", 18)

// TestMedian: the price is the weighted median; pools off it do not move it, whatever
// their virtual reserves are.
func TestMedian(t *testing.T) {
	wide := ticks.Position{Lower: -100, Upper: 100, Liquidity: u256.FromFloat(1e24)}
	if got := twoTokens(t,
		pool(1, dollar, native, 1e24, 1e24),
		pool(2, dollar, native, 1.002e24, 1e24),
		pool(3, dollar, native, 3e24, 2e24),
		ranged(t, 4, dollar, native, 500, 10, ticks.Position{Lower: 0, Upper: 10, Liquidity: u256.FromFloat(1e30)}),
		ranged(t, 5, dollar, native, 500, 0, wide),
	); math.Abs(got-1) > 0.003 {
		t.Errorf("native is %g, want 1", got)
	}
}

// TestDisagreement: where no band of 5 % has half of the weight there is no price, but
// one that is compared with.
func TestDisagreement(t *testing.T) {
	three := []venue.Pool{pool(1, dollar, native, 1e24, 1e24), pool(2, dollar, native, 1.1e24, 1e24), pool(3, dollar, native, 1.21e24, 1e24)}
	if got := twoTokens(t, three...); got != 0 {
		t.Errorf("three pools that contradict each other make a price of %g", got)
	}
	s := next(t, market.New(chain), 1, []market.Token{dollar, native}, three...)
	reference := s.Graph().ReferencePrices()
	if worth := reference[1] / reference[0]; worth < 1 || worth > 1.21 {
		t.Errorf("the reference price is %g", worth)
	}
	if got := twoTokens(t, append(three, pool(4, dollar, native, 3.3e24, 3e24))...); math.Abs(got-1.1) > 1e-9 {
		t.Errorf("with a deep pool at 1.1 native is %g", got)
	}
}

// TestWideSpreads: a pool with a fee of 5 % says nothing beside one with a small fee,
// however deep, and is still the price of a token that has no other.
func TestWideSpreads(t *testing.T) {
	dear := func(n byte, a, b market.Token, ra, rb float64) venue.Pool {
		row := &venue.Source{ID: "dear", Type: venue.V2, Family: univ2.Name, Params: univ2.Fee(500)}
		return univ2.NewPool(row, common.Address{0: 0xfd, 19: n}, [2]common.Address{a.Address, b.Address}, u256.FromFloat(ra), u256.FromFloat(rb))
	}
	if got := twoTokens(t, pool(1, dollar, native, 1e22, 1e22), dear(2, dollar, native, 1.04e26, 1e26)); math.Abs(got-1) > 1e-9 {
		t.Errorf("beside a dear pool native is %g", got)
	}
	if got := twoTokens(t, dear(2, dollar, native, 1.04e26, 1e26)); math.Abs(got-1.04) > 1e-9 {
		t.Errorf("by a dear pool alone native is %g", got)
	}
	if got := twoTokens(t, dear(2, dollar, native, 1.04e26, 1e26), dear(3, native, meme, 1e24, 1e24)); math.Abs(got-1.04) > 1e-9 {
		t.Errorf("by a dear pool native is %g", got)
	}
}

// TestOneSidedLaunch: a token whose pool so far only sells it has the price that it sells
// for, also where it has more than one pool, and moves no other price.
func TestOneSidedLaunch(t *testing.T) {
	launch := func(n byte) venue.Pool {
		return ranged(t, n, native, meme, 10_000, 0, ticks.Position{Lower: -20_000, Upper: 0, Liquidity: u256.FromFloat(1e24)})
	}
	honest := pool(1, dollar, native, 3e24, 1e26)
	for pools := 1; pools <= 2; pools++ {
		list := []venue.Pool{honest, launch(1)}
		if pools == 2 {
			list = append(list, launch(2))
		}
		s := next(t, market.New(chain), 1, []market.Token{dollar, native, meme}, list...)
		if got := s.USD(meme.Address) * 1e18; math.Abs(got-0.03) > 0.03*0.011 {
			t.Errorf("%d pools: what sells for one native of 0.03 is %g", pools, got)
		}
		if got := s.USD(native.Address) * 1e18; math.Abs(got-0.03) > 1e-12 {
			t.Errorf("%d pools: native is %g beside a launch", pools, got)
		}
	}
}

// TestGasIn: gas costs what native trades for. A pool that pays far too much for native,
// or far too little, does not make it dearer, and without a way there and back there is
// no cost.
func TestGasIn(t *testing.T) {
	chain := chain
	chain.MinBaseFee = u256.From(100_000_000_000)
	cost := func(pools ...venue.Pool) float64 {
		s := next(t, market.New(chain), 1, []market.Token{dollar, native, meme}, pools...)
		return s.GasIn(0) / s.GasPrice().Float()
	}
	honest := pool(1, dollar, native, 3e24, 1e26)
	if got := cost(honest); math.Abs(got/0.03-1) > 0.0031 {
		t.Errorf("native brings %g, want 0.03", got)
	}
	for _, bent := range []venue.Pool{pool(2, dollar, native, 1e22, 1e18), pool(2, dollar, native, 1e19, 1e15)} {
		if got := cost(honest, bent); got > 0.03*1.004 {
			t.Errorf("beside a bent pool gas costs %g of 0.03", got)
		}
	}
	if got := cost(ranged(t, 3, dollar, native, 500, 10, ticks.Position{Lower: 10, Upper: 20, Liquidity: u256.FromFloat(1e24)})); got != 0 {
		t.Errorf("gas costs %g where native can only be sold", got)
	}
	if s := next(t, market.New(chain), 1, []market.Token{dollar, native, meme}, honest); s.GasIn(1) != s.GasPrice().Float() || s.GasIn(2) != 0 {
		t.Errorf("gas costs %g native and %g of a token without pools", s.GasIn(1), s.GasIn(2))
	}
}

// TestGasInOrder: the order in which pools came makes no difference to what gas costs.
func TestGasInOrder(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 6))
		w := markettest.Random(t, r, 12, 60, 0.02)
		s := w.Snapshot()
		pools := slices.Clone(s.Pools())
		r.Shuffle(len(pools), func(i, k int) { pools[i], pools[k] = pools[k], pools[i] })
		shuffled, err := market.New(s.Chain()).Next(s.Block(), pools, s.Tokens())
		if err != nil {
			t.Fatal(err)
		}
		for token := range s.Tokens() {
			if a, b := s.GasIn(token), shuffled.GasIn(token); a != b || s.GasInLine(token) != shuffled.GasInLine(token) {
				t.Errorf("seed %d: gas costs %g of token %d, and %g with the pools in another order", seed, a, token, b)
			}
		}
	}
}
