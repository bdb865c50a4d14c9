// Package ticks is the arithmetic of concentrated liquidity: tick prices, swap steps, and books of ticks that answer without walking them.
//
// Names and rounding are those of TickMath, SqrtPriceMath, SwapMath and
// TickBitmap of Uniswap V3, which its forks and Uniswap V4 share: V4 computes
// the fee of a step by another formula with the same result.
package ticks

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"braid/u256"
)

// Book is the liquidity of a pool over its initialised ticks. It never
// changes.
type Book struct {
	spacing int32
	marks   []mark // by rising tick
}

// mark is an initialised tick. Its liquidityNet is the step of above.
type mark struct {
	tick  int32
	price u256.Int // where a step to it ends: at its own, or at the limit
	gross u256.Int // of all positions that begin or end here
	above u256.Int // in force from this tick up to the next

	earned [2]earned // fees, by token: see Growth
}

// NewBook is a book without liquidity.
func NewBook(spacing int32) *Book { return &Book{spacing: spacing} }

var errLiquidity = errors.New("more liquidity taken out of a range than was put in")

// With is the book after delta, a two's complement, was added to the position
// of ticks lower up to upper.
func (b *Book) With(lower, upper int32, delta u256.Int) (*Book, error) {
	if lower >= upper || lower < MinTick || upper > MaxTick || lower%b.spacing != 0 || upper%b.spacing != 0 {
		return nil, fmt.Errorf("no range from tick %d to %d at spacing %d", lower, upper, b.spacing)
	}
	if delta.IsZero() {
		return b, nil
	}
	marks := make([]mark, len(b.marks), len(b.marks)+2)
	copy(marks, b.marks)
	next := &Book{spacing: b.spacing, marks: marks}
	from, to := next.mark(lower), next.mark(upper)
	sound := true // and nothing below zero, which wraps to far above 2^128
	add := func(n *u256.Int) {
		*n = n.Add(delta)
		sound = sound && n.BitLen() <= 128
	}
	for i := from; i < to; i++ {
		add(&next.marks[i].above)
	}
	for _, i := range [...]int{to, from} {
		add(&next.marks[i].gross)
		if next.marks[i].gross.IsZero() {
			next.marks = slices.Delete(next.marks, i, i+1)
		}
	}
	if !sound {
		return nil, errLiquidity
	}
	return next, nil
}

// mark is the index of the tick's mark, which is made if need be.
func (b *Book) mark(tick int32) int {
	i := b.at(tick)
	if i < 0 || b.marks[i].tick != tick {
		i++
		m := mark{tick: tick, price: GetSqrtRatioAtTick(tick), above: b.Liquidity(tick)}
		switch tick {
		case MinTick:
			m.price = Lowest
		case MaxTick:
			m.price = Highest
		}
		b.marks = slices.Insert(b.marks, i, m)
	}
	return i
}

// Liquidity is what is in force at a tick.
func (b *Book) Liquidity(tick int32) u256.Int {
	if i := b.at(tick); i >= 0 {
		return b.marks[i].above
	}
	return u256.Zero
}

// Depth is the reserve of token 0 or 1 that a constant-product pair as deep as
// this would hold.
func (b *Book) Depth(at Point, token int) float64 {
	liquidity, root := b.Liquidity(at.Tick).Float(), at.Price.Float()/0x1p96
	if root == 0 {
		return 0
	}
	if token == 0 {
		return liquidity / root
	}
	return liquidity * root
}

// at is the last mark at or below the tick, -1 if there is none.
func (b *Book) at(tick int32) int {
	return sort.Search(len(b.marks), func(i int) bool { return b.marks[i].tick > tick }) - 1
}

// next is where a step from the tick ends, and the liquidity on the way:
// nextInitializedTickWithinOneWord. It is false when no liquidity lies that
// way. The contract also halts, and rounds, at the edge of each word of 256
// ticks; where liquidity is zero nothing is there to round, so those edges are
// left out.
func (b *Book) next(tick int32, down bool) (end Point, liquidity u256.Int, ok bool) {
	i := b.at(tick)
	if i >= 0 {
		liquidity = b.marks[i].above
	}
	if !down {
		i++
	}
	if i < 0 || i == len(b.marks) {
		return Point{}, u256.Zero, false
	}
	m, edge := &b.marks[i], b.edge(tick, down)
	if liquidity.IsZero() || down && edge <= m.tick || !down && edge >= m.tick {
		return Point{m.price, m.tick}, liquidity, true
	}
	return Point{GetSqrtRatioAtTick(edge), edge}, liquidity, true
}

// edge is the last tick of the bitmap word that a step from the tick reads.
func (b *Book) edge(tick int32, down bool) int32 {
	if down {
		return b.compress(tick) &^ 255 * b.spacing
	}
	return (b.compress(tick) + 1 | 255) * b.spacing
}

// compress divides by the spacing, rounding down.
func (b *Book) compress(tick int32) int32 {
	q := tick / b.spacing
	if tick%b.spacing < 0 {
		q--
	}
	return q
}
