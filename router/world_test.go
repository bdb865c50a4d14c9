package router

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/hanji"
	"braid/venue/nadfun"
	"braid/venue/univ2"
	"braid/venue/univ3"
)

// world is a market in the making. Tokens have names; the first is wrapped
// native, and USD is the stablecoin. Amounts are in raw units.
type world struct {
	t      testing.TB
	names  map[string]int
	tokens []market.Token
	pools  []venue.Pool
	ids    map[venue.ID]string
	gasWei uint64

	stables []string
}

const gwei = 1_000_000_000

func newWorld(t testing.TB) *world {
	w := &world{t: t, names: map[string]int{}, ids: map[venue.ID]string{}, gasWei: 102 * gwei, stables: []string{"USD"}}
	w.token("NATIVE")
	w.token("USD")
	return w
}

func address(kind byte, n int) common.Address {
	return common.Address{0: kind, 18: byte(n >> 8), 19: byte(n)}
}

func (w *world) token(name string) common.Address {
	i, ok := w.names[name]
	if !ok {
		i = len(w.tokens)
		w.names[name] = i
		w.tokens = append(w.tokens, market.Token{Address: address(0xaa, i), Symbol: name, Decimals: 18})
	}
	return w.tokens[i].Address
}

// verify puts a token on the list.
func (w *world) verify(name string) {
	w.token(name)
	w.tokens[w.names[name]].Verified = true
}

// pool adds a pool of a source with these reserves and a fee of 0.3%.
func (w *world) pool(source, a string, ra float64, b string, rb float64) {
	w.poolFee(source, 30, a, ra, b, rb)
}

func (w *world) poolFee(source string, feeBps uint64, a string, ra float64, b string, rb float64) {
	row := &venue.Source{ID: source, Type: venue.V2, Family: univ2.Name, Params: univ2.Fee(feeBps)}
	p := univ2.NewPool(row, address(0x11, len(w.pools)),
		[2]common.Address{w.token(a), w.token(b)}, u256.FromFloat(ra), u256.FromFloat(rb))
	w.ids[p.Info().ID] = fmt.Sprintf("%s:%s-%s", source, a, b)
	w.pools = append(w.pools, p)
}

// ranges adds a pool of concentrated liquidity at a price of 1 and a fee of
// 0.05%, with the given liquidity in each range of ticks.
func (w *world) ranges(source, a, b string, list ...ticks.Position) {
	w.rangesAt(source, a, b, ticks.Point{Price: ticks.GetSqrtRatioAtTick(0)}, list...)
}

// rangesAt is ranges at any price.
func (w *world) rangesAt(source, a, b string, at ticks.Point, list ...ticks.Position) {
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
	p := univ3.NewPool(row, address(0x11, len(w.pools)), [2]common.Address{w.token(a), w.token(b)}, 500, at, book)
	w.ids[p.Info().ID] = fmt.Sprintf("%s:%s-%s", source, a, b)
	w.pools = append(w.pools, p)
}

// level is what an order book takes at a price of thousandths.
type level struct{ price, amount float64 }

// book adds an order book that pays b for a, in lots of a thousandth of a and
// a millionth of b, without a fee.
func (w *world) book(source, a, b string, levels ...level) {
	row := venue.Source{ID: source, Type: venue.CLOB, Family: hanji.Name, Factory: address(0x22, len(w.pools))}
	at := address(0x11, len(w.pools))
	unit, no := [2]u256.Int{u256.FromFloat(1e15), u256.FromFloat(1e12)}, false
	w.restore(hanji.New([]venue.Source{row}, w.token("NATIVE")), &row, a, b, func(t *venue.Codec) {
		var rate, shares, value u256.Int
		stops := 0
		t.Fixed(at[:])
		t.Int(&rate)
		for i := range unit {
			t.Int(&unit[i])
			t.Bool(&no)
		}
		venue.Number(t, &stops)
		venue.List(t, &levels, func(l *level) {
			price, size := u256.FromFloat(l.price), u256.FromFloat(l.amount/1e15)
			shares, value = shares.Add(size), value.Add(size.Mul(price))
			t.Int(&price)
			t.Int(&shares)
			t.Int(&value)
		})
		venue.List(t, new([]level), nil)
	})
}

