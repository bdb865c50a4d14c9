package kuru

import (
	"maps"
	"slices"
	"sort"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// order is a limit order of a maker. Orders of one price are filled oldest
// first. What is filled of a flip order is offered back on the other side, at
// the flip price, by its partner.
type order struct {
	id      uint64
	price   uint32   // times pricePrecision
	flip    uint32   // flip price, times pricePrecision; 0 for a plain order
	partner uint64   // id of the order on the other side; 0 if there is none yet
	size    u256.Int // base, times sizePrecision
	maker   common.Address
}

// price256 is the price as a u256.Int, times pricePrecision.
func (o *order) price256() u256.Int { return u256.From(uint64(o.price)) }

// Sides of the book, numbered by the token that a taker brings to them.
const (
	bids = base
	asks = quote
)

// insert is the side with a new order, which comes after those of the same or a
// better price. Orders are in the order in which they are filled. The slice
// given is not written to.
func insert(side int, orders []order, o order) []order {
	at := sort.Search(len(orders), func(i int) bool { return better(side, o.price256(), orders[i].price256()) })
	next := make([]order, 0, len(orders)+1)
	return append(append(append(next, orders[:at]...), o), orders[at:]...)
}

// better tells that a taker prefers price a to price b.
func better(side int, a, b u256.Int) bool {
	if side == bids {
		return a.Gt(b)
	}
	return a.Lt(b)
}

func find(orders []order, id uint64) int {
	return slices.IndexFunc(orders, func(o order) bool { return o.id == id })
}

// edit is a copy of the side with one order changed.
func edit(orders []order, i int, change func(*order)) []order {
	next := slices.Clone(orders)
	change(&next[i])
	return next
}

// place adds a new order, and makes it the partner of its own partner.
func (p *Pool) place(side int, o order) {
	p.book[side] = insert(side, p.book[side], o)
	p.last = max(p.last, o.id)
	p.pair(1-side, o.partner, o.id)
}

// pair makes an order, if it is there, the partner of another.
func (p *Pool) pair(side int, id, partner uint64) {
	if id == 0 {
		return
	}
	if i := find(p.book[side], id); i >= 0 {
		p.book[side] = edit(p.book[side], i, func(o *order) { o.partner = partner })
	}
}

// resize gives an order another size; one of size 0 is removed. It is false if
// there is no such order.
func (p *Pool) resize(side int, id uint64, size u256.Int) bool {
	i := find(p.book[side], id)
	if i < 0 {
		return false
	}
	if !size.IsZero() {
		p.book[side] = edit(p.book[side], i, func(o *order) { o.size = size })
		return true
	}
	p.pair(1-side, p.book[side][i].partner, 0)
	p.book[side] = slices.Delete(slices.Clone(p.book[side]), i, i+1)
	return true
}

// pay records that the maker of an order has been paid, so that its balances in
// the margin account are not zero.
func (p *Pool) pay(side int, id uint64) {
	i := find(p.book[side], id)
	if i < 0 || p.paid[p.book[side][i].maker] {
		return
	}
	paid := map[common.Address]bool{p.book[side][i].maker: true}
	maps.Copy(paid, p.paid)
	p.paid = paid
}

// fill takes size from an order. If it is a flip order, what was filled is
// offered back on the other side, by its partner or by a new order.
func (p *Pool) fill(side int, o order, size u256.Int) {
	if o.flip != 0 {
		back := size
		if side == asks {
			back = size.Mul(o.price256()).Div(u256.From(uint64(o.flip)))
		}
		if o.partner == 0 {
			twin := order{id: p.last + 1, maker: o.maker, price: o.flip, flip: o.price, size: back}
			if size != o.size {
				twin.partner = o.id
			}
			p.place(1-side, twin)
		} else if i := find(p.book[1-side], o.partner); i >= 0 {
			p.resize(1-side, o.partner, p.book[1-side][i].size.Add(back))
		}
	}
	p.resize(side, o.id, o.size.Sub(size))
}

// vault quotes an endless series of levels on each side of the book: the next
// level of a side is one spread away, and a level that is used up on one side
// moves the other side too.
type vault struct {
	price  [2]u256.Int // best of each side, wad
	size   [2]u256.Int // base at the best level, times sizePrecision
	filled [2]u256.Int // what of that was filled already
}

var (
	wad    = u256.From(1_000_000_000_000_000_000)
	one    = u256.From(10_000) // 100% in basis points
	double = u256.From(20_000)
)

// unfilled is what is left of the best level, times sizePrecision.
func (v *vault) unfilled(side int) u256.Int { return v.size[side].Sub(v.filled[side]) }

// fill takes size from the best level.
func (v *vault) fill(side int, size u256.Int) { v.filled[side] = v.filled[side].Add(size) }

// advance moves the vault past the best level of a side; the other side
// follows. spread is in basis points. All rounding is that of AbstractAMM.
func (v *vault) advance(side int, spread u256.Int) {
	l := vaultLevel{v.price[side], v.size[side]}
	l.advance(side, spread)
	v.price[side], v.size[side], v.filled[side] = l.price, l.size, u256.Zero
	up, half := one.Add(spread), double.Add(spread)
	if side == asks {
		v.price[bids], _ = mulDivRound(l.price, one, up)
		v.size[bids] = mulDiv(l.size, half, double)
		v.filled[bids] = mulDiv(v.filled[bids], one, up)
	} else {
		v.price[asks], _ = mulDivRound(l.price, up, one)
		v.size[asks] = mulDiv(l.size, double, half)
	}
}

// vaultLevel is one level of the vault: a price in wad, and base times
// sizePrecision.
type vaultLevel struct{ price, size u256.Int }

// open tells whether anything is offered. A vault that nobody has funded has
// its ask at the largest number there is and its bid at zero.
func (l *vaultLevel) open() bool {
	return !l.size.IsZero() && !l.price.IsZero() && l.price != u256.Max
}

// advance moves to the next level; false is an overflow. spread is in basis
// points.
func (l *vaultLevel) advance(side int, spread u256.Int) (ok bool) {
	up, half := one.Add(spread), double.Add(spread)
	if side == asks {
		l.price, ok = mulDivRound(l.price, up, one)
		l.size = mulDiv(l.size, double, half)
	} else {
		l.price, ok = mulDivRound(l.price, one, up)
		l.size = mulDiv(l.size, half, double)
	}
	return ok && !l.size.Gt(max96)
}

// mulDivRound is a*b/d rounded to the nearest; false is an overflow.
func mulDivRound(a, b, d u256.Int) (u256.Int, bool) {
	product, over := a.MulOver(b)
	sum, carry := product.AddOver(d.Rsh(1))
	return sum.Div(d), !over && !carry
}
