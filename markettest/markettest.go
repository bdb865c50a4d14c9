// Package markettest makes small markets for the tests of router and what is below it.
package markettest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/market"
	"braid/plan"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/hanji"
	"braid/venue/nadfun"
	"braid/venue/univ2"
	"braid/venue/univ3"
	"braid/venue/univ4"
)

// World is a market in the making. Tokens have names; the first is wrapped
// native, and USD is the stablecoin. Amounts are in raw units.
type World struct {
	Names   map[string]int
	Tokens  []market.Token
	Pools   []venue.Pool
	IDs     map[venue.ID]string
	GasWei  uint64   // price of a unit of gas
	Stables []string // names of stablecoins

	t testing.TB
}

const gwei = 1_000_000_000

// New has two tokens, NATIVE and USD, and no pools.
func New(t testing.TB) *World {
	w := &World{t: t, Names: map[string]int{}, IDs: map[venue.ID]string{}, GasWei: 102 * gwei, Stables: []string{"USD"}}
	w.Token("NATIVE")
	w.Token("USD")
	return w
}

// Address is the one with a number of a kind.
func Address(kind byte, n int) common.Address {
	return common.Address{0: kind, 18: byte(n >> 8), 19: byte(n)}
}

// Token is the address of the token with a name, new if there is none.
func (w *World) Token(name string) common.Address {
	i, ok := w.Names[name]
	if !ok {
		i = len(w.Tokens)
		w.Names[name] = i
		w.Tokens = append(w.Tokens, market.Token{Address: Address(0xaa, i), Symbol: name, Decimals: 18})
	}
	return w.Tokens[i].Address
}

// Verify puts a token on the list.
func (w *World) Verify(name string) {
	w.Token(name)
	w.Tokens[w.Names[name]].Verified = true
}

// Pool adds a pool of a source with these reserves and a fee of 0.3%.
func (w *World) Pool(source, a string, ra float64, b string, rb float64) {
	w.PoolFee(source, 30, a, ra, b, rb)
}

// PoolFee is Pool with a fee in basis points.
func (w *World) PoolFee(source string, feeBps uint64, a string, ra float64, b string, rb float64) {
	row := &venue.Source{ID: source, Type: venue.V2, Family: univ2.Name, Params: univ2.Fee(feeBps)}
	p := univ2.NewPool(row, Address(0x11, len(w.Pools)),
		[2]common.Address{w.Token(a), w.Token(b)}, u256.FromFloat(ra), u256.FromFloat(rb))
	w.IDs[p.Info().ID] = fmt.Sprintf("%s:%s-%s", source, a, b)
	w.Pools = append(w.Pools, p)
}

// Ranges adds a pool of concentrated liquidity at a price of 1 and a fee of
// 0.05%, with the given liquidity in each range of ticks.
func (w *World) Ranges(source, a, b string, list ...ticks.Position) {
	w.RangesAt(source, a, b, ticks.Point{Price: ticks.GetSqrtRatioAtTick(0)}, list...)
}

// RangesAt is Ranges at any price.
func (w *World) RangesAt(source, a, b string, at ticks.Point, list ...ticks.Position) {
	w.t.Helper()
	book := ticks.NewBook(10)
	for _, r := range list {
		next, err := book.With(r.Lower, r.Upper, r.Liquidity)
		if err != nil {
			w.t.Fatal(err)
		}
		book = next
	}
	row := &venue.Source{ID: source, Type: venue.V3, Family: univ3.Name}
	p := univ3.NewPool(row, Address(0x11, len(w.Pools)), [2]common.Address{w.Token(a), w.Token(b)}, 500, at, book)
	w.IDs[p.Info().ID] = fmt.Sprintf("%s:%s-%s", source, a, b)
	w.Pools = append(w.Pools, p)
}

// V4 adds a pool of Uniswap V4 with a fee of 0.05 %, by its logs.
func (w *World) V4(a, b string, at ticks.Point, list ...ticks.Position) {
	manager, id := Address(0x44, 4), common.Hash{0: 0x44, 30: byte(len(w.Pools) >> 8), 31: byte(len(w.Pools))}
	f := univ4.New([]venue.Source{{ID: "V4", Type: venue.V4, Family: univ4.Name, Factory: manager}}, w.Token("NATIVE"))
	topic := func(a common.Address) common.Hash { return common.BytesToHash(a[:]) }
	signed := func(n int32) u256.Int {
		if n < 0 {
			return u256.Zero.Sub(u256.From(uint64(-n)))
		}
		return u256.From(uint64(n))
	}
	var p venue.Pool
	apply := func(signature string, topics []common.Hash, words ...u256.Int) {
		log := &types.Log{Address: manager, Topics: append([]common.Hash{venue.Topic(signature), id}, topics...)}
		for _, word := range words {
			bytes := word.Bytes()
			log.Data = append(log.Data, bytes[:]...)
		}
		e, err := f.Decode(log)
		if err == nil {
			p, err = f.Apply(p, e)
		}
		if err != nil {
			w.t.Fatal(err)
		}
	}
	apply("Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)",
		[]common.Hash{topic(w.Token(a)), topic(w.Token(b))}, u256.From(500), u256.From(10), u256.Zero, at.Price, signed(at.Tick))
	for _, r := range list {
		apply("ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)", []common.Hash{{}},
			signed(r.Lower), signed(r.Upper), r.Liquidity, u256.Zero)
	}
	w.IDs[p.Info().ID] = fmt.Sprintf("V4:%s-%s", a, b)
	w.Pools = append(w.Pools, p)
}

