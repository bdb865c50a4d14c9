package hanji

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"braid/u256"
	"braid/venue"
)

// naive is a side as a slice that is changed in place.
type naive []level

func (n *naive) with(price, shares u256.Int, rising bool) {
	i := 0
	for i < len(*n) && ((*n)[i].price.Lt(price) == rising) && (*n)[i].price != price {
		i++
	}
	if i < len(*n) && (*n)[i].price == price {
		(*n)[i].shares = (*n)[i].shares.Add(shares)
		return
	}
	*n = slices.Insert(*n, i, level{price, shares})
}

func (n *naive) less(price, shares u256.Int) bool {
	i := slices.IndexFunc(*n, func(l level) bool { return l.price == price })
	if i < 0 || (*n)[i].shares.Lt(shares) {
		return false
	}
	if (*n)[i].shares = (*n)[i].shares.Sub(shares); (*n)[i].shares.IsZero() {
		*n = slices.Delete(*n, i, i+1)
	}
	return true
}

// fill is what a market order of so many shares fills, level by level; take
// removes it.
func (n naive) fill(shares u256.Int) (f filled, ok bool) {
	for _, l := range n {
		part := u256.Min(l.shares, shares.Sub(f.shares))
		f.sum = f.sum.with(&level{l.price, part})
		f.levels++
		if f.whole = part == l.shares; f.shares == shares {
			return f, f.levels <= MaxLevels
		}
	}
	return filled{}, false
}

// spend is what a budget buys, level by level.
func (n naive) spend(budget u256.Int) (f filled, ok bool) {
	for _, l := range n {
		part := u256.Min(l.shares, budget.Sub(f.value).Div(l.price))
		f.sum = f.sum.with(&level{l.price, part})
		f.levels++
		if f.whole = part == l.shares; !f.whole {
			return f, f.levels <= MaxLevels
		}
	}
	return f, f.levels <= MaxLevels
}

func (n *naive) take(shares u256.Int) {
	for !shares.IsZero() {
		part := u256.Min((*n)[0].shares, shares)
		n.less((*n)[0].price, part)
		shares = shares.Sub(part)
	}
}

// TestBookAgainstNaive holds a market's book and what market orders fill of it
// to the naive one, over thousands of events.
func TestBookAgainstNaive(t *testing.T) {
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 9))
		p, n := market(1e15, 1, 1, nil, nil), [2]naive{}
		prices, f := uint64(1)<<(2+seed%11), New(nil, wrapped)
		for i := range 3000 {
			side, size := r.IntN(2), u256.From(1+r.Uint64N(1<<(1+r.IntN(40))))
			price := u256.From(10_000 - r.Uint64N(min(prices, 9999)))
			if side == y {
				price = u256.From(10_001 + r.Uint64N(prices))
			}
			before, was := p, []level(nil)
			if i%100 == 0 {
				was = p.book[side].Slice()
			}
			e := venue.Event(placed{side: side, price: price, placed: size})
			switch r.IntN(8) {
			case 0, 1:
				e = claimed{side: side, price: price, shares: size}
				if left, found := p.book[side].find(price, side == y); found && r.IntN(3) > 0 {
					e = claimed{side: side, price: price, shares: p.book[side].At(left).shares}
				}
				if c := e.(claimed); !n[side].less(price, c.shares) {
					continue // it would stop the market for good
				}
			case 2:
				fill, ok := n[1-side].fill(size)
				if !ok {
					continue
				}
				n[1-side].take(size)
				n[side].with(price, size, side == y)
				e = placed{side: side, price: price, placed: size, shares: size, value: fill.value}
			default:
				n[side].with(price, size, side == y)
			}
			next, err := f.Apply(p, e)
			if err != nil || next.(*Pool).stops != 0 {
				t.Fatalf("seed %d, event %d: %+v: %v", seed, i, e, err)
			}
			if p = next.(*Pool); i%100 == 0 {
				check(t, r, p, n)
				if !slices.Equal(before.book[side].Slice(), was) {
					t.Fatalf("seed %d, event %d: the book before was changed", seed, i)
				}
			}
		}
		check(t, r, p, n)
	}
}

// check holds a market to naive sides: its levels, its stored bytes, and market
// orders of any size.
func check(t *testing.T, r *rand.Rand, p *Pool, n [2]naive) {
	t.Helper()
	var book [2][]stored
	for side, levels := range n {
		if !slices.Equal(p.book[side].Slice(), levels) {
			t.Fatalf("side %d: %v, not %v", side, p.book[side].Slice(), levels)
		}
		var total sum
		for _, l := range levels {
			total = total.with(&l)
			book[side] = append(book[side], stored{l.price, total})
		}
		for range 20 {
			if len(levels) == 0 {
				break
			}
			k := book[side][r.IntN(len(levels))]
			shares, budget := k.shares.Add(u256.From(1)).Sub(u256.From(r.Uint64N(3))), k.value.Add(u256.One).Sub(u256.From(r.Uint64N(3)))
			if shares.IsZero() {
				continue
			}
			got, ok := p.book[side].fill(shares)
			if want, wanted := levels.fill(shares); ok != wanted || ok && got != want {
				t.Fatalf("%v shares of side %d: %+v, not %+v", shares, side, got, want)
			}
			got, ok = p.book[side].spend(budget)
			if want, wanted := levels.spend(budget); ok != wanted || ok && got != want {
				t.Fatalf("a budget of %v on side %d: %+v, not %+v", budget, side, got, want)
			}
		}
	}
	want := venue.Encode(func(c *venue.Codec) { p.fields(c, &book) })
	if !bytes.Equal((&Family{}).Save(p), want) {
		t.Fatal("stored with other bytes")
	}
}

