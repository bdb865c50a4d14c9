// Package ticks is the arithmetic of concentrated liquidity: tick prices, swap steps, and tables of steps that are searched instead of walked.
//
// Prices are square roots of token1 per token0 in raw units, as Q64.96 fixed
// point numbers; amounts are raw units; fees are pips, millionths.
//
// Names and rounding are those of TickMath, SqrtPriceMath, SwapMath and
// TickBitmap of Uniswap V3, which its forks and Uniswap V4 share: V4 computes
// the fee of a step by another formula with the same result.
package ticks

import "braid/u256"

// Book is the liquidity of a pool over its initialised ticks. It never
// changes.
type Book struct {
	spacing int32
	root    *node // nil without ticks
}

// NewBook is a book without liquidity.
func NewBook(spacing int32) *Book { return &Book{spacing: spacing} }

// With is the book after liquidity was added to the position between two ticks.
// delta is a two's complement: a negative one takes liquidity out.
func (b *Book) With(lower, upper int32, delta u256.Int) (*Book, error) {
	return b.with(change{lower: lower, upper: upper, delta: delta})
}

// Liquidity is the liquidity that is active at a tick.
func (b *Book) Liquidity(tick int32) u256.Int {
	r, i := b.find(tick)
	return r.liquidity(i).full()
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

// at is the number of the last entry at or below the tick, -1 if there is none.
func (b *Book) at(tick int32) int {
	_, i := b.find(tick)
	return i
}

// next is the boundary where a step from the tick ends, and the liquidity on
// the way: nextInitializedTickWithinOneWord. It is false when no liquidity lies
// that way.
func (b *Book) next(tick int32, down bool) (end Point, liquidity u256.Int, ok bool) {
	r, i := b.find(tick)
	e, active := b.nextEntry(&r, i, down)
	if e == nil {
		return Point{}, u256.Zero, false
	}
	end = Point{e.price, e.tick}
	if edge, before := b.edgeBefore(e, tick, active, down); before {
		end = edge
	}
	return end, active.full(), true
}

// nextEntry is the next initialised tick from a tick of which i is the last
// entry at or below it, and the liquidity on the way; nil if there is none. The
// run is that of entry i before, and becomes that of the next one.
func (b *Book) nextEntry(r *run, i int, down bool) (e *entry, liquidity half) {
	if i >= 0 {
		b.seek(r, i)
		liquidity = r.liquidity(i)
	}
	if !down {
		i++
	}
	if i < 0 || i == b.size() {
		return nil, half{}
	}
	b.seek(r, i)
	return r.at(i), liquidity
}

// edgeBefore is the edge of the bitmap's word, if a step from the tick to an
// entry comes to it before: the contract stops, and rounds, there too. Where
// liquidity is zero nothing is rounded, so those edges are left out.
func (b *Book) edgeBefore(e *entry, tick int32, liquidity half, down bool) (edge Point, before bool) {
	at := b.wordEdge(tick, down)
	if liquidity.isZero() || down && at <= e.tick || !down && at >= e.tick {
		return Point{}, false
	}
	return Point{GetSqrtRatioAtTick(at), at}, true
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
