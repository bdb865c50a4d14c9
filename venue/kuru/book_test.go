package kuru

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/sequence"
	"braid/u256"
	"braid/venue"
)

// naive is a book as slices that are changed in place.
type naive struct {
	book [2][]order
	last uint64
	paid map[common.Address]bool
}

func (n *naive) find(side int, id uint64) int {
	return slices.IndexFunc(n.book[side], func(o order) bool { return o.id == id })
}

func (n *naive) place(side int, o order) {
	at := 0
	for at < len(n.book[side]) && !better(side, o.price256(), n.book[side][at].price256()) {
		at++
	}
	n.book[side] = slices.Insert(n.book[side], at, o)
	n.last = max(n.last, o.id)
	n.pair(1-side, o.partner, o.id)
}

func (n *naive) pair(side int, id, partner uint64) {
	if i := n.find(side, id); id != 0 && i >= 0 {
		n.book[side][i].partner = partner
	}
}

func (n *naive) resize(side int, id uint64, size u256.Int) bool {
	i := n.find(side, id)
	switch {
	case i < 0:
		return false
	case size.IsZero():
		n.pair(1-side, n.book[side][i].partner, 0)
		n.book[side] = slices.Delete(n.book[side], i, i+1)
	default:
		n.book[side][i].size = size
	}
	return true
}

// apply is false for an event that cannot be.
func (n *naive) apply(e venue.Event) bool {
	switch e := e.(type) {
	case placed:
		n.place(e.side, e.order)
	case resized:
		return n.resize(bids, e.id, e.size) || n.resize(asks, e.id, e.size)
	case canceled:
		for _, id := range e.ids {
			for side := range n.book {
				if i := n.find(side, id); i >= 0 {
					if partner := n.book[side][i].partner; e.pairs && partner != 0 {
						n.resize(1-side, partner, u256.Zero)
					}
					n.resize(side, id, u256.Zero)
					break
				}
			}
		}
	case traded:
		if i := n.find(e.side, e.id); i >= 0 {
			n.paid[n.book[e.side][i].maker] = true
		}
		return n.resize(e.side, e.id, e.size)
	}
	return true
}

// crowd makes events of a book: of few prices or of many, small or large, with
// ids that rise but for some.
type crowd struct {
	*rand.Rand
	prices, most int
	ids          []uint64 // of all orders so far
	count        uint64
}

func (c *crowd) known() uint64 {
	if len(c.ids) == 0 || c.IntN(20) == 0 {
		return c.Uint64N(1 << 20)
	}
	return c.ids[c.IntN(len(c.ids))]
}

func (c *crowd) event() venue.Event {
	side, size := c.IntN(2), u256.From(1+c.Uint64N(1e15))
	if kind := c.IntN(10); kind < 6 || kind < 8 && len(c.ids) < c.most {
		c.count++
		o := order{id: c.count, price: 1000 + uint32(c.IntN(c.prices)), size: size, maker: common.Address{byte(c.IntN(200))}}
		if c.IntN(10) > 0 {
			o.id += 1 << 20
		}
		if c.IntN(3) == 0 {
			o.flip, o.partner = 500, c.known()
		}
		c.ids = append(c.ids, o.id)
		return placed{side: side, order: o}
	}
	switch c.IntN(4) {
	case 0:
		return resized{id: c.known(), size: size}
	case 1:
		return canceled{ids: []uint64{c.known(), c.known(), c.known()}, pairs: c.IntN(2) == 0}
	case 2:
		return traded{side: side, id: c.known(), size: size}
	}
	return traded{side: side, id: c.known()}
}

// TestBookAgainstNaive holds a market's book to the naive one over thousands of
// events, and its stored bytes and levels to those of a market that has the same
// orders from the start.
func TestBookAgainstNaive(t *testing.T) {
	for seed := range uint64(24) {
		c := &crowd{Rand: rand.New(rand.NewPCG(seed, 4)), prices: 1 << (seed % 12), most: 50 << (seed % 6)}
		p, n := deep(0), &naive{paid: map[common.Address]bool{}}
		p.info = &venue.Info{Source: &venue.Source{}}
		for i := range 3000 {
			before, was := p, []order(nil)
			if i%100 == 0 {
				was = p.book[bids].Slice()
			}
			e := c.event()
			next, err := (&Family{}).Apply(p, e)
			if ok := n.apply(e); ok != (err == nil) {
				t.Fatalf("seed %d, event %d: %+v: %v", seed, i, e, err)
			}
			if err == nil {
				p = next.(*Pool)
			}
			if i%100 == 0 {
				n.check(t, p)
				if !slices.Equal(before.book[bids].Slice(), was) {
					t.Fatalf("seed %d, event %d: the book before was changed", seed, i)
				}
			}
		}
		n.check(t, p)
	}
}

// check holds a market to the naive book.
func (n *naive) check(t *testing.T, p *Pool) {
	t.Helper()
	whole := p.next()
	for side, orders := range n.book {
		if !slices.Equal(p.book[side].Slice(), orders) {
			t.Fatalf("side %d: %v, not %v", side, p.book[side].Slice(), orders)
		}
		whole.book[side] = sequence.Of(orders)
	}
	whole.refs = refs(whole.book)
	if !slices.Equal(p.refs.Slice(), whole.refs.Slice()) || p.last != n.last || p.paid.Len() != len(n.paid) {
		t.Fatalf("refs %v, last %d, %d were paid", p.refs.Slice(), p.last, p.paid.Len())
	}
	for maker := range n.paid {
		if !p.wasPaid(maker) {
			t.Fatalf("%s was paid", maker)
		}
	}
	f := &Family{}
	if !bytes.Equal(f.Save(p), f.Save(whole)) {
		t.Fatal("stored with other bytes")
	}
	for side := range n.book {
		same := func(a, b level) bool {
			return a.price == b.price && a.size == b.size && a.cost == b.cost && a.before == b.before && slices.Equal(a.orders, b.orders)
		}
		if !slices.EqualFunc(p.levels(side), whole.levels(side), same) {
			t.Fatalf("side %d: levels %v, not %v", side, p.levels(side), whole.levels(side))
		}
	}
}

