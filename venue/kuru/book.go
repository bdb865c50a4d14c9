package kuru

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/sequence"
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

// better tells that a taker prefers price a to price b.
func better(side int, a, b u256.Int) bool {
	if side == bids {
		return a.Gt(b)
	}
	return a.Lt(b)
}

// ref tells where an order is.
type ref struct {
	id    uint64
	price uint32
	side  uint8
}

// refs are where the orders of a book are, by rising id.
func refs(book [2]sequence.List[order]) sequence.List[ref] {
	list := make([]ref, 0, book[bids].Len()+book[asks].Len())
	for side, orders := range book {
		for _, o := range orders.Slice() {
			list = append(list, ref{o.id, o.price, uint8(side)})
		}
	}
	slices.SortStableFunc(list, func(a, b ref) int { return cmp.Compare(a.id, b.id) })
	return sequence.Of(list)
}

// find is the place of an order on a side; false if it is not there.
func (p *Pool) find(side int, id uint64) (i int, found bool) {
	if r, found := p.ref(id); found && int(r.side) == side {
		return locate(p.book[side], r)
	}
	return 0, false
}

// ref is that to an order; false if there is no such order.
func (p *Pool) ref(id uint64) (r ref, found bool) {
	at := p.refs.Search(func(r *ref) bool { return r.id >= id })
	if at < p.refs.Len() {
		r = p.refs.At(at)
	}
	return r, r.id == id && at < p.refs.Len()
}

// locate is the place of an order on its side. Orders of one price are placed by
// rising id, so it is searched; where it is not found so they were not, and all
// of the price are looked at.
func locate(orders sequence.List[order], r ref) (i int, found bool) {
	side := int(r.side)
	i = orders.Search(func(o *order) bool { return worse(side, o.price, r.price) || o.price == r.price && o.id >= r.id })
	if i < orders.Len() && orders.At(i).id == r.id {
		return i, true
	}
	i = orders.Search(func(o *order) bool { return !worse(side, r.price, o.price) })
	for ; i < orders.Len() && orders.At(i).price == r.price; i++ {
		if orders.At(i).id == r.id {
			return i, true
		}
	}
	return 0, false
}

// worse tells that a taker prefers price b to price a.
func worse(side int, a, b uint32) bool {
	if side == bids {
		return a < b
	}
	return a > b
}

// place adds a new order, which comes after those of the same or a better price,
// and makes it the partner of its own partner.
func (p *Pool) place(side int, o order) {
	at := p.book[side].Search(func(other *order) bool { return worse(side, other.price, o.price) })
	p.book[side] = p.book[side].Splice(at, at, o)
	p.refer(side, o)
	p.last = max(p.last, o.id)
	p.pair(1-side, o.partner, o.id)
}

// refer notes where an order is.
func (p *Pool) refer(side int, o order) {
	at := p.refs.Search(func(r *ref) bool { return r.id > o.id })
	p.refs = p.refs.Splice(at, at, ref{o.id, o.price, uint8(side)})
}

// remove takes an order out of the book.
func (p *Pool) remove(side, i int) {
	id := p.book[side].At(i).id
	p.book[side] = p.book[side].Splice(i, i+1)
	at := p.refs.Search(func(r *ref) bool { return r.id >= id })
	p.refs = p.refs.Splice(at, at+1)
}

// pair makes an order, if it is there, the partner of another.
func (p *Pool) pair(side int, id, partner uint64) {
	if id == 0 {
		return
	}
	if i, found := p.find(side, id); found {
		o := p.book[side].At(i)
		o.partner = partner
		p.book[side] = p.book[side].Splice(i, i+1, o)
	}
}

// resize gives an order another size; one of size 0 is removed. It is false if
// there is no such order.
func (p *Pool) resize(side int, id uint64, size u256.Int) bool {
	i, found := p.find(side, id)
	if !found {
		return false
	}
	o := p.book[side].At(i)
	if !size.IsZero() {
		o.size = size
		p.book[side] = p.book[side].Splice(i, i+1, o)
		return true
	}
	p.remove(side, i)
	p.pair(1-side, o.partner, 0)
	return true
}

// pay records that the maker of an order has been paid, so that its balances in
// the margin account are not zero.
func (p *Pool) pay(side int, id uint64) {
	i, found := p.find(side, id)
	if !found {
		return
	}
	maker := p.book[side].At(i).maker
	if at, paid := p.paidAt(maker); !paid {
		p.paid = p.paid.Splice(at, at, maker)
	}
}

// paidAt is the place of a maker among those that were paid, and whether it is
// there.
func (p *Pool) paidAt(maker common.Address) (i int, paid bool) {
	i = p.paid.Search(func(a *common.Address) bool { return a.Cmp(maker) >= 0 })
	return i, i < p.paid.Len() && p.paid.At(i) == maker
}

// wasPaid tells whether logs show that a maker was paid.
func (p *Pool) wasPaid(maker common.Address) bool {
	_, paid := p.paidAt(maker)
	return paid
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
		} else if i, found := p.find(1-side, o.partner); found {
			p.resize(1-side, o.partner, p.book[1-side].At(i).size.Add(back))
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
