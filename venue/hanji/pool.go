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

// wad is 1 as a fixed point number of 18 decimals.
var wad = u256.From(1_000_000_000_000_000_000)

// terms are the parameters that a market was created with.
type terms struct {
	market common.Address
	unit   [2]u256.Int // raw units that make one unit of the market, by token
	rate   u256.Int    // taker fee on the value traded, wad
	native [2]bool     // the market pays the token out as native currency
}

// Pool is a market at one block.
type Pool struct {
	*terms
	info *venue.Info
	book [2]side // by the token that a taker brings: bids, asks
	stops
}

// stops are the reasons why a market takes no orders, as bits.
type stops byte

const (
	inconsistent stops = 1 << iota // for good
	paused
	filtered
	unread
)

func (p *Pool) Info() *venue.Info { return p.info }

// Idle is why the market takes no orders, if so.
func (p *Pool) Idle() string {
	switch {
	case p.stops&unread != 0:
		return "not read from the chain yet"
	case p.stops&inconsistent != 0:
		return "its logs do not add up to a book"
	case p.stops&paused != 0:
		return "paused"
	case p.stops&filtered != 0:
		return "open to chosen traders only"
	}
	return ""
}

func (p *Pool) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	t, err := p.order(in, amount)
	if err != nil {
		return venue.Quote{}, err
	}
	return venue.Quote{Out: t.paid.Mul(p.unit[out]), Gas: p.gas(in, t.levels)}, nil
}

// match is what a market order fills, and what it pays in units of the market.
type match struct {
	filled
	paid u256.Int
}

// order is the market order that an amount in raw units makes, without its
// dust. An order that the market would not fill completely is refused.
func (p *Pool) order(in int, amount u256.Int) (match, error) {
	if p.stops != 0 || p.book[in].Len() == 0 {
		return match{}, venue.ErrEmpty
	}
	if amount.BitLen() > 128 {
		return match{}, venue.ErrTooLarge // there is less of any currency
	}
	units := amount.Div(p.unit[in])
	if units.IsZero() {
		return match{}, venue.ErrTooSmall
	}
	if in == x {
		return p.sell(units)
	}
	return p.buy(units, amount)
}

func (p *Pool) sell(shares u256.Int) (match, error) {
	f, ok := p.book[x].fill(shares)
	if !ok || f.value.BitLen() > 128 {
		return match{}, venue.ErrTooLarge
	}
	paid := f.value.Sub(p.fee(f.value))
	if paid.IsZero() {
		return match{}, venue.ErrTooSmall
	}
	return match{f, paid}, nil
}

// buy spends units of Y, of which the fee is set aside first. What it cannot
// spend must be dust, which to the Executor is anything below twice the average
// price of a share: the next share seldom costs more.
func (p *Pool) buy(units, amount u256.Int) (match, error) {
	f, ok := p.book[y].spend(units.Mul(wad).Div(wad.Add(p.rate)))
	if !ok {
		return match{}, venue.ErrTooLarge
	}
	if f.shares.IsZero() {
		return match{}, venue.ErrTooSmall
	}
	cost := f.value.Add(p.fee(f.value)).Mul(p.unit[y])
	if dust := amount.Sub(cost); !dust.Mul(f.shares).Lt(cost.Lsh(1)) {
		return match{}, venue.ErrTooLarge
	}
	return match{f, f.shares}, nil
}

func (p *Pool) fee(value u256.Int) u256.Int {
	return value.Mul(p.rate).Add(wad).Sub(u256.One).Div(wad)
}

func (p *Pool) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	t, err := p.order(in, amount)
	if err != nil {
		return nil, err
	}
	next := *p
	next.book[in], _, _ = p.book[in].take(t.shares)
	return &next, nil
}

func (p *Pool) Spot(in, out int) float64 {
	if p.stops != 0 || p.book[in].Len() == 0 {
		return 0
	}
	price, rate := p.price(p.book[in].At(0).price.Float()), p.rate.Float()/wad.Float()
	if in == x {
		return price * (1 - rate)
	}
	return 1 / (price * (1 + rate))
}

// price is a price of the market in raw units.
func (p *Pool) price(units float64) float64 {
	return units * p.unit[y].Float() / p.unit[x].Float()
}

// near is how far from the best price Depth counts liquidity: 2%.
const near = 0.02

func (p *Pool) Depth(token int) float64 {
	side := p.book[1-token] // which pays this token out
	if p.stops != 0 || side.Len() == 0 {
		return 0
	}
	best := side.At(0).price.Float()
	n := side.Search(func(l *level) bool {
		r := l.price.Float() / best
		return r < 1-near || r > 1+near
	})
	total := side.first(min(n, side.reach()))
	if token == x {
		return total.shares.Float() * p.unit[x].Float()
	}
	return total.value.Float() * p.unit[y].Float()
}

// Gas of a market order in the market and the tokens, with one limit order a
// level.
const (
	gasOrder    = 118_000
	gasLevel    = 23_000
	gasBuy      = 8_000 // more for a buy, which reads the book before it fills
	gasBuyLevel = 1_600
	gasNative   = 22_000
	gasDust     = 26_000 // for native dust that goes back wrapped to the sender
)

func (p *Pool) gas(in, levels int) uint64 {
	n := uint64(levels)
	gas := gasOrder + gasLevel*n
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
