package kuru

import (
	"math/bits"
	"slices"
	"sort"
	"sync"

	"braid/sequence"
	"braid/u256"
	"braid/venue"
)

// A Kuru market matches a market order against two sources of liquidity at
// once: the limit orders of its book, and a vault (Kuru's market maker) that
// quotes an endless series of price levels, the price of each a fixed factor, the
// spread, from that of the last. This file merges both into one list of price
// levels per side, best price first, and fills a market order from it with the
// contract's rounding.
//
// A side is the index of the token that a market order pays to fill it: orders
// that pay base fill the bids, orders that pay quote fill the asks.
//
// Units: sizes are amounts of the base token times sizePrecision. Prices of the
// book (quote per base), and amounts of the quote token paid at them, are times
// pricePrecision; those of the vault are wad, which is times 1e18. Multiplying by
// toWad (1e18 / pricePrecision) converts the first into the second. The contract
// keeps sizes and amounts of the book in 96 bits (max96).

// MaxFills is how many limit orders and vault levels one market order may fill.
// The contract would fill more; no route should pay for the gas.
const MaxFills = 64

// level is one price: the orders of the book at it, or one level of the vault.
type level struct {
	price  u256.Int // times pricePrecision for the book, wad for the vault
	size   u256.Int // of the orders below or the level of the vault: base, times sizePrecision
	orders []order  // oldest first, none behind the first that is one too many for MaxFills; none for a level of the vault
	cost   u256.Int // wad of quote that buys a whole level of the vault, rounded up; not set for the book
	before totals   // over all better levels
}

// totals are sums over the levels that a market order fills, from the best.
type totals struct {
	size       u256.Int // base, times sizePrecision
	bookQuote  u256.Int // quote traded with the book, times pricePrecision
	vaultQuote u256.Int // quote traded with the vault, wad
	fills      uint64   // limit orders and vault levels that are filled, in part or whole
	gas        uint64   // of these fills, units of gas
}

// levelCache holds the levels of one side, which are merged at first use.
type levelCache struct {
	once   sync.Once
	levels []level
}

// levels are those of a side, best price first.
func (p *Pool) levels(side int) []level {
	c := &p.caches[side]
	c.once.Do(func() { c.levels = p.mergeLevels(side) })
	return c.levels
}

// mergeLevels merges book and vault, the better price first and the book first
// at the same price, until MaxFills are reached or the contract's numbers
// overflow.
func (p *Pool) mergeLevels(side int) []level {
	if p.Idle() != "" {
		return nil
	}
	var total totals
	orders, v := p.book[side], vaultLevel{p.vault.price[side], p.vault.size[side]}
	most, best := MaxFills, 0 // best is the place of the next order
	if !v.open() {
		most = min(most, orders.Len())
	}
	levels := make([]level, 0, most)
	size := p.vault.unfilled(side) // of the vault's current level; its first may be filled in part
	inVault := false               // the level before this one was the vault's
	for total.fills < MaxFills {
		l := level{before: total}
		// The contract checks that the vault offers a size when it turns to the
		// vault, but not again before the vault's next levels.
		open := v.open() || inVault && !v.price.IsZero()
		switch {
		case open && (best == orders.Len() || better(side, v.price, orders.Run(best)[0].price256().Mul(p.toWad))):
			inVault = true
			l.price, l.size = v.price, size
			if l.size.Gt(max96) || !v.advance(side, p.spread) {
				return levels
			}
			l.cost, size = mulDivUp(l.price, l.size, p.sizePrecision), v.size
		case best < orders.Len():
			inVault = false
			l.orders = samePrice(orders, best, MaxFills+1-int(total.fills))
			best += len(l.orders)
			l.price = l.orders[0].price256()
			for i := range l.orders {
				l.size = l.size.Add(l.orders[i].size)
			}
		default:
			return levels
		}
		next, ok := p.fillLevel(&l, l.size)
		if !ok {
			return levels
		}
		levels, total = append(levels, l), next
	}
	return levels
}

// samePrice are the orders from a place on, up to one of another price, and no
// more than most.
func samePrice(orders sequence.List[order], at, most int) (same []order) {
	for price := orders.Run(at)[0].price; len(same) < most && at+len(same) < orders.Len(); {
		run, n := orders.Run(at+len(same)), 0
		for n < min(len(run), most-len(same)) && run[n].price == price {
			n++
		}
		if same == nil {
			same = run[:n]
		} else {
			same = append(slices.Clip(same), run[:n]...)
		}
		if n < len(run) {
			break
		}
	}
	return same
}

// fillable is what of a level a market order can fill: base, times sizePrecision.
func (l *level) fillable() u256.Int {
	size, most := l.size, MaxFills-int(l.before.fills)
	for _, o := range l.orders[min(most, len(l.orders)):] {
		size = size.Sub(o.size)
	}
	return size
}

