package ticks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"braid/u256"
)

// TestTree holds books to the naive one, over thousands of changes: they grow,
// then positions are taken out until none is left, then they grow again. Some
// changes are refused. The last book begins with more ticks than a tree of two
// levels holds.
func TestTree(t *testing.T) {
	for seed := range uint64(5) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { testTree(t, rand.New(rand.NewPCG(seed, 1)), 2500, 0) })
	}
	t.Run("large", func(t *testing.T) { testTree(t, rand.New(rand.NewPCG(6, 1)), 700, maxWidth*maxWidth+100) })
}

func testTree(t *testing.T, r *rand.Rand, changes, start int) {
	m := &followed{T: t, Rand: r, book: NewBook(spacing), growth: NewFeeGrowth(), at: inside(5), reach: int32(40) << r.IntN(6)}
	m.naive = naive{map[int32]Tick{}, map[int32][2]outside{}}
	if start > 0 {
		m.begin(int32(start))
	}
	refused, most, grows := 0, 0, true
	for n := range changes {
		if len(m.positions) == 0 || n%1000 == 0 {
			grows = true
		} else if n%1000 == 600 {
			grows = false
		}
		switch k := r.IntN(20); {
		case k == 0:
			if !m.tooMuch() {
				refused++
			}
		case k < 3:
			m.swap()
		case k < 18 == grows || len(m.positions) == 0:
			m.add()
		default:
			m.remove(1 + r.IntN(3))
		}
		most = max(most, m.book.size())
		if n%29 == 0 || m.book.size() < 3 {
			compare(t, m.book, &m.growth, &m.naive)
		}
	}
	if refused < 5 || most < 60 {
		t.Errorf("%d changes were refused, at most %d ticks", refused, most)
	}
}

const spacing = 10

// followed is a book that is changed at random, and the naive one.
type followed struct {
	*testing.T
	*rand.Rand
	naive
	book      *Book
	growth    FeeGrowth
	at        Point
	positions []Position
	reach     int32 // of positions, in spacings
}

// begin makes positions side by side, at n ticks.
func (m *followed) begin(n int32) {
	m.reach = n
	for tick := -n / 2; tick < n/2; tick += 2 {
		p := Position{tick * spacing, (tick + 1) * spacing, u256.One}
		m.ticks[p.Lower] = Tick{p.Lower, u256.One, u256.One}
		m.ticks[p.Upper] = Tick{p.Upper, u256.One, u256.Zero.Sub(u256.One)}
		m.earned[p.Lower], m.earned[p.Upper] = [2]outside{}, [2]outside{}
		m.positions = append(m.positions, p)
	}
	var err error
	if m.book, err = BookOf(spacing, m.list()); err != nil {
		m.Fatal(err)
	}
}

// change changes both books, or none.
func (m *followed) change(p Position, delta u256.Int) bool {
	next, growth, err := m.growth.With(m.book, p.Lower, p.Upper, delta)
	if m.with(p.Lower, p.Upper, delta, m.growth.NonZero) != (err == nil) {
		m.Fatalf("%+v by %v: %v", p, delta, err)
	}
	if err == nil {
		m.book, m.growth = next, growth
	}
	return err == nil
}

// somewhere is a random range of a width below most, in spacings.
func (m *followed) somewhere(most int32) Position {
	lower := m.Int32N(2*m.reach) - m.reach
	return Position{Lower: lower * spacing, Upper: (lower + 1 + m.Int32N(most)) * spacing}
}

// tooMuch tries to take out more than there is, or to add far too much. If that
// is possible it is undone.
func (m *followed) tooMuch() bool {
	p, delta := m.somewhere(m.reach), u256.Zero.Sub(u256.From(1+m.Uint64N(1<<20)))
	if len(m.positions) > 0 && m.IntN(2) == 0 { // the ends have enough, what lies between may not
		a, b := m.positions[m.IntN(len(m.positions))], m.positions[m.IntN(len(m.positions))]
		if a.Lower < b.Upper {
			p.Lower, p.Upper, delta = a.Lower, b.Upper, u256.Zero.Sub(u256.Min(a.Liquidity, b.Liquidity))
		}
	} else if m.IntN(2) == 0 {
		delta = u256.One.Lsh(128).Sub(u256.From(1 + m.Uint64N(1<<40)))
	}
	return m.change(p, delta) && m.change(p, u256.Zero.Sub(delta))
}

