package hanji

import (
	"fmt"
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

// market has these bids and asks, each a price and shares, best first.
func market(rate, unitX, unitY uint64, bids, asks [][2]uint64) *Pool {
	source := &venue.Source{ID: "Hanji", Type: venue.CLOB, Family: Name, Factory: factoryAt}
	at := common.HexToAddress("0x00000000000000000000000000000000000000c0")
	p := &Pool{
		terms: &terms{market: at, unit: [2]u256.Int{u256.From(unitX), u256.From(unitY)}, rate: u256.From(rate)},
		info:  &venue.Info{ID: venue.AddressID(at), Source: source, Tokens: []common.Address{wrapped, factoryAt}},
	}
	p.native[x] = true
	for i, orders := range [][][2]uint64{x: bids, y: asks} {
		for _, o := range orders {
			p.book[i] = p.book[i].with(u256.From(o[0]), u256.From(o[1]), i == y)
		}
	}
	return p
}

func TestLaws(t *testing.T) {
	bids := [][2]uint64{{99_000, 5_000_000}, {98_500, 700_000_000}, {90_000, 1_000_000_000_000}}
	asks := [][2]uint64{{100_000, 4_000_000}, {100_500, 1}, {110_000, 900_000_000_000}}
	halted := market(1e15, 1, 1, bids, asks)
	halted.stops = paused
	venuetest.Laws(t, []venue.Pool{
		market(1e15, 1_000_000_000, 1, bids, asks),
		market(0, 1, 1_000_000, bids, asks),
		market(2e17, 100, 100, bids, nil),
		market(333, 1, 1, [][2]uint64{{1, 1}}, [][2]uint64{{2, 1}}),
		market(0, 1, 1, nil, nil),
		halted,
	})
}

// TestInconsistent: a market whose trades are not worth what its book says is not
// traded on again.
func TestInconsistent(t *testing.T) {
	f := New(nil, wrapped)
	p := market(0, 1, 1, [][2]uint64{{10, 5}}, nil)
	for _, e := range []venue.Event{
		placed{at: at{p.market}, side: y, shares: u256.From(2), value: u256.From(21)},
		placed{at: at{p.market}, side: y, shares: u256.From(6), value: u256.From(60)},
		claimed{at{p.market}, x, u256.From(9), u256.One},
		claimed{at{p.market}, x, u256.From(10), u256.From(6)},
	} {
		next, err := f.Apply(p, e)
		if err != nil {
			t.Fatal(err)
		}
		next, err = f.Apply(next, stopped{at{p.market}, paused, false})
		if err != nil {
			t.Fatal(err)
		}
		if next.(*Pool).Idle() == "" || next.Spot(x, y) != 0 {
			t.Errorf("after %+v the market is traded on", e)
		}
	}
}

func TestUnpack(t *testing.T) {
	for packed, want := range map[uint32]string{1: "1", 999_999: "999999", 1<<20 | 123_456: "1234560", 15<<20 | 999_999: "999999000000000000000"} {
		if got := unpack(packed); got != u256.MustDecimal(want) {
			t.Errorf("%#x is %v, not %s", packed, got, want)
		}
	}
}

// TestStage: markets of tokens of any decimals stand around the price of
// their listing, with what it puts in.
func TestStage(t *testing.T) {
	c := newContract(t)
	if err := c.family.Etch(c); err != nil {
		t.Fatal(err)
	}
	source := c.family.sources[factoryAt]
	for _, amounts := range [][2]string{
		{"66666666000000000000000000", "2000000123456"},     // MON and dollars
		{"333000000000000000000", "1000000000000000000"},    // MON and ether
		{"1000000000", "1000000000000"},                     // bitcoin and dollars
		{"80000000000", "79999000000"},                      // dollars
		{"571428571428571428", "2000000000000000000000000"}, // ether and something cheap
	} {
		l := venue.Listing{
			Source: source, Tokens: []common.Address{c.tokens[1], wrapped},
			Amounts: []u256.Int{u256.MustDecimal(amounts[0]), u256.MustDecimal(amounts[1])},
		}
		c.Logs = nil
		if err := c.family.Open(c, []venue.Listing{l}); err != nil {
			t.Fatal(err)
		}
		var err error
		if c.pool, err = venuetest.Applied(c.family, (*Pool)(nil), c.Logs); err != nil {
			t.Fatal(err)
		}
		if err := c.verify(); err != nil {
			t.Error(err)
		}
		want := l.Amounts[y].Float() / l.Amounts[x].Float()
		for in, price := range []float64{c.pool.Spot(x, y) / want, c.pool.Spot(y, x) * want} {
			if math.Abs(price-1) > 0.0011 {
				t.Errorf("%v, in %d: %.5f of the listed price", amounts, in, price)
			}
		}
		for token, amount := range l.Amounts {
			side := c.pool.book[1-token]
			all := side.first(side.Len())
			stands := [2]u256.Int{all.shares, all.value}[token].Mul(c.pool.unit[token])
			if r := stands.Float() / amount.Float(); r > 1 || r < 0.99 {
				t.Errorf("%v: %.3f of token %d stands", amounts, r, token)
			}
		}
	}
}

func BenchmarkQuote(b *testing.B) {
	var bids, asks [][2]uint64
	for i := range uint64(500) {
		bids, asks = append(bids, [2]uint64{99_999 - i, 1000}), append(asks, [2]uint64{100_000 + i, 1000})
	}
	p := market(1e15, 1, 1, bids, asks)
	for _, c := range []struct {
		name   string
		in     int
		amount uint64
	}{{"sell", x, 400_000}, {"buy", y, 40_000_000_000}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				p.Quote(c.in, 1-c.in, u256.From(c.amount))
			}
		})
	}
}

// BenchmarkApply is an event of a book and, where it says so, the first quote and
// the supply after it.
func BenchmarkApply(b *testing.B) {
	f := &Family{}
	for _, n := range []int{20, 60, 500, 100_000} {
		var bids [][2]uint64
		for i := range uint64(n) {
			bids = append(bids, [2]uint64{999_999 - i, 1000})
		}
		p := market(1e15, 1, 1, bids, nil)
		for _, quote := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d levels/quote=%v", n, quote), func(b *testing.B) {
				b.ReportAllocs()
				for i := range b.N {
					next, err := f.Apply(p, placed{side: x, price: u256.From(uint64(999_999 - i*7%n)), placed: u256.One})
					if err != nil {
						b.Fatal(err)
					}
					if quote {
						if _, err := next.Quote(x, y, u256.From(uint64(min(n*500, 400_000)))); err != nil {
							b.Fatal(err)
						}
						venue.SupplyOf(next, x, y)
					}
				}
			})
		}
	}
}
