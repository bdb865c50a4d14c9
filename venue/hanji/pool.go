// Package hanji trades on order books that count in units of their own: Hanji.
package hanji

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// Positions of the tokens: X is traded, Y is what it is priced in.
const (
	x = 0
	y = 1
)

// wad is what a rate is a part of.
var wad = u256.From(1_000_000_000_000_000_000)

// terms are what a market was opened with.
type terms struct {
	market common.Address
	unit   [2]u256.Int // what a unit of the market is in raw units
	rate   u256.Int    // of the value traded, on top of it or off it, over 1e18
	native [2]bool     // paid out as native
}

// Pool is a market at one block.
type Pool struct {
	*terms
	info *venue.Info
	book [2]side // what a taker meets who brings X, or Y
	stops
}

// stops are why a market takes nothing.
type stops byte

const (
	outOfStep stops = 1 << iota // for good
	paused
	filtered
	unread
)

func (p *Pool) Info() *venue.Info { return p.info }

// Idle says why the market takes nothing, if so.
func (p *Pool) Idle() string {
	switch {
	case p.stops&unread != 0:
		return "not read from the chain yet"
	case p.stops&outOfStep != 0:
		return "its logs do not add up to a book"
	case p.stops&paused != 0:
		return "paused"
	case p.stops&filtered != 0:
		return "open to chosen traders only"
	}
	return ""
}

func (p *Pool) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	t, err := p.take(in, amount)
	if err != nil {
		return venue.Quote{}, err
	}
	return venue.Quote{Out: t.paid.Mul(p.unit[out]), Gas: p.gas(in, t.levels)}, nil
}

// taken is what an amount does to the book, and what it makes in units.
type taken struct {
	filled
	paid u256.Int
}

// take fills the market with an amount, dust aside, or says why it cannot use
// it up: a market that takes less than it is brought is not asked.
func (p *Pool) take(in int, amount u256.Int) (taken, error) {
	if p.stops != 0 || len(p.book[in]) == 0 {
		return taken{}, venue.ErrEmpty
	}
	if amount.BitLen() > 128 {
		return taken{}, venue.ErrTooLarge // there is less of any currency
	}
	units := amount.Div(p.unit[in])
	if units.IsZero() {
		return taken{}, venue.ErrTooSmall
	}
	if in == x {
		return p.sell(units)
	}
	return p.buy(units, amount)
}

func (p *Pool) sell(shares u256.Int) (taken, error) {
	f, ok := p.book[x].fill(shares)
	if !ok || f.value.BitLen() > 128 {
		return taken{}, venue.ErrTooLarge
	}
	paid := f.value.Sub(p.fee(f.value))
	if paid.IsZero() {
		return taken{}, venue.ErrTooSmall
	}
	return taken{f, paid}, nil
}

// buy spends what is left of the units when the fee is set aside. What it
// cannot spend must be dust, which to the Executor is anything below twice
// what a share cost on average: a last share is seldom dearer.
func (p *Pool) buy(units, amount u256.Int) (taken, error) {
	f := p.book[y].spend(units.Mul(wad).Div(wad.Add(p.rate)))
	if f.shares.IsZero() {
		return taken{}, venue.ErrTooSmall
	}
	cost := f.value.Add(p.fee(f.value)).Mul(p.unit[y])
	if dust := amount.Sub(cost); !dust.Mul(f.shares).Lt(cost.Lsh(1)) {
		return taken{}, venue.ErrTooLarge
	}
	return taken{f, f.shares}, nil
}

func (p *Pool) fee(value u256.Int) u256.Int {
	return value.Mul(p.rate).Add(wad).Sub(u256.One).Div(wad)
}

func (p *Pool) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	t, err := p.take(in, amount)
	if err != nil {
		return nil, err
	}
	next := *p
	next.book[in] = p.book[in].without(t.shares)
	return &next, nil
}

func (p *Pool) Spot(in, out int) float64 {
	if p.stops != 0 || len(p.book[in]) == 0 {
		return 0
	}
	price, rate := p.price(p.book[in][0]), p.rate.Float()/wad.Float()
	if in == x {
		return price * (1 - rate)
	}
	return 1 / (price * (1 + rate))
}

// price of a level in raw units.
func (p *Pool) price(l level) float64 {
	return l.price.Float() * p.unit[y].Float() / p.unit[x].Float()
}

// near is how far from the best price Depth looks.
const near = 0.02

func (p *Pool) Depth(token int) float64 {
	if p.stops != 0 {
		return 0
	}
	side := p.book[1-token] // which pays this token out
	var sum u256.Int
	for _, l := range side {
		if r := l.price.Float() / side[0].price.Float(); r < 1-near || r > 1+near {
			break
		}
		if token == x {
			sum = l.shares
		} else {
			sum = l.value
		}
	}
	return sum.Float() * p.unit[token].Float()
}

// What a take burns in the market and the tokens, with one order a level.
const (
	gasTake     = 118_000
	gasLevel    = 23_000
	gasBuy      = 8_000 // beside that: a buy looks before it takes
	gasBuyLevel = 1_600
	gasNative   = 22_000
	gasDust     = 26_000 // of native goes back wrapped to who sent it
)

func (p *Pool) gas(in, levels int) uint64 {
	n := uint64(levels)
	gas := gasTake + gasLevel*n
	if in == y {
		gas += gasBuy + gasBuyLevel*n
	}
	if p.native[1-in] {
		gas += gasNative
	}
	if p.native[in] {
		gas += gasDust
	}
	return gas
}
