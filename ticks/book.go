// Package ticks is the arithmetic of concentrated liquidity: tick prices, swap steps, and tables of steps that are searched instead of walked.
//
// Prices are square roots of token1 per token0 in raw units, as Q64.96 fixed
// point numbers; amounts are raw units; fees are pips, millionths.
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
	entries []entry // by rising tick
}

// entry is an initialised tick. Its liquidityNet is by how much active exceeds
// that of the entry below.
type entry struct {
	tick   int32
	price  u256.Int // sqrt price (Q64.96) where a step to it ends: the tick's, or the limit
	gross  u256.Int // liquidityGross: of all positions that begin or end here
	active u256.Int // liquidity from this tick up to the next

	outside [2]outside // fee growth outside the tick, by token: see FeeGrowth
}

// NewBook is a book without liquidity.
func NewBook(spacing int32) *Book { return &Book{spacing: spacing} }

var errLiquidity = errors.New("more liquidity taken out of a range than was put in")

// With is the book after liquidity was added to the position between two ticks.
// delta is a two's complement: a negative one takes liquidity out.
func (b *Book) With(lower, upper int32, delta u256.Int) (*Book, error) {
	if lower >= upper || lower < MinTick || upper > MaxTick || lower%b.spacing != 0 || upper%b.spacing != 0 {
		return nil, fmt.Errorf("no range from tick %d to %d at spacing %d", lower, upper, b.spacing)
	}
	if delta.IsZero() {
		return b, nil
	}
	entries := make([]entry, len(b.entries), len(b.entries)+2)
	copy(entries, b.entries)
	next := &Book{spacing: b.spacing, entries: entries}
	from, to := next.insert(lower), next.insert(upper)
	sound := true // no liquidity is above 2^128 or below 0, which wraps to far above it
	add := func(n *u256.Int) {
		*n = n.Add(delta)
		sound = sound && n.BitLen() <= 128
	}
	for i := from; i < to; i++ {
		add(&next.entries[i].active)
	}
	for _, i := range [...]int{to, from} {
		add(&next.entries[i].gross)
		if next.entries[i].gross.IsZero() {
			next.entries = slices.Delete(next.entries, i, i+1)
		}
	}
	if !sound {
		return nil, errLiquidity
	}
	return next, nil
}

// insert is the index of the tick's entry, which is made if there is none.
func (b *Book) insert(tick int32) int {
	i := b.at(tick)
	if i < 0 || b.entries[i].tick != tick {
		i++
		m := entry{tick: tick, price: GetSqrtRatioAtTick(tick), active: b.Liquidity(tick)}
		switch tick {
		case MinTick:
			m.price = MinLimit
		case MaxTick:
			m.price = MaxLimit
		}
		b.entries = slices.Insert(b.entries, i, m)
	}
	return i
}

// Liquidity is the liquidity that is active at a tick.
func (b *Book) Liquidity(tick int32) u256.Int {
	if i := b.at(tick); i >= 0 {
		return b.entries[i].active
	}
	return u256.Zero
}

// Depth is how much of token 0 or 1 a constant-product pair would hold, in raw
// units, that has the same liquidity at the same price (the virtual reserve).
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

// at is the index of the last entry at or below the tick, -1 if there is none.
func (b *Book) at(tick int32) int {
	return sort.Search(len(b.entries), func(i int) bool { return b.entries[i].tick > tick }) - 1
}

// next is the boundary where a step from the tick ends, and the liquidity on
// the way: nextInitializedTickWithinOneWord. It is false when no liquidity lies
// that way. The contract also stops, and rounds, at the edge of each word of
// the bitmap; where liquidity is zero nothing is rounded, so those edges are
// left out.
func (b *Book) next(tick int32, down bool) (end Point, liquidity u256.Int, ok bool) {
	i := b.at(tick)
	if i >= 0 {
		liquidity = b.entries[i].active
	}
	if !down {
		i++
	}
	if i < 0 || i == len(b.entries) {
		return Point{}, u256.Zero, false
	}
	m, edge := &b.entries[i], b.wordEdge(tick, down)
	if liquidity.IsZero() || down && edge <= m.tick || !down && edge >= m.tick {
		return Point{m.price, m.tick}, liquidity, true
	}
	return Point{GetSqrtRatioAtTick(edge), edge}, liquidity, true
}

// wordEdge is the last tick of the bitmap word that a step from the tick reads.
func (b *Book) wordEdge(tick int32, down bool) int32 {
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
