package market_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venue/univ3"
)

// bazaar makes markets at random: pairs, some of them empty, concentrated
// liquidity, some of it open one way only, and baskets of several tokens.
type bazaar struct {
	*rand.Rand
	*testing.T
	made    uint32
	sources []*venue.Source
	seen    []venue.Pool // on any branch
	known   map[common.Address]market.Token
}

func newBazaar(t *testing.T, seed uint64) *bazaar {
	return &bazaar{Rand: rand.New(rand.NewPCG(seed, 1)), T: t, known: map[common.Address]market.Token{usd.Address: usd, native.Address: native}}
}

func (b *bazaar) address(kind byte) common.Address {
	b.made++
	return common.Address{0: kind, 17: byte(b.made >> 16), 18: byte(b.made >> 8), 19: byte(b.made)}
}

func (b *bazaar) token() market.Token {
	t := market.Token{Address: b.address(1), Symbol: "T", Decimals: uint8(6 + 6*b.IntN(3)), Verified: b.IntN(2) == 0}
	b.known[t.Address] = t
	return t
}

func (b *bazaar) source() *venue.Source {
	if len(b.sources) == 0 || b.IntN(20) == 0 {
		b.sources = append(b.sources, &venue.Source{ID: b.address(2).Hex(), Params: univ2.Fee(30)})
	}
	return b.sources[b.IntN(len(b.sources))]
}

func (b *bazaar) amount() u256.Int { return u256.FromFloat(math.Pow(10, 6+20*b.Float64())) }

// pool is a new one between some of the tokens.
func (b *bazaar) pool(tokens []market.Token) venue.Pool {
	var some []common.Address
	for _, i := range b.Perm(len(tokens))[:2+max(0, b.IntN(6)-3)] {
		some = append(some, tokens[i].Address)
	}
	if len(some) > 2 {
		return b.basket(&venue.Info{ID: venue.AddressID(b.address(3)), Source: b.source(), Tokens: some})
	}
	pair := [2]common.Address(some)
	if b.IntN(2) == 0 {
		return univ2.NewPool(b.source(), b.address(4), pair, b.amount(), b.amount())
	}
	book, err := ticks.NewBook(10), error(nil)
	for range 1 + b.IntN(4) {
		lower := int32(b.IntN(40)-20) * 10
		if book, err = book.With(lower, lower+int32(1+b.IntN(20))*10, b.amount()); err != nil {
			b.Fatal(err)
		}
	}
	at := ticks.GetSqrtRatioAtTick(int32(b.IntN(600) - 300)) // at times beyond all liquidity
	return univ3.NewPool(b.source(), b.address(5), pair, 500, ticks.Point{Price: at}, book)
}

// change is what becomes of a pool.
func (b *bazaar) change(p venue.Pool) venue.Pool {
	info := p.Info()
	switch p.(type) {
	case *univ2.Pool:
		if b.IntN(8) > 0 {
			break
		}
		x, y := b.amount(), b.amount()
		if b.IntN(4) == 0 {
			x, y = u256.Zero, u256.Zero
		}
		return univ2.NewPool(info.Source, common.HexToAddress(string(info.ID)), [2]common.Address(info.Tokens), x, y)
	case basket:
		return b.basket(info)
	}
	next, err := p.Swap(b.IntN(2), 0, b.amount())
	if err != nil {
		if next, err = p.Swap(0, 1, b.amount()); err != nil {
			return p
		}
	}
	return next
}

// basket is a pool of several tokens: a pair behind every two.
type basket struct {
	info  *venue.Info
	pairs *[4][4]*univ2.Pool
}

func (b *bazaar) basket(info *venue.Info) venue.Pool {
	p := basket{info, new([4][4]*univ2.Pool)}
	for in := range info.Tokens {
		for out := range in {
			pair := univ2.NewPool(info.Source, b.address(6), [2]common.Address{info.Tokens[in], info.Tokens[out]}, b.amount(), b.amount())
			p.pairs[in][out], p.pairs[out][in] = pair, pair
		}
	}
	return p
}