// Level is a price in thousandths and what an order book takes at it.
type Level [2]float64

// Book adds an order book that pays b for a, in lots of a thousandth of a and
// a millionth of b, without a fee.
func (w *World) Book(source, a, b string, levels ...Level) {
	row := venue.Source{ID: source, Type: venue.CLOB, Family: hanji.Name, Factory: Address(0x22, len(w.Pools))}
	at := Address(0x11, len(w.Pools))
	unit, no := [2]u256.Int{u256.FromFloat(1e15), u256.FromFloat(1e12)}, false
	w.Restore(hanji.New([]venue.Source{row}, w.Token("NATIVE")), &row, a, b, func(t *venue.Codec) {
		var rate, shares, value u256.Int
		stops := 0
		t.Fixed(at[:])
		t.Int(&rate)
		for i := range unit {
			t.Int(&unit[i])
			t.Bool(&no)
		}
		venue.Number(t, &stops)
		venue.List(t, &levels, func(l *Level) {
			price, size := u256.FromFloat(l[0]), u256.FromFloat(l[1]/1e15)
			shares, value = shares.Add(size), value.Add(size.Mul(price))
			t.Int(&price)
			t.Int(&shares)
			t.Int(&value)
		})
		venue.List(t, new([]Level), nil)
	})
}

// Curve adds a bonding curve that asks one native for a token, is a hundred
// thousand deep, takes a fee of 1% and still sells so much.
func (w *World) Curve(source, token string, sells float64) {
	row := venue.Source{ID: source, Type: venue.BondingCurve, Family: nadfun.Name, Factory: Address(0x22, len(w.Pools))}
	at := w.Token(token)
	w.Restore(nadfun.New([]venue.Source{row}, w.Token("NATIVE")), &row, "NATIVE", token, func(t *venue.Codec) {
		idle, depth, target := "", u256.FromFloat(1e5*1e18), u256.FromFloat(1e4*1e18)
		t.Fixed(at[:])
		t.Text(&idle)
		for _, n := range []u256.Int{depth.Mul(depth), target, depth.Add(depth), u256.From(10_000), depth, depth, target.Add(u256.FromFloat(sells))} {
			t.Int(&n)
		}
	})
}

// Restore adds a pool that its family reads from what was written down.
func (w *World) Restore(f venue.Storer, row *venue.Source, a, b string, state func(*venue.Codec)) {
	w.t.Helper()
	info := &venue.Info{ID: venue.AddressID(Address(0x11, len(w.Pools))), Source: row, Tokens: []common.Address{w.Token(a), w.Token(b)}}
	p, err := f.Restore(venue.Encode(func(t *venue.Codec) {
		t.Info(&info)
		state(t)
	}))
	if err != nil {
		w.t.Fatal(err)
	}
	w.IDs[p.Info().ID] = fmt.Sprintf("%s:%s-%s", row.ID, a, b)
	w.Pools = append(w.Pools, p)
}

// Snapshot is the market.
func (w *World) Snapshot() *market.Snapshot {
	w.t.Helper()
	chain := market.Chain{
		WrappedNative: w.Token("NATIVE"), MinBaseFee: u256.From(w.GasWei),
	}
	for _, name := range w.Stables {
		chain.Stables = append(chain.Stables, w.Token(name))
	}
	s, err := market.New(chain).Next(market.Block{Number: 1}, w.Pools, w.Tokens)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// Show writes a plan as the pools in order with their weights.
func (w *World) Show(p plan.Plan) string {
	var parts []string
	for i, weight := range p.Weights() {
		s := &p.Steps[i]
		name := w.IDs[s.Pool.Info().ID]
		source, _, _ := strings.Cut(name, ":")
		parts = append(parts, fmt.Sprintf("%s %s>%s %d", source, w.Symbol(s.TokenIn()), w.Symbol(s.TokenOut()), weight))
	}
	return strings.Join(parts, ", ")
}

// Symbol is the name of a token.
func (w *World) Symbol(a common.Address) string {
	for i := range w.Tokens {
		if w.Tokens[i].Address == a {
			return w.Tokens[i].Symbol
		}
	}
	return "?"
}

// Random is a market of few tokens with prices that agree up to noise.
func Random(t testing.TB, r *rand.Rand, tokens, pools int, noise float64) *World {
	w := New(t)
	price := []float64{1, 1}
	for i := 2; i < tokens; i++ {
		w.Token(fmt.Sprint("T", i))
		price = append(price, math.Exp(r.NormFloat64()*3))
	}
	for range pools {
		i, j := r.IntN(tokens), r.IntN(tokens-1)
		if j >= i {
			j++
		}
		depth := math.Exp(math.Log(1e18) + r.Float64()*math.Log(1e6)) // worth 1e18 to 1e24
		skew := math.Exp(r.NormFloat64() * noise)
		w.PoolFee(fmt.Sprint("s", r.IntN(3)), []uint64{5, 20, 25, 30, 100}[r.IntN(5)],
			w.Tokens[i].Symbol, depth/price[i]*skew, w.Tokens[j].Symbol, depth/price[j])
	}
	return w
}
