package ticks

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"braid/u256"
)

// naive is a book as the contracts keep it, a map of ticks, with the fees that
// were earned outside of each: all of it is looked at by every change.
type naive struct {
	ticks  map[int32]Tick
	earned map[int32][2]outside
}

func (n *naive) active(tick int32) (sum u256.Int) {
	for _, t := range n.ticks {
		if t.Index <= tick {
			sum = sum.Add(t.Net)
		}
	}
	return sum
}

// with adds liquidity to a range; false leaves the book as it was.
func (n *naive) with(lower, upper int32, delta u256.Int, nonZero [2]bool) bool {
	was := maps.Clone(n.ticks)
	for tick, net := range map[int32]u256.Int{lower: delta, upper: u256.Zero.Sub(delta)} {
		t := n.ticks[tick]
		t = Tick{tick, t.Gross.Add(delta), t.Net.Add(net)}
		n.ticks[tick] = t
		if t.Gross.IsZero() {
			delete(n.ticks, tick)
		}
		if t.Gross.BitLen() > 128 {
			n.ticks = was
			return false
		}
	}
	if !n.sound() {
		n.ticks = was
		return false
	}
	for tick := range n.earned {
		if _, there := n.ticks[tick]; !there {
			delete(n.earned, tick)
		}
	}
	for tick := range n.ticks {
		if _, known := n.earned[tick]; !known {
			var fresh [2]outside
			for token, some := range nonZero {
				if some {
					fresh[token] = earnedBelow
				}
			}
			n.earned[tick] = fresh
		}
	}
	return true
}

func (n *naive) list() []Tick {
	return slices.SortedFunc(maps.Values(n.ticks), func(a, b Tick) int { return int(a.Index - b.Index) })
}

// sound tells that no liquidity is below 0 or above 2^128.
func (n *naive) sound() bool {
	var active u256.Int
	for _, t := range n.list() {
		if active = active.Add(t.Net); active.BitLen() > 128 {
			return false
		}
	}
	return active.IsZero()
}

// after notes the fees of a swap between two prices that are no ticks'.
func (n *naive) after(token int, ticks ...int32) {
	for _, tick := range ticks {
		if n.active(tick).IsZero() {
			continue
		}
		for k, o := range n.earned {
			if tick < k {
				o[token] |= earnedBelow
			} else {
				o[token] |= earnedAbove
			}
			n.earned[k] = o
		}
	}
}

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
	const fee, spacing = 3000, 10
	reach := int32(40) << r.IntN(6)
	book, growth := NewBook(spacing), NewFeeGrowth()
	model := naive{map[int32]Tick{}, map[int32][2]outside{}}
	var positions []Position
	at := inside(5)
	if start > 0 {
		reach = int32(start)
		for tick := -reach / 2; tick < reach/2; tick += 2 {
			model.ticks[tick*spacing] = Tick{tick * spacing, u256.One, u256.One}
			model.ticks[(tick+1)*spacing] = Tick{(tick + 1) * spacing, u256.One, u256.Zero.Sub(u256.One)}
			positions = append(positions, Position{tick * spacing, (tick + 1) * spacing, u256.One})
		}
		for tick := range model.ticks {
			model.earned[tick] = [2]outside{}
		}
		var err error
		if book, err = BookOf(spacing, model.list()); err != nil {
			t.Fatal(err)
		}
	}
	refused, most, grows := 0, 0, true
	change := func(p Position, delta u256.Int) bool {
		next, after, err := growth.With(book, p.Lower, p.Upper, delta)
		if model.with(p.Lower, p.Upper, delta, growth.NonZero) != (err == nil) {
			t.Fatalf("%+v by %v: %v", p, delta, err)
		}
		if err == nil {
			book, growth = next, after
		}
		return err == nil
	}
	for n := range changes {
		if len(positions) == 0 || n%1000 == 0 {
			grows = true
		} else if n%1000 == 600 {
			grows = false
		}
		switch k := r.IntN(20); {
		case k == 0: // more than there is, or far too much
			lower := r.Int32N(2*reach) - reach
			p := Position{Lower: lower * spacing, Upper: (lower + 1 + r.Int32N(reach)) * spacing}
			delta := u256.Zero.Sub(u256.From(1 + r.Uint64N(1<<20)))
			if len(positions) > 0 && r.IntN(2) == 0 { // its ends have enough, what lies between may not
				a, b := positions[r.IntN(len(positions))], positions[r.IntN(len(positions))]
				if a.Lower < b.Upper {
					p.Lower, p.Upper, delta = a.Lower, b.Upper, u256.Zero.Sub(u256.Min(a.Liquidity, b.Liquidity))
				}
			} else if r.IntN(2) == 0 {
				delta = u256.One.Lsh(128).Sub(u256.From(1 + r.Uint64N(1<<40)))
			}
			if !change(p, delta) {
				refused++
			} else { // undo it
				change(p, u256.Zero.Sub(delta))
			}
		case k < 3: // a swap
			to := inside(max(MinTick, min(MaxTick-2, at.Tick+int32(r.NormFloat64()*float64(reach)*spacing/2))))
			if to.Tick != at.Tick {
				token := 0
				if to.Tick > at.Tick {
					token = 1
				}
				model.after(token, at.Tick, to.Tick)
				growth = growth.After(book, fee, at, to)
				at = to
			}
		case k < 18 == grows || len(positions) == 0:
			lower := r.Int32N(2*reach) - reach
			width := 1 + r.Int32N(3)
			if r.IntN(4) == 0 {
				width = 1 + r.Int32N(reach)
			}
			p := Position{lower * spacing, (lower + width) * spacing, u256.From(1 + r.Uint64N(1<<20))}
			if change(p, p.Liquidity) {
				positions = append(positions, p)
			}
		default:
			for range 1 + r.IntN(3) {
				if len(positions) > 0 {
					i := r.IntN(len(positions))
					p := positions[i]
					positions[i] = positions[len(positions)-1]
					positions = positions[:len(positions)-1]
					change(p, u256.Zero.Sub(p.Liquidity))
				}
			}
		}
		most = max(most, book.size())
		if n%29 == 0 || book.size() < 3 {
			compare(t, book, &growth, &model)
		}
	}
	if refused < 5 || most < 60 {
		t.Errorf("%d changes were refused, at most %d ticks", refused, most)
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

// TestUnsound: a change is refused for what it would do to subtrees that lie
// between its ends as a whole, where both ends would take it.
func TestUnsound(t *testing.T) {
	const n, third = 900, 300
	most := u256.One.Lsh(128).Sub(u256.One)
	for _, c := range []struct{ outer, inner, delta u256.Int }{
		{u256.From(5), u256.One, u256.Zero.Sub(u256.From(5))},
		{u256.One, most.Sub(u256.One), u256.From(2)},
	} {
		list, active := make([]Tick, n), u256.Zero
		for i := range list {
			next := c.outer
			if i == n-1 {
				next = u256.Zero
			} else if i >= third && i < 2*third && i%2 == 0 {
				next = c.inner
			}
			list[i] = Tick{int32(i), u256.One.Lsh(100), next.Sub(active)}
			active = next
		}
		b, err := BookOf(1, list)
		if err != nil {
			t.Fatal(err)
		}
		for _, upper := range []int32{third - 1, n - 1} {
			if _, err := b.With(0, upper, c.delta); (err == nil) != (upper < third) {
				t.Errorf("%v to ticks 0 to %d: %v", c.delta, upper, err)
			}
		}
	}
}