// TestCrowdedLevel: that a level has only the orders that a market order can
// reach changes no match.
func TestCrowdedLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var filled, refused [2]int // by side
	for range 100 {
		p, prices := deep(0), 1+r.IntN(20)
		if r.IntN(2) == 0 {
			p.vault = vault{}
		}
		for i := range 400 {
			side := r.IntN(2)
			price := 30_000_000 + uint32((2*side-1)*(1+r.IntN(prices)))*3_000
			p.place(side, order{id: uint64(i + 1), price: price, size: u256.From(1 + r.Uint64N(1<<(1+r.IntN(50))))})
		}
		for in := range 2 {
			levels := p.levels(in)
			last := levels[len(levels)-1]
			if last.orders == nil {
				continue
			}
			last.orders = slices.DeleteFunc(p.book[in].Slice(), func(o order) bool { return o.price != last.orders[0].price })
			last.size = u256.Zero
			for _, o := range last.orders {
				last.size = last.size.Add(o.size)
			}
			all := append(slices.Clone(levels[:len(levels)-1]), last)
			yes, no := p.sameMatches(t, r, in, levels, all)
			filled[in], refused[in] = filled[in]+yes, refused[in]+no
		}
	}
	if slices.Min(filled[:]) < 1000 || slices.Min(refused[:]) < 1000 {
		t.Errorf("only %d were filled and %d refused", filled, refused)
	}
}

// sameMatches matches market orders that end at or about the end of each order
// of the last level, and others, with levels and with all levels, and tells how
// many are filled and how many are not.
func (p *Pool) sameMatches(t *testing.T, r *rand.Rand, in int, levels, all []level) (filled, refused int) {
	t.Helper()
	last := &all[len(all)-1]
	ends := []u256.Int{last.before.size.Add(last.size)}
	for size, i := last.before.size, 0; i < len(last.orders); i++ {
		size = size.Add(last.orders[i].size)
		ends = append(ends, size)
	}
	for _, end := range ends {
		units, fill := end, p.sell
		if in == quote {
			before := last.before.bookQuote.Add(last.before.vaultQuote.Div(p.toWad))
			units, fill = before.Add(mulDivUp(last.price, end.Sub(last.before.size), p.sizePrecision)), p.buy
		}
		for _, away := range []uint64{2, 3, 4, 5, r.Uint64N(1 << 40)} {
			amount := units.Add(u256.From(away)).Sub(u256.From(3))
			if amount.IsZero() || amount.BitLen() > 96 {
				continue
			}
			got, err := fill(levels, amount)
			want, wantErr := fill(all, amount)
			if got != want || err != wantErr {
				t.Fatalf("in %d: an order of %v: %+v %v, not %+v %v", in, amount, got, err, want, wantErr)
			}
			if err == nil {
				filled++
			} else {
				refused++
			}
		}
	}
	return filled, refused
}

// TestWork: an event in a book of 100,000 orders and the levels after it cost
// little, whatever the event, and the book takes little more than its orders.
func TestWork(t *testing.T) {
	const size, rounds = 100_000, 300
	for _, c := range []struct {
		name  string
		price func(i int) uint32
	}{
		{"a price each", func(i int) uint32 { return 29_000_000 - uint32(i) }},
		{"one price", func(int) uint32 { return 29_000_000 }},
	} {
		var p *Pool
		built := allocatedNow(func() {
			p = deep(0)
			p.vault = vault{}
			for i := range size {
				p.place(bids, order{id: uint64(i + 1), price: c.price(i), size: u256.From(1e12), maker: common.Address{byte(i), byte(i >> 8), byte(i >> 16)}})
			}
		})
		if per := built / size; per > 120 {
			t.Errorf("%s: %d bytes an order", c.name, per)
		}
		r := rand.New(rand.NewPCG(7, 8))
		for name, do := range map[string]func(*Pool, int) venue.Event{
			"placed": func(p *Pool, i int) venue.Event {
				return placed{side: bids, order: order{id: p.last + 1, price: c.price(i), size: u256.One}}
			},
			"canceled": func(_ *Pool, i int) venue.Event { return canceled{ids: []uint64{uint64(i + 1)}} },
			"traded":   func(_ *Pool, i int) venue.Event { return traded{side: bids, id: uint64(i + 1), size: u256.One} },
			"resized":  func(_ *Pool, i int) venue.Event { return resized{id: uint64(i + 1), size: u256.One} },
		} {
			next := p
			per := allocated(func() {
				for range rounds {
					e, err := (&Family{}).Apply(next, do(next, r.IntN(size)))
					if err != nil {
						t.Fatal(err)
					}
					next = e.(*Pool)
					if _, err := next.Quote(base, quote, u256.From(1e18)); err != nil {
						t.Fatal(err)
					}
				}
			}) / rounds
			if per > 64<<10 {
				t.Errorf("%s: %s allocates %d bytes", c.name, name, per)
			}
		}
		if n := len(p.levels(bids)[0].orders); n > MaxFills+1 {
			t.Errorf("%s: a level has %d orders", c.name, n)
		}
	}
}

// allocated is how many bytes a function allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// allocatedNow is how many bytes a function allocates that are still in use.
func allocatedNow(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	do()
	runtime.GC()
	runtime.ReadMemStats(&after)
	return after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
}