func (p basket) Info() *venue.Info { return p.info }
func (p basket) at(in, out int) (*univ2.Pool, int, int) {
	if in > out {
		return p.pairs[in][out], 0, 1
	}
	return p.pairs[in][out], 1, 0
}
func (p basket) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	pair, a, b := p.at(in, out)
	return pair.Quote(a, b, amount)
}
func (p basket) Swap(in, out int, amount u256.Int) (venue.Pool, error) { return nil, venue.ErrEmpty }
func (p basket) Spot(in, out int) float64                              { pair, a, b := p.at(in, out); return pair.Spot(a, b) }
func (p basket) Depth(token int) float64 {
	return p.pairs[token][(token+1)%len(p.info.Tokens)].Depth(0)
}
func (p basket) Call(in, out int) venue.Call { return venue.Call{} }

// block changes some pools of a market and may add some, and tokens.
func (b *bazaar) block(s *market.Snapshot) *market.Snapshot {
	var pools []venue.Pool
	var tokens, again []market.Token
	for _, p := range s.Pools() {
		if b.IntN(10) == 0 {
			pools = append(pools, b.change(p))
		}
	}
	for busy := b.IntN(2) == 0; busy; busy = b.IntN(4) > 0 {
		switch b.IntN(3) {
		case 0:
			tokens = append(tokens, b.token())
		case 1:
			pools = append(pools, b.pool(append(tokens, s.Tokens()...)))
		default: // the same as on any branch: on another one its tokens may have other numbers
			p := b.seen[max(0, len(b.seen)-1-b.IntN(8))]
			pools = append(pools, p)
			for _, a := range p.Info().Tokens {
				again = append(again, b.known[a])
			}
		}
	}
	b.seen = append(b.seen, pools...)
	b.Shuffle(len(pools), func(i, j int) { pools[i], pools[j] = pools[j], pools[i] })
	n, err := s.Next(block(s.Block().Number+1), pools, append(again, tokens...))
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func (b *bazaar) open() *market.Snapshot {
	tokens := []market.Token{usd, native}
	for range 20 {
		tokens = append(tokens, b.token())
	}
	b.seen = []venue.Pool{b.pool(tokens), b.pool(tokens)}
	return next(b.T, market.New(chain), 1, tokens, b.seen...)
}

// TestGraphFollows: whatever a market was derived from, block by block, with
// graphs of some blocks and not of others, over to other branches and back, its
// graph is that of the same pools and tokens on a clean sheet, and stays so.
func TestGraphFollows(t *testing.T) {
	shared, blocks := 0, 0
	for seed := range uint64(8) {
		b := newBazaar(t, seed)
		branches := []*market.Snapshot{b.open()}
		shown, was := branches[0], branches[0].Graph()
		for range 60 {
			s := b.block(branches[b.IntN(len(branches))])
			if branches = append(branches, s); len(branches) > 4 {
				branches = branches[1:]
			}
			clean := next(t, market.New(chain), s.Block().Number, s.Tokens(), s.Pools()...).Graph()
			before := shown.Graph()
			if shown = s.After(shown); !reflect.DeepEqual(shown.Graph(), clean) {
				t.Fatalf("seed %d, block %d: another graph after one of any branch", seed, s.Block().Number)
			}
			if !reflect.DeepEqual(before, was) {
				t.Fatalf("seed %d, block %d: the graph before it has changed", seed, s.Block().Number)
			}
			if b.IntN(2) == 0 && !reflect.DeepEqual(s.Graph(), clean) {
				t.Fatalf("seed %d, block %d: another graph after that of a parent", seed, s.Block().Number)
			}
			if blocks++; &shown.Graph().Sources[0] == &before.Sources[0] {
				shared++
			}
			was = clean
		}
	}
	if shared < blocks/10 || shared > blocks*9/10 {
		t.Errorf("%d of %d graphs stand on the ground of the one before", shared, blocks)
	}
}

// A block that changes no pool and adds no token keeps the graph, whether the
// snapshots share memory or only have equal pools. Any other block does not.
func TestUnchangedBlockKeepsGraph(t *testing.T) {
	b := newBazaar(t, 3)
	s := b.open()
	g := s.Graph()
	empty, err := s.Next(block(2), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if empty.After(s).Graph() != g {
		t.Error("a block without changes has another graph")
	}
	again, err := s.Next(block(2), s.Pools()[:1], nil)
	if err != nil {
		t.Fatal(err)
	}
	if again.After(s).Graph() != g {
		t.Error("the same pools in another slice have another graph")
	}
	changed, err := s.Next(block(2), []venue.Pool{b.change(s.Pools()[0])}, nil)
	if err != nil {
		t.Fatal(err)
	}
	added, err := s.Next(block(2), nil, []market.Token{b.token()})
	if err != nil {
		t.Fatal(err)
	}
	if changed.After(s).Graph() == g || added.After(s).Graph() == g {
		t.Error("a changed market has the old graph")
	}
}

// TestGraph: every direction that takes anything is an arc, in its place by
// its worth and by where one can go from its end, and can be found from both.
func TestGraph(t *testing.T) {
	for seed := range uint64(20) {
		b := newBazaar(t, seed)
		s := b.open()
		for range 40 {
			s = b.block(s)
		}
		g := s.Graph()
		count := 0
		for _, p := range s.Pools() {
			for i, n := 0, len(p.Info().Tokens); i < n*n; i++ {
				if i/n != i%n && venue.SupplyOf(p, i/n, i%n) != nil {
					count++
				}
			}
		}
		if len(g.Arcs) != count {
			t.Fatalf("seed %d: %d arcs of %d directions that take anything", seed, len(g.Arcs), count)
		}
		for token := range s.Tokens() {
			checkArcs(t, s, token)
		}
	}
}

func checkArcs(t *testing.T, s *market.Snapshot, token int) {
	t.Helper()
	g, into := s.Graph(), 0
	g.Into(token, func(from int, a *market.Arc) {
		into++
		info := s.Pools()[a.Pool].Info()
		if info.Tokens[a.In] != s.Tokens()[from].Address || int(a.To) != token {
			t.Errorf("token %d: an arc of others leads into it", token)
		}
	})
	for i := range g.Arcs {
		if int(g.Arcs[i].To) == token {
			into--
		}
	}
	if into != 0 {
		t.Errorf("token %d: %+d arcs lead into it than there are", token, into)
	}
	ways, fan, start := g.Ways(token, math.MaxInt)
	if len(g.Fan(token)) != fan || len(g.Fan(token))+len(g.Others(token)) != len(ways) {
		t.Errorf("token %d: ways are not those of fan and others", token)
	}
	arcs := g.All(token)
	for i := range arcs {
		a := &arcs[i]
		p, to := s.Pools()[a.Pool], int(a.To)
		if info := p.Info(); info.Tokens[a.In] != s.Tokens()[token].Address || info.Tokens[a.Out] != s.Tokens()[to].Address ||
			g.Sources[int(a.Source)%len(g.Sources)] != info.Source || a.Spot != venue.SupplyOf(p, int(a.In), int(a.Out)).Spot() {
			t.Errorf("token %d: arc %d is none of pool %s", token, i, info.ID)
		}
		if lift := min(market.MostLift, a.Spot*g.Worth[to]/g.Worth[token]); !near(a.Lift, lift) {
			t.Errorf("token %d: arc %d lifts %g, not %g", token, i, a.Lift, lift)
		}
		if onward := min(market.MostLift, a.Spot*g.Worth[to]/g.Worth[token]*best(g, to, token)); i >= fan && !near(a.Onward, onward) {
			t.Errorf("token %d: arc %d has %g behind it, not %g", token, i, a.Onward, onward)
		}
		if i > 0 && i != fan && i < len(ways) && a.Onward > arcs[i-1].Onward*(1+1e-6) {
			t.Errorf("token %d: arc %d is better than the one before", token, i)
		}
		if i < len(ways) && (ways[i].To != a.To || &g.Arcs[start+i] != a || !near(float64(ways[i].Back), back(g, token, a))) {
			t.Errorf("token %d: way %d is not that of its arc", token, i)
		}
		if (i < fan) != g.Connected(to) || i < len(ways) && best(g, to, -1) == 0 || i >= len(ways) && best(g, to, token) > 0 {
			t.Errorf("token %d: arc %d is in a wrong part of the fan", token, i)
		}
	}
}

// best is the highest lift of an arc out of a token that does not lead to another one.
func best(g *market.Graph, token, but int) (lift float64) {
	for _, a := range g.All(token) {
		if int(a.To) != but {
			lift = max(lift, a.Spot*g.Worth[a.To]/g.Worth[token])
		}
	}
	return lift
}

// back is the lift of the arc the other way; 0 if there is none.
func back(g *market.Graph, token int, a *market.Arc) float64 {
	arcs := g.All(int(a.To))
	for i := range arcs {
		if b := &arcs[i]; b.Pool == a.Pool && int(b.To) == token {
			return b.Lift
		}
	}
	return 0
}

// near allows for what 32-bit floats lose.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b)+1e-37 }