// swap moves the price.
func (m *followed) swap() {
	const fee = 3000
	to := inside(max(MinTick, min(MaxTick-2, m.at.Tick+int32(m.NormFloat64()*float64(m.reach)*spacing/2))))
	token := 0
	if to.Tick > m.at.Tick {
		token = 1
	}
	if to.Tick != m.at.Tick {
		m.after(token, m.at.Tick, to.Tick)
		m.growth = m.growth.After(m.book, fee, m.at, to)
		m.at = to
	}
}

// add adds a position, most often a narrow one.
func (m *followed) add() {
	p := m.somewhere(3)
	if m.IntN(4) == 0 {
		p = m.somewhere(m.reach)
	}
	p.Liquidity = u256.From(1 + m.Uint64N(1<<20))
	if m.change(p, p.Liquidity) {
		m.positions = append(m.positions, p)
	}
}

// remove takes positions out, up to so many.
func (m *followed) remove(n int) {
	for range min(n, len(m.positions)) {
		i := m.IntN(len(m.positions))
		p := m.positions[i]
		m.positions = slices.Delete(m.positions, i, i+1)
		if !m.change(p, u256.Zero.Sub(p.Liquidity)) {
			m.Fatalf("%+v cannot be taken out", p)
		}
	}
}

// inside is a price within a tick.
func inside(tick int32) Point { return Point{GetSqrtRatioAtTick(tick).Add(u256.One), tick} }

// compare holds ticks, liquidity and fees to those of the naive book, and the
// tree to its own rules.
func compare(t *testing.T, b *Book, g *FeeGrowth, n *naive) {
	t.Helper()
	want := n.list()
	if got := b.Ticks(); !slices.Equal(got, want) {
		t.Fatalf("ticks are %v, not %v", got, want)
	}
	rebuilt, err := BookOf(b.spacing, want)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range want {
		for _, tick := range []int32{k.Index - 1, k.Index, k.Index + 1} {
			if b.Liquidity(tick) != rebuilt.Liquidity(tick) || b.at(tick) != rebuilt.at(tick) {
				t.Fatalf("tick %d: liquidity %v, not %v", tick, b.Liquidity(tick), rebuilt.Liquidity(tick))
			}
		}
		var r run
		b.seek(&r, i)
		for token := range 2 {
			if got := r.earned(i, token) | g.spans[token].outside(k.Index); got != n.earned[k.Index][token] {
				t.Fatalf("tick %d, token %d: earned %b, not %b", k.Index, token, got, n.earned[k.Index][token])
			}
		}
	}
	if len(want) > 0 && n.active(want[len(want)/2].Index) != b.Liquidity(want[len(want)/2].Index) {
		t.Fatal("liquidity differs")
	}
	for _, book := range []*Book{b, rebuilt} {
		if book.root != nil {
			checkNode(t, book.root, true)
		}
	}
}

// checkNode: nodes are neither too wide nor, side by side, too narrow, leaves
// are equally deep, and what a parent knows of a subtree is true of it. It
// returns the height.
func checkNode(t *testing.T, n *node, root bool) int {
	t.Helper()
	if w := n.width(); w > maxWidth || w == 0 || root && n.inner != nil && w == 1 {
		t.Fatalf("a node of width %d, root %v", w, root)
	}
	height, before := 0, int32(0)
	for i, k := range n.inner {
		var again subtree
		if opened := k.opened(); opened.inner != nil {
			again = newInner(slices.Clone(opened.inner))
		} else {
			again = newLeaf(opened.entries)
		}
		if k.first != again.first || k.size != again.size || k.low != again.low || k.high != again.high || k.before != before {
			t.Fatalf("subtree %d is taken for %+v, is %+v", i, k, again)
		}
		if i > 0 && k.width()+n.inner[i-1].width() <= maxWidth/2 {
			t.Fatalf("neighbours of widths %d and %d", n.inner[i-1].width(), k.width())
		}
		before += k.size
		below := 1 + checkNode(t, k.node, false)
		if i > 0 && below != height {
			t.Fatalf("leaves are %d and %d deep", height, below)
		}
		height = below
	}
	return height
}
