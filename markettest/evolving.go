package markettest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venue/univ3"
)

var (
	evolvingUSD    = market.Token{Address: common.Address{19: 1}, Symbol: "USD", Name: "USD", Decimals: 6}
	evolvingNative = market.Token{Address: common.Address{19: 2}, Symbol: "WMON", Name: "WMON", Decimals: 18}
)

// Evolving makes markets at random, block after block: pairs, some of them empty, concentrated
// liquidity, some of it open one way only, and baskets of several tokens.
type Evolving struct {
	*rand.Rand
	*testing.T
	made    uint32
	sources []*venue.Source
	seen    []venue.Pool // on any branch
	known   map[common.Address]market.Token
}

// NewEvolving is one market of many, by seed.
func NewEvolving(t *testing.T, seed uint64) *Evolving {
	return &Evolving{Rand: rand.New(rand.NewPCG(seed, 1)), T: t, known: map[common.Address]market.Token{evolvingUSD.Address: evolvingUSD, evolvingNative.Address: evolvingNative}}
}

func (b *Evolving) address(kind byte) common.Address {
	b.made++
	return common.Address{0: kind, 17: byte(b.made >> 16), 18: byte(b.made >> 8), 19: byte(b.made)}
}

// Token is a new token.
func (b *Evolving) Token() market.Token {
	t := market.Token{Address: b.address(1), Symbol: "T", Decimals: uint8(6 + 6*b.IntN(3)), Verified: b.IntN(2) == 0}
	b.known[t.Address] = t
	return t
}

func (b *Evolving) source() *venue.Source {
	if len(b.sources) == 0 || b.IntN(20) == 0 {
		b.sources = append(b.sources, &venue.Source{ID: b.address(2).Hex(), Params: univ2.Fee(30)})
	}
	return b.sources[b.IntN(len(b.sources))]
}

func (b *Evolving) amount() u256.Int { return u256.FromFloat(math.Pow(10, 6+20*b.Float64())) }

// pool is a new one between some of the tokens.
func (b *Evolving) pool(tokens []market.Token) venue.Pool {
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

// Change is what becomes of a pool in a block.
func (b *Evolving) Change(p venue.Pool) venue.Pool {
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

func (b *Evolving) basket(info *venue.Info) venue.Pool {
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

// Block changes some pools of a market and may add some, and tokens.
func (b *Evolving) Block(s *market.Snapshot) *market.Snapshot {
	var pools []venue.Pool
	var tokens, again []market.Token
	for _, p := range s.Pools() {
		if b.IntN(10) == 0 {
			pools = append(pools, b.Change(p))
		}
	}
	for busy := b.IntN(2) == 0; busy; busy = b.IntN(4) > 0 {
		switch b.IntN(3) {
		case 0:
			tokens = append(tokens, b.Token())
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
	n, err := s.Next(market.Block{Number: s.Block().Number + 1}, pools, append(again, tokens...))
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// Open is a market of 22 tokens and two pools.
func (b *Evolving) Open() *market.Snapshot {
	tokens := []market.Token{evolvingUSD, evolvingNative}
	for range 20 {
		tokens = append(tokens, b.Token())
	}
	b.seen = []venue.Pool{b.pool(tokens), b.pool(tokens)}
	return b.Clean(1, tokens, b.seen)
}

// Clean is a market made at once.
func (b *Evolving) Clean(block uint64, tokens []market.Token, pools []venue.Pool) *market.Snapshot {
	chain := market.Chain{
		WrappedNative: evolvingNative.Address, Stables: []common.Address{evolvingUSD.Address}, MinBaseFee: u256.From(100), Tip: u256.From(2),
	}
	s, err := market.New(chain).Next(market.Block{Number: block}, pools, tokens)
	if err != nil {
		b.Fatal(err)
	}
	return s
}
