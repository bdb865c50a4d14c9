package kuru

import (
	"maps"
	"slices"
	"sort"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// order is a maker's offer. Orders of one price are filled oldest first.
type order struct {
	id      uint64
	price   uint32   // times pricePrecision
	flip    uint32   // the price at which what was filled is offered back; 0: never
	partner uint64   // the order that offers it back, once there is one
	size    u256.Int // times sizePrecision
	maker   common.Address
}

func (o *order) worth() u256.Int { return u256.From(uint64(o.price)) }

// Sides of the book, named by the token a taker brings.
const (
	bids = base
	asks = quote
)

// insert puts the newest order behind those of a price as good as its own.
// Orders are in the order they are filled, and the slice is never written to.
func insert(side int, orders []order, o order) []order {
	at := sort.Search(len(orders), func(i int) bool { return better(side, o.worth(), orders[i].worth()) })
	next := make([]order, 0, len(orders)+1)
	return append(append(append(next, orders[:at]...), o), orders[at:]...)
}

// better tells which price a taker prefers.
func better(side int, a, b u256.Int) bool {
	if side == bids {
		return a.Gt(b)
	}
	return a.Lt(b)
}

func find(orders []order, id uint64) int {
	return slices.IndexFunc(orders, func(o order) bool { return o.id == id })
}

// edit is the side with one order changed.
func edit(orders []order, i int, change func(*order)) []order {
	next := slices.Clone(orders)
	change(&next[i])
	return next
}

// place adds a new order, and tells the one it is paired with.
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

// resize is a fill or what a fill gives back. An order of no size is gone.
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

// pay notes that the maker of an order gets money.
func (p *Pool) pay(side int, id uint64) {
	i := find(p.book[side], id)
	if i < 0 || p.paid[p.book[side][i].maker] {
		return
	}
	paid := map[common.Address]bool{p.book[side][i].maker: true}
	maps.Copy(paid, p.paid)
	p.paid = paid
}

// fill takes from an order, which may be a flip order: what was filled is then
// offered back on the other side, by its partner or by a new order.
func (p *Pool) fill(side int, o order, size u256.Int) {
	if o.flip != 0 {
		back := size
		if side == asks {
			back = size.Mul(o.worth()).Div(u256.From(uint64(o.flip)))
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

// vault quotes a ladder without end beside the book: the next step of a side
// is one spread away, and a step taken on one side moves the other along.
type vault struct {
	price  [2]u256.Int // best of each side, times 1e18
	size   [2]u256.Int // of the best step, times sizePrecision
	filled [2]u256.Int // of that
}

var (
	wad    = u256.From(1_000_000_000_000_000_000)
	one    = u256.From(10_000)
	double = u256.From(20_000)
)

// rest is what is left of the best step.
func (v *vault) rest(side int) u256.Int { return v.size[side].Sub(v.filled[side]) }

// take fills part of the best step.
func (v *vault) take(side int, size u256.Int) { v.filled[side] = v.filled[side].Add(size) }

// step moves the vault past the best step of a side; the other side follows.
// All rounding is as in AbstractAMM.
func (v *vault) step(side int, spread u256.Int) {
	l := ladder{v.price[side], v.size[side]}
	l.step(side, spread)
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

// ladder is one side of the vault.
type ladder struct{ price, size u256.Int }

// open tells whether anything is offered. An untouched market has its ask at
// the end of the world and its bid at zero.
func (l *ladder) open() bool {
	return !l.size.IsZero() && !l.price.IsZero() && l.price != u256.Max
}

// step goes on to the next step; false is an overflow.
func (l *ladder) step(side int, spread u256.Int) (ok bool) {
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

func mulDivRound(a, b, d u256.Int) (u256.Int, bool) {
	product, over := a.MulOver(b)
	sum, carry := product.AddOver(d.Rsh(1))
	return sum.Div(d), !over && !carry
}
