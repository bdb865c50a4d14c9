package kuru

import (
	"math/bits"
	"sort"
	"sync"

	"braid/u256"
	"braid/venue"
)

// MaxFills is how many orders and vault steps one take may fill. The contract
// would fill more; no route should burn the gas.
const MaxFills = 64

// level is a price of the book, or a step of the vault, as takers meet it.
type level struct {
	price  u256.Int // of the book times pricePrecision, of the vault times 1e18
	size   u256.Int
	orders []order  // none: the vault
	need   u256.Int // quote that buys it whole from the vault, times 1e18
	before sum      // all the levels ahead of this one
}

// sum is what a take has come to: base, the quote it was worth to book and
// vault, each in its own unit, how many orders and steps it filled, and the
// gas of that.
type sum struct {
	size, book, vault u256.Int
	fills, gas        uint64
}

// curve is one side of a market, laid out once when first asked for.
type curve struct {
	once   sync.Once
	levels []level
}

func (p *Pool) levels(side int) []level {
	c := &p.curves[side]
	c.once.Do(func() { c.levels = p.lay(side) })
	return c.levels
}

// lay merges book and vault, the better price first and the book first at the
// same, until no take may go further.
func (p *Pool) lay(side int) []level {
	if p.Idle() != "" {
		return nil
	}
	levels := make([]level, 0, MaxFills)
	var total sum
	orders, v := p.book[side], ladder{p.vault.price[side], p.vault.size[side]}
	size := p.vault.rest(side)
	climbing := false
	for total.fills < MaxFills {
		l := level{before: total}
		// In the middle of its steps the contract does not look whether they
		// still have a size.
		open := v.open() || climbing && !v.price.IsZero()
		switch {
		case open && (len(orders) == 0 || better(side, v.price, orders[0].worth().Mul(p.toWad))):
			climbing = true
			l.price, l.size = v.price, size
			if l.size.Gt(max96) || !v.step(side, p.spread) {
				return levels
			}
			l.need, size = mulDivUp(l.price, l.size, p.sizePrecision), v.size
		case len(orders) > 0:
			climbing = false
			l.orders = samePrice(orders)
			orders = orders[len(l.orders):]
			l.price = l.orders[0].worth()
			for i := range l.orders {
				l.size = l.size.Add(l.orders[i].size)
			}
		default:
			return levels
		}
		next, ok := p.part(&l, l.size)
		if !ok {
			return levels
		}
		levels, total = append(levels, l), next
	}
	return levels
}

func samePrice(orders []order) []order {
	n := 1
	for n < len(orders) && orders[n].price == orders[0].price {
		n++
	}
	return orders[:n]
}

// part is the sum behind a level of which size is filled. What a bid pays is
// rounded down level by level, so that sums over levels are exact. False is an
// overflow.
func (p *Pool) part(l *level, size u256.Int) (sum, bool) {
	s := l.before
	if l.price.BitLen()+size.BitLen() > 256 {
		return s, false
	}
	worth := mulDiv(l.price, size, p.sizePrecision)
	s.size = s.size.Add(size)
	if l.orders == nil {
		if s.vault.IsZero() {
			s.gas += gasVault
		}
		s.vault = s.vault.Add(worth)
		s.fills++
		s.gas += gasStep
		return s, true
	}
	s.book = s.book.Add(worth)
	for i := range l.orders {
		if size.IsZero() {
			break
		}
		o := &l.orders[i]
		size = size.Sub(u256.Min(size, o.size))
		s.fills++
		s.gas += o.gas()
	}
	return s, true
}

// taken is a take that uses up what it brings: levels before last are filled
// whole, and rest of the last.
type taken struct {
	sum
	last int
	rest u256.Int
	paid u256.Int
}

// fills is the take that units of a token make.
func (p *Pool) fills(in int, units u256.Int) (taken, error) {
	levels := p.levels(in)
	if len(levels) == 0 {
		return taken{}, venue.ErrEmpty
	}
	if in == base {
		return p.sell(levels, units)
	}
	return p.buy(levels, units)
}

// sell brings base. Sizes add up, so the last level is found by halving.
func (p *Pool) sell(levels []level, size u256.Int) (taken, error) {
	i := sort.Search(len(levels), func(i int) bool { return !levels[i].before.size.Lt(size) }) - 1
	rest := size.Sub(levels[i].before.size)
	if rest.Gt(levels[i].size) {
		return taken{}, venue.ErrTooLarge
	}
	return p.ends(levels, i, rest)
}

// buy brings quote. The contract rounds what is left of it at every price it
// passes, which no sum over levels can foretell: so it is walked as the
// contract walks it, and ends where the rest buys nothing.
func (p *Pool) buy(levels []level, left u256.Int) (taken, error) {
	var finer u256.Int // what is left times 1e18, inside a run of vault steps
	climbing := false  // whether left or finer counts
	for i := range levels {
		l := &levels[i]
		if l.orders == nil {
			if !climbing {
				climbing, finer = true, left.Mul(p.toWad)
			}
			if l.need.Gt(finer) {
				return p.ends(levels, i, mulDiv(finer, p.sizePrecision, l.price))
			}
			if finer = finer.Sub(l.need); finer.IsZero() {
				return p.ends(levels, i, l.size)
			}
			continue
		}
		if climbing {
			if climbing, left = false, finer.Div(p.toWad); left.IsZero() {
				return p.ends(levels, i-1, levels[i-1].size)
			}
		}
		if left.Gt(p.most) {
			return taken{}, venue.ErrTooLarge
		}
		size := mulDiv(left, p.sizePrecision, l.price)
		if !size.Gt(l.size) {
			return p.ends(levels, i, size)
		}
		if left = mulDiv(l.price, size.Sub(l.size), p.sizePrecision); left.IsZero() {
			return p.ends(levels, i, l.size)
		}
	}
	return taken{}, venue.ErrTooLarge
}

// ends is the take that fills rest of a level and all before it. It refuses
// what the contract's numbers cannot hold and what no route should pay for.
func (p *Pool) ends(levels []level, last int, rest u256.Int) (taken, error) {
	s, ok := p.part(&levels[last], rest)
	if !ok || s.size.Gt(max96) || s.book.Gt(max96) || s.fills > MaxFills {
		return taken{}, venue.ErrTooLarge
	}
	return taken{sum: s, last: last, rest: rest}, nil
}

// mulDiv is floor(a*b/d), where a*b fits 256 bits; quick where all of it fits
// machine words.
func mulDiv(a, b, d u256.Int) u256.Int {
	if a.IsUint64() && b.IsUint64() && d.IsUint64() {
		if hi, lo := bits.Mul64(a.Uint64(), b.Uint64()); hi < d.Uint64() {
			q, _ := bits.Div64(hi, lo, d.Uint64())
			return u256.From(q)
		}
	}
	return a.Mul(b).Div(d)
}

func mulDivUp(a, b, d u256.Int) u256.Int {
	q := mulDiv(a, b, d)
	if q.Mul(d) != a.Mul(b) {
		q = q.Add(u256.One)
	}
	return q
}