// TestMaxLevels: a book of more levels than the gas of a transaction reaches is
// traded up to there, and refuses more.
func TestMaxLevels(t *testing.T) {
	p := crowded(3 * MaxLevels)
	for in := range 2 {
		all := naive(p.book[in].Slice())
		reached := p.book[in].first(MaxLevels)
		for _, more := range []uint64{0, 1, 2, 1000, 1 << 40} {
			got, ok := p.book[in].fill(reached.shares.Add(u256.From(more)))
			if want, wanted := all.fill(reached.shares.Add(u256.From(more))); ok != (more == 0) || ok != wanted || ok && got != want {
				t.Errorf("%d shares beyond: %+v %v, not %+v", more, got, ok, want)
			}
			if got, ok := p.book[in].spend(reached.value.Add(u256.From(more))); ok {
				t.Errorf("%d of value beyond: %+v", more, got)
			}
			less := reached.value.Sub(u256.From(more + 1))
			if got, ok := p.book[in].spend(less); !ok {
				t.Errorf("%v of value is refused", less)
			} else if want, _ := all.spend(less); got != want {
				t.Errorf("%v of value: %+v, not %+v", less, got, want)
			}
		}
	}
}

// step is how far prices of a crowded market are apart, in millionths of the best.
const step = 20

// crowded is a market of so many levels on each side, of all sizes.
func crowded(n int) *Pool {
	r := rand.New(rand.NewPCG(10, 11))
	var bids, asks [][2]uint64
	for i := range uint64(n) {
		bids, asks = append(bids, [2]uint64{1_000_000 - step*i, 1 + r.Uint64N(1<<30)}), append(asks, [2]uint64{1_000_000 + step*(i+1), 1 + r.Uint64N(1<<30)})
	}
	return market(1e15, 1, 1, bids, asks)
}

// TestSupplyOfManyLevels: the supply of a large book has few pieces. It is exact
// for the best levels and at the end; between, it is never above the quotes by
// more than the bend of flat pieces, and not below by more than what a piece's
// prices differ.
func TestSupplyOfManyLevels(t *testing.T) {
	for _, n := range []int{1, nearPieces, nearPieces + 1, 300, MaxLevels, 3 * MaxLevels} {
		p := crowded(n)
		for in := range 2 {
			s := p.Supply(in, 1-in)
			if len(s.Pieces) > nearPieces+farPieces {
				t.Errorf("%d levels: %d pieces", n, len(s.Pieces))
			}
			group := max(1, math.Ceil(float64(p.book[in].reach()-nearPieces)/farPieces))
			var low, high float64 // how far it is off
			for part := range 500 {
				amount := s.Max * float64(part+1) / 501
				q, err := p.Quote(in, 1-in, u256.FromFloat(amount))
				if err != nil || q.Out.BitLen() < 24 {
					continue
				}
				out, _, _ := s.Pay(amount)
				low, high = min(low, out/q.Out.Float()-1), max(high, out/q.Out.Float()-1)
			}
			if high > 2e-6 || low < -3e-6-step*1e-6*(group-1) {
				t.Errorf("%d levels, in %d: the supply is off by %g to %g", n, in, low, high)
			}
		}
	}
}

// TestWork: an event in a book of 100,000 levels and the quote after it cost
// little, and the book takes no more than its levels did in one slice.
func TestWork(t *testing.T) {
	const size, rounds = 100_000, 300
	var p *Pool
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p = market(1e15, 1, 1, nil, nil)
	for i := range uint64(size) {
		p.book[x] = p.book[x].with(u256.From(1_000_000-i), u256.From(1000), false)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if per := (after.HeapAlloc - before.HeapAlloc) / size; per > 96 {
		t.Errorf("%d bytes a level", per)
	}
	r := rand.New(rand.NewPCG(12, 13))
	runtime.ReadMemStats(&before)
	for i := range rounds {
		e := venue.Event(placed{side: x, price: u256.From(1_000_000 - r.Uint64N(size)), placed: u256.From(1000)})
		if i%2 == 0 {
			e = claimed{side: x, price: e.(placed).price, shares: u256.One}
		}
		next, err := (&Family{}).Apply(p, e)
		if err != nil {
			t.Fatal(err)
		}
		p = next.(*Pool)
		if _, err := p.Quote(x, y, u256.From(1_000_000)); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if per := (after.TotalAlloc - before.TotalAlloc) / rounds; per > 64<<10 {
		t.Errorf("an event and a quote allocate %d bytes", per)
	}
}
