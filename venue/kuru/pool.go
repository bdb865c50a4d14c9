// Package kuru trades on order books that have an automated vault beside them: Kuru.
package kuru

import (
	"math"

	"github.com/ethereum/go-ethereum/common"

	"braid/sequence"
	"braid/u256"
	"braid/venue"
)

// Positions of the tokens.
const (
	base  = 0
	quote = 1
)

var max96 = u256.One.Lsh(96).Sub(u256.One)

// terms are the parameters that a market was created with.
type terms struct {
	market        common.Address
	margin        common.Address
	native        [2]bool
	lot           [2]lot
	sizePrecision u256.Int
	toWad         u256.Int // 1e18 / pricePrecision
	maxQuote      u256.Int // the most quote that the book can compute with, times pricePrecision
	takerFeeBps   u256.Int
	spread        u256.Int // between levels of the vault, in basis points
}

// lot converts a token between raw units and the market's units (base times
// sizePrecision, quote times pricePrecision): one unit of the market is
// 10^exponent raw units.
type lot struct {
	exponent int
	ten      u256.Int // 10^|exponent|; 0 before the exponent is known
}

func newLot(exponent int) lot {
	ten := u256.One
	for range max(exponent, -exponent) {
		ten = ten.Mul(u256.From(10))
	}
	return lot{exponent, ten}
}

// units is a raw amount in units of the market, rounded down: the rest is dust.
func (l *lot) units(amount u256.Int) u256.Int {
	if l.exponent < 0 {
		return amount.Mul(l.ten)
	}
	return amount.Div(l.ten)
}

// amount is units of the market in raw units, rounded down.
func (l *lot) amount(units u256.Int) u256.Int {
	if l.exponent < 0 {
		return units.Div(l.ten)
	}
	return units.Mul(l.ten)
}

// raw is how many raw units one unit of the market is.
func (l *lot) raw() float64 {
	if l.exponent < 0 {
		return 1 / l.ten.Float()
	}
	return l.ten.Float()
}

// Pool is a market at one block.
type Pool struct {
	*terms
	info         *venue.Info
	paused       bool
	book         [2]sequence.List[order] // by side, in the order in which they are filled
	refs         sequence.List[ref]      // to the orders of both sides, by rising id
	vault        vault
	last         uint64                        // highest order id so far
	paid         sequence.List[common.Address] // makers that were paid, as far as logs tell; rising
	traded       [2]bool                       // a side has traded, as far as logs tell
	caches       [2]levelCache                 // by side; derived from all the above
	loading      *loading                      // while the pool is read from the chain; else nil
	vaultUnknown bool                          // logs do not tell the state of the vault: it must be read
}

// next is a copy to be changed, without the cached levels.
func (p *Pool) next() *Pool {
	return &Pool{terms: p.terms, info: p.info, paused: p.paused, book: p.book, refs: p.refs, vault: p.vault, last: p.last, paid: p.paid, traded: p.traded, loading: p.loading, vaultUnknown: p.vaultUnknown}
}

func (p *Pool) Info() *venue.Info { return p.info }

// Custody is the margin account.
func (p *Pool) Custody() common.Address { return p.margin }

// Idle is why the market takes no orders, if so.
func (p *Pool) Idle() string {
	switch {
	case p.lot[base].ten.IsZero() || p.loading != nil || p.vaultUnknown:
		return "not loaded"
	case p.paused:
		return "paused"
	}
	return ""
}

func (p *Pool) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	m, err := p.order(in, amount)
	if err != nil {
		return venue.Quote{}, err
	}
	q := venue.Quote{Out: m.paid, Gas: gasOrder + m.gas}
	if p.native[in] {
		q.Gas += gasDust
	}
	return q, nil
}