// fillLevel is the totals after size of a level is filled behind all better
// ones. The quote of a level is rounded down once per level, as in the
// contract, so sums over levels are exact. False is an overflow.
func (p *Pool) fillLevel(l *level, size u256.Int) (totals, bool) {
	t := l.before
	if l.price.BitLen()+size.BitLen() > 256 {
		return t, false
	}
	quote := mulDiv(l.price, size, p.sizePrecision)
	t.size = t.size.Add(size)
	if l.orders == nil {
		if t.vaultQuote.IsZero() {
			t.gas += gasVault
		}
		t.vaultQuote = t.vaultQuote.Add(quote)
		t.fills++
		t.gas += gasVaultLevel
		return t, true
	}
	t.bookQuote = t.bookQuote.Add(quote)
	for i := range l.orders {
		if size.IsZero() {
			break
		}
		o := &l.orders[i]
		size = size.Sub(u256.Min(size, o.size))
		t.fills++
		t.gas += o.gas()
	}
	return t, true
}

// match is a market order that is filled completely: all levels before last are
// filled whole, and lastSize of the last.
type match struct {
	totals
	last     int      // index of a level
	lastSize u256.Int // base, times sizePrecision
	paid     u256.Int // raw units to the taker, after the fee; set by the caller of match
}

// match fills a market order of units of the input token, above zero: base times
// sizePrecision, or quote times pricePrecision.
func (p *Pool) match(in int, units u256.Int) (match, error) {
	levels := p.levels(in)
	if len(levels) == 0 {
		return match{}, venue.ErrEmpty
	}
	if in == base {
		return p.sell(levels, units)
	}
	return p.buy(levels, units)
}

// sell fills a market order of base, times sizePrecision. The sizes of levels are
// not rounded, so the last level to be filled is found by binary search in their
// sums.
func (p *Pool) sell(levels []level, size u256.Int) (match, error) {
	i := sort.Search(len(levels), func(i int) bool { return !levels[i].before.size.Lt(size) }) - 1
	lastSize := size.Sub(levels[i].before.size)
	if lastSize.Gt(levels[i].size) {
		return match{}, venue.ErrTooLarge
	}
	return p.matchTo(levels, i, lastSize)
}

// buy fills a market order of quote, times pricePrecision. The contract rounds the
// quote that is left after every level, so sums over levels would not be exact: it
// goes from level to level as the contract does, and ends at the first level that
// the rest of the quote does not buy whole. Quote above maxQuote would overflow in
// the contract.
func (p *Pool) buy(levels []level, left u256.Int) (match, error) {
	var leftWad u256.Int // the same as left, in wad, while in the vault
	inVault := false     // leftWad counts, not left
	for i := range levels {
		l := &levels[i]
		if l.orders == nil {
			if !inVault {
				inVault, leftWad = true, left.Mul(p.toWad)
			}
			if l.cost.Gt(leftWad) {
				return p.matchTo(levels, i, mulDiv(leftWad, p.sizePrecision, l.price))
			}
			if leftWad = leftWad.Sub(l.cost); leftWad.IsZero() {
				return p.matchTo(levels, i, l.size)
			}
			continue
		}
		if inVault {
			if inVault, left = false, leftWad.Div(p.toWad); left.IsZero() {
				return p.matchTo(levels, i-1, levels[i-1].size)
			}
		}
		if left.Gt(p.maxQuote) {
			return match{}, venue.ErrTooLarge
		}
		size := mulDiv(left, p.sizePrecision, l.price)
		if !size.Gt(l.size) {
			return p.matchTo(levels, i, size)
		}
		if left = mulDiv(l.price, size.Sub(l.size), p.sizePrecision); left.IsZero() {
			return p.matchTo(levels, i, l.size)
		}
	}
	return match{}, venue.ErrTooLarge
}

// matchTo is the market order that fills lastSize of one level and all of the
// levels before it. It refuses what overflows the contract's 96-bit numbers and
// what fills more than MaxFills.
func (p *Pool) matchTo(levels []level, last int, lastSize u256.Int) (match, error) {
	t, ok := p.fillLevel(&levels[last], lastSize)
	if !ok || t.size.Gt(max96) || t.bookQuote.Gt(max96) || t.fills > MaxFills {
		return match{}, venue.ErrTooLarge
	}
	return match{totals: t, last: last, lastSize: lastSize}, nil
}

// mulDiv is floor(a*b/d), where a*b must fit 256 bits. It is fast where all of
// it fits machine words.
func mulDiv(a, b, d u256.Int) u256.Int {
	if a.IsUint64() && b.IsUint64() && d.IsUint64() {
		if hi, lo := bits.Mul64(a.Uint64(), b.Uint64()); hi < d.Uint64() {
			q, _ := bits.Div64(hi, lo, d.Uint64())
			return u256.From(q)
		}
	}
	return a.Mul(b).Div(d)
}

// mulDivUp is ceil(a*b/d), where a*b must fit 256 bits.
func mulDivUp(a, b, d u256.Int) u256.Int {
	q := mulDiv(a, b, d)
	if q.Mul(d) != a.Mul(b) {
		q = q.Add(u256.One)
	}
	return q
}
