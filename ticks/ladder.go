package ticks

import (
	"slices"
	"sort"

	"braid/u256"
)

// ladder is a run of consecutive boundaries in the direction of its curve. A
// published one never changes: a longer one takes its place.
type ladder struct {
	rungs []rung
	whole bool // no liquidity lies beyond the last
}

// rung is a boundary, and what full steps from the first rung to it take and
// give.
type rung struct {
	Point
	in, out u256.Int
}

// A ladder begins short and doubles when a quote asks for more, up to all
// initialised ticks and as many word edges as move a price by e^50 at the
// narrowest spacing. Further out a quote goes on step by step.
const (
	shortest  = 32
	mostEdges = 2048
)

// climb takes a fill that stands at a boundary over all the full steps it can
// pay for, then makes the last one. It is false if the ladder ends before.
func (c *Curve) climb(f *Fill) bool {
	if c.done(f.Price) {
		return true
	}
	boundary := f.Tick
	if c.down {
		boundary++
	}
	l, i := c.cover(boundary, f.Left)
	base, above := l.rungs[i], l.rungs[i+1:]
	// The contract stops at the first boundary at which nothing is left.
	n := sort.Search(len(above), func(k int) bool { return !above[k].in.Sub(base.in).Lt(f.Left) })
	short := n < len(above)
	if short && above[n].in.Sub(base.in) == f.Left {
		n++
	}
	at := &l.rungs[i+n]
	f.Left = f.Left.Sub(at.in.Sub(base.in))
	f.Out = f.Out.Add(at.out.Sub(base.out))
	f.Point = c.cross(at.Point)
	if short && !f.Left.IsZero() {
		c.rest(f, c.book.Liquidity(f.Tick))
	}
	return short || l.whole
}

// cover is a ladder with the boundary on it, at the index returned, that from
// there takes in the amount or goes as far as ladders go. Two goroutines may
// both make one; either will do.
func (c *Curve) cover(boundary int32, amount u256.Int) (*ladder, int) {
	old := c.sums.Load()
	i := c.find(old, boundary)
	if i >= 0 && c.reaches(old, i, amount) {
		return old, i
	}
	l := &ladder{}
	if i >= 0 {
		l.rungs = slices.Clone(old.rungs)
	} else {
		l.rungs = []rung{{Point: c.first(boundary)}}
	}
	for !l.whole && (i < 0 || !c.reaches(l, i, amount)) {
		c.extend(l, max(shortest, 2*len(l.rungs)))
		i = c.find(l, boundary)
	}
	c.sums.Store(l)
	return l, i
}

func (c *Curve) reaches(l *ladder, i int, amount u256.Int) bool {
	last := len(l.rungs) - 1
	return l.whole || last >= len(c.book.marks)+mostEdges || !l.rungs[last].in.Sub(l.rungs[i].in).Lt(amount)
}

// find is the index of the boundary, -1 if it is not on the ladder.
func (c *Curve) find(l *ladder, boundary int32) int {
	if l == nil {
		return -1
	}
	i := sort.Search(len(l.rungs), func(i int) bool {
		if c.down {
			return l.rungs[i].Tick <= boundary
		}
		return l.rungs[i].Tick >= boundary
	})
	if i < len(l.rungs) && l.rungs[i].Tick == boundary {
		return i
	}
	return -1
}

// behind is how many initialised ticks a new ladder begins before the boundary
// it is made for, unless the word begins later: a price that moves about a
// little stays on the ladder.
const behind = 16

// first is where a ladder for the boundary begins.
func (c *Curve) first(boundary int32) Point {
	marks, i := c.book.marks, c.book.at(boundary)
	word := c.book.compress(boundary) >> 8
	var from int32 // the tick before it
	if c.down {
		from = min((word+1)<<8*c.book.spacing-1, marks[min(i+behind, len(marks)-1)].tick)
	} else {
		from = max(word<<8*c.book.spacing, marks[max(i-behind, 0)].tick) - 1
	}
	end, _, _ := c.book.next(from, c.down)
	return end
}

// extend adds rungs up to n of them.
func (c *Curve) extend(l *ladder, n int) {
	l.rungs = slices.Grow(l.rungs, n-len(l.rungs))
	for len(l.rungs) < n {
		last := &l.rungs[len(l.rungs)-1]
		from := c.cross(last.Point)
		end, liquidity, ok := c.book.next(from.Tick, c.down)
		if !ok || c.done(from.Price) {
			l.whole = true
			return
		}
		l.rungs = append(l.rungs, rung{
			Point: end,
			in:    last.in.Add(c.cost(from.Price, end.Price, liquidity)),
			out:   last.out.Add(c.amountOut(from.Price, end.Price, liquidity)),
		})
	}
}