// curve adds a bonding curve that asks one native for a token, is a hundred
// thousand deep, takes a fee of 1% and still sells so much.
func (w *world) curve(source, token string, sells float64) {
	row := venue.Source{ID: source, Type: venue.BondingCurve, Family: nadfun.Name, Factory: address(0x22, len(w.pools))}
	at := w.token(token)
	w.restore(nadfun.New([]venue.Source{row}, w.token("NATIVE")), &row, "NATIVE", token, func(t *venue.Codec) {
		idle, depth, target := "", u256.FromFloat(1e5*e18), u256.FromFloat(1e4*e18)
		t.Fixed(at[:])
		t.Text(&idle)
		for _, n := range []u256.Int{depth.Mul(depth), target, depth.Add(depth), u256.From(10_000), depth, depth, target.Add(u256.FromFloat(sells))} {
			t.Int(&n)
		}
	})
}

// restore adds a pool that its family reads from what was written down.
func (w *world) restore(f venue.Storer, row *venue.Source, a, b string, state func(*venue.Codec)) {
	w.t.Helper()
	info := &venue.Info{ID: venue.AddressID(address(0x11, len(w.pools))), Source: row, Tokens: []common.Address{w.token(a), w.token(b)}}
	p, err := f.Restore(venue.Encode(func(t *venue.Codec) {
		t.Info(&info)
		state(t)
	}))
	if err != nil {
		w.t.Fatal(err)
	}
	w.ids[p.Info().ID] = fmt.Sprintf("%s:%s-%s", row.ID, a, b)
	w.pools = append(w.pools, p)
}

func (w *world) snapshot() *market.Snapshot {
	w.t.Helper()
	chain := market.Chain{
		WrappedNative: w.token("NATIVE"), MinBaseFee: u256.From(w.gasWei),
	}
	for _, name := range w.stables {
		chain.Stables = append(chain.Stables, w.token(name))
	}
	s, err := market.New(chain).Next(market.Block{Number: 1}, w.pools, w.tokens)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) order(in string, amount float64, out string) Order {
	return Order{TokenIn: w.token(in), TokenOut: w.token(out), AmountIn: u256.FromFloat(amount)}
}

// show writes a plan as the pools in order with their weights.
func (w *world) show(p plan.Plan) string {
	var parts []string
	for i, weight := range p.Weights() {
		s := &p.Steps[i]
		name := w.ids[s.Pool.Info().ID]
		source, _, _ := strings.Cut(name, ":")
		parts = append(parts, fmt.Sprintf("%s %s>%s %d", source, w.symbol(s.TokenIn()), w.symbol(s.TokenOut()), weight))
	}
	return strings.Join(parts, ", ")
}

func (w *world) symbol(a common.Address) string {
	for i := range w.tokens {
		if w.tokens[i].Address == a {
			return w.tokens[i].Symbol
		}
	}
	return "?"
}

// random is a market of few tokens with prices that agree up to noise.
func random(t testing.TB, r *rand.Rand, tokens, pools int, noise float64) *world {
	w := newWorld(t)
	price := []float64{1, 1}
	for i := 2; i < tokens; i++ {
		w.token(fmt.Sprint("T", i))
		price = append(price, math.Exp(r.NormFloat64()*3))
	}
	for range pools {
		i, j := r.IntN(tokens), r.IntN(tokens-1)
		if j >= i {
			j++
		}
		depth := math.Exp(math.Log(1e18) + r.Float64()*math.Log(1e6)) // worth 1e18 to 1e24
		skew := math.Exp(r.NormFloat64() * noise)
		w.poolFee(fmt.Sprint("s", r.IntN(3)), []uint64{5, 20, 25, 30, 100}[r.IntN(5)],
			w.tokens[i].Symbol, depth/price[i]*skew, w.tokens[j].Symbol, depth/price[j])
	}
	return w
}
