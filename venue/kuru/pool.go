// Package kuru trades on order books that have an automated vault beside them: Kuru.
package kuru

import (
	"math"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// Positions of the tokens.
const (
	base  = 0
	quote = 1
)

var max96 = u256.One.Lsh(96).Sub(u256.One)

// terms are what a market was opened with.
type terms struct {
	market        common.Address
	margin        common.Address
	native        [2]bool
	lot           [2]lot
	sizePrecision u256.Int
	toWad         u256.Int // from pricePrecision to 1e18
	most          u256.Int // the book can reckon with, of quote times pricePrecision
	takerFeeBps   u256.Int
	spread        u256.Int // between steps of the vault, in basis points
}

// lot is how a market counts a token: 10^exponent raw units make one unit of
// its own, or the other way round if the exponent is negative.
type lot struct {
	exponent int
	ten      u256.Int // to the power of that, sign aside; 0 before it is known
}

func newLot(exponent int) lot {
	ten := u256.One
	for range max(exponent, -exponent) {
		ten = ten.Mul(u256.From(10))
	}
	return lot{exponent, ten}
}

// units cuts an amount down to whole units; what is cut off stays behind.
func (l *lot) units(amount u256.Int) u256.Int {
	if l.exponent < 0 {
		return amount.Mul(l.ten)
	}
	return amount.Div(l.ten)
}

func (l *lot) amount(units u256.Int) u256.Int {
	if l.exponent < 0 {
		return units.Div(l.ten)
	}
	return units.Mul(l.ten)
}

// raw is how many raw units one unit is.
func (l *lot) raw() float64 {
	if l.exponent < 0 {
		return 1 / l.ten.Float()
	}
	return l.ten.Float()
}

// Pool is a market at one block.
type Pool struct {
	*terms
	info   *venue.Info
	paused bool
	book   [2][]order
	vault  vault
	last   uint64                  // order ever placed
	paid   map[common.Address]bool // makers that were
	traded [2]bool                 // on a side, ever, as far as logs told
	curves [2]curve
	survey *survey // while it is read from the chain
	unsure bool    // of the vault, which is to be read
}

// next is a copy to be changed, without what was derived from the original.
func (p *Pool) next() *Pool {
	return &Pool{terms: p.terms, info: p.info, paused: p.paused, book: p.book, vault: p.vault, last: p.last, paid: p.paid, traded: p.traded, survey: p.survey, unsure: p.unsure}
}

func (p *Pool) Info() *venue.Info { return p.info }

// Custody is the margin account.
func (p *Pool) Custody() common.Address { return p.margin }

// Idle says why the market takes nothing, if so.
func (p *Pool) Idle() string {
	switch {
	case p.lot[base].ten.IsZero() || p.survey != nil || p.unsure:
		return "not loaded"
	case p.paused:
		return "paused"
	}
	return ""
}

func (p *Pool) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	t, err := p.take(in, amount)
	if err != nil {
		return venue.Quote{}, err
	}
	q := venue.Quote{Out: t.paid, Gas: gasTake + t.gas}
	if p.native[in] {
		q.Gas += gasDust
	}
	return q, nil
}

// take fills the market with an amount, dust aside, or says why it cannot use
// it up: a market that takes less than it is brought is not asked.
func (p *Pool) take(in int, amount u256.Int) (taken, error) {
	if p.Idle() != "" {
		return taken{}, venue.ErrEmpty
	}
	if amount.BitLen() > 128 {
		return taken{}, venue.ErrTooLarge
	}
	units := p.lot[in].units(amount)
	if units.IsZero() {
		return taken{}, venue.ErrTooSmall
	}
	if !units.Lt(max96) {
		return taken{}, venue.ErrTooLarge
	}
	t, err := p.fills(in, units)
	if err != nil {
		return taken{}, err
	}
	if t.paid = p.pays(in, &t.sum); t.paid.IsZero() {
		return taken{}, venue.ErrTooSmall
	}
	return t, nil
}

// pays is what the taker gets: the fee comes off it, rounded up.
func (p *Pool) pays(in int, s *sum) u256.Int {
	n := p.lot[base].amount(s.size)
	if in == base {
		n = p.lot[quote].amount(s.book).Add(p.fromWad(s.vault))
	}
	return n.Sub(mulDivUp(n, p.takerFeeBps, one))
}

// fromWad is an amount of quote that is given times 1e18.
func (p *Pool) fromWad(worth u256.Int) u256.Int {
	switch l := &p.lot[quote]; {
	case worth.IsZero():
		return worth
	case l.exponent < 0:
		return worth.Div(p.toWad.Mul(l.ten))
	default:
		return mulDiv(worth, l.ten, p.toWad)
	}
}

func (p *Pool) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	t, err := p.take(in, amount)
	if err != nil {
		return nil, err
	}
	next := p.next()
	for i, l := range p.levels(in)[:t.last+1] {
		size := l.size
		if i == t.last {
			size = t.rest
		}
		if l.orders == nil {
			if size == l.size {
				next.vault.step(in, p.spread)
			} else {
				next.vault.take(in, size)
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

// rate is the price of a level in raw quote for raw base.
func (p *Pool) rate(l *level) float64 {
	price := l.price.Float()
	if l.orders == nil {
		price /= p.toWad.Float()
	}
	return price / p.sizePrecision.Float() * p.lot[quote].raw() / p.lot[base].raw()
}

// near is how far from the best price Depth looks.
const near = 0.02

func (p *Pool) Depth(token int) float64 {
	var size, worth, best float64
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
		size, worth = size+n, worth+n*rate
	}
	if token == base {
		return size
	}
	return worth
}

// What a take burns in the market, the margin account and the tokens, at the
// most: nobody knows which of the slots it writes are empty.
const (
	gasTake  = 215_000
	gasVault = 60_000 // for any step of the vault at all
	gasDust  = 26_000 // of native goes back wrapped to who sent it
	gasStep  = 14_500
	gasOrder = 52_500
	gasPair  = 20_000  // for what a flip order gives to its partner
	gasFlip  = 165_000 // or to a new order
)

func (o *order) gas() uint64 {
	switch {
	case o.flip == 0:
		return gasOrder
	case o.partner != 0:
		return gasOrder + gasPair
	}
	return gasOrder + gasFlip
}