// order is the market order that an amount in raw units makes, without its dust.
// An order that the market would not fill completely is refused.
func (p *Pool) order(in int, amount u256.Int) (match, error) {
	if p.Idle() != "" {
		return match{}, venue.ErrEmpty
	}
	if amount.BitLen() > 128 {
		return match{}, venue.ErrTooLarge
	}
	units := p.lot[in].units(amount)
	if units.IsZero() {
		return match{}, venue.ErrTooSmall
	}
	if !units.Lt(max96) {
		return match{}, venue.ErrTooLarge
	}
	m, err := p.match(in, units)
	if err != nil {
		return match{}, err
	}
	if m.paid = p.pays(in, &m.totals); m.paid.IsZero() {
		return match{}, venue.ErrTooSmall
	}
	return m, nil
}

// pays is what the taker is paid, in raw units: the fee comes off it, rounded
// up.
func (p *Pool) pays(in int, t *totals) u256.Int {
	n := p.lot[base].amount(t.size)
	if in == base {
		n = p.lot[quote].amount(t.bookQuote).Add(p.fromWad(t.vaultQuote))
	}
	return n.Sub(mulDivUp(n, p.takerFeeBps, one))
}

// fromWad is an amount of quote, given in wad, in raw units.
func (p *Pool) fromWad(wad u256.Int) u256.Int {
	switch l := &p.lot[quote]; {
	case wad.IsZero():
		return wad
	case l.exponent < 0:
		return wad.Div(p.toWad.Mul(l.ten))
	default:
		return mulDiv(wad, l.ten, p.toWad)
	}
}

func (p *Pool) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	m, err := p.order(in, amount)
	if err != nil {
		return nil, err
	}
	next := p.next()
	for i, l := range p.levels(in)[:m.last+1] {
		size := l.size
		if i == m.last {
			size = m.lastSize
		}
		if l.orders == nil {
			if size == l.size {
				next.vault.advance(in, p.spread)
			} else {
				next.vault.fill(in, size)
			}
		}
		for _, o := range l.orders {
			part := u256.Min(size, o.size)
			if part.IsZero() {
				break
			}
			next.fill(in, o, part)
			size = size.Sub(part)
		}
	}
	return next, nil
}

func (p *Pool) Spot(in, out int) float64 {
	levels := p.levels(in)
	for i := range levels {
		if levels[i].size.IsZero() {
			continue
		}
		price, kept := p.rate(&levels[i]), 1-p.takerFeeBps.Float()/one.Float()
		if in == quote {
			return kept / price
		}
		return kept * price
	}
	return 0
}

// rate is the price of a level in raw units of quote per raw unit of base.
func (p *Pool) rate(l *level) float64 {
	price := l.price.Float()
	if l.orders == nil {
		price /= p.toWad.Float()
	}
	return price / p.sizePrecision.Float() * p.lot[quote].raw() / p.lot[base].raw()
}

// near is how far from the best price Depth counts liquidity: 2%.
const near = 0.02

func (p *Pool) Depth(token int) float64 {
	var size, value, best float64
	levels := p.levels(1 - token) // those that pay this token out
	for i := range levels {
		l := &levels[i]
		rate := p.rate(l)
		if best == 0 {
			best = rate
		}
		if math.Abs(rate-best) > near*best {
			break
		}
		n := p.lot[base].amount(l.size).Float()
		size, value = size+n, value+n*rate
	}
	if token == base {
		return size
	}
	return value
}

// Gas of a market order in the market, the margin account and the tokens, at
// the most: it is not known which of the slots it writes are empty.
const (
	gasOrder      = 215_000
	gasVault      = 60_000 // for filling the vault at all
	gasVaultLevel = 14_500
	gasFill       = 52_500  // for each limit order it fills
	gasPartner    = 20_000  // for a flip order that has a partner
	gasFlip       = 165_000 // for one that gets a partner
	gasDust       = 26_000  // for native dust that goes back wrapped to the sender
)

// gas of filling the order.
func (o *order) gas() uint64 {
	switch {
	case o.flip == 0:
		return gasFill
	case o.partner != 0:
		return gasFill + gasPartner
	}
	return gasFill + gasFlip
}
