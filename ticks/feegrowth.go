package ticks

import (
	"slices"

	"braid/u256"
)

// FeeGrowth is what is known from logs about the fee growth words of a pool
// (feeGrowthGlobal of each token, feeGrowthOutside of each token at each tick):
// not their values, but whether they are zero. A swap that writes a word that
// was zero costs more gas. Its zero value knows nothing.
//
// feeGrowthOutside of a tick counts what was earned on the side of the tick
// where the price is not. So it follows from the prices at which fees were
// earned: those since the book last changed stand in spans, those before it in
// the entries of the book.
type FeeGrowth struct {
	Zero    [2]bool // by token: no fees were ever earned
	NonZero [2]bool // by token: some were

	spans [2]span
}

// NewFeeGrowth is that of a pool before its first swap.
func NewFeeGrowth() FeeGrowth { return FeeGrowth{Zero: [2]bool{true, true}} }

// span is the lowest and the highest tick in which fees of a token are known to
// have been earned, at a price that is not an initialised tick's; its zero
// value knows none.
type span struct {
	known     bool
	low, high int32
}

// outside tells on which sides of an initialised tick those fees were earned.
func (s *span) outside(tick int32) (o outside) {
	if s.known && s.low < tick {
		o |= earnedBelow
	}
	if s.known && s.high >= tick {
		o |= earnedAbove
	}
	return o
}

// After is the growth after a swap, at a fee in pips, moved the price. Fees are
// known to have been earned at both ends of the move where liquidity was
// active, except at the very price of a tick.
func (g FeeGrowth) After(b *Book, feePips uint64, from, to Point) FeeGrowth {
	if from.Price == to.Price {
		g.Zero = [2]bool{} // which token came in is not known
		return g
	}
	in := 0
	if to.Price.Gt(from.Price) {
		in = 1
	}
	g.Zero[in] = false
	if feePips == 0 {
		return g
	}
	for _, at := range [...]Point{from, to} {
		if r, i := b.find(at.Tick); r.liquidity(i).isZero() || b.isBoundary(&r, i, at.Price) {
			continue
		}
		g.NonZero[in] = true
		s := &g.spans[in]
		if !s.known {
			*s = span{true, at.Tick, at.Tick}
		}
		s.low, s.high = min(s.low, at.Tick), max(s.high, at.Tick)
	}
	return g
}

// isBoundary tells that a price above entry i, which exists, is its own or that
// of the next.
func (b *Book) isBoundary(r *run, i int, price u256.Int) bool {
	if r.at(i).price == price {
		return true
	}
	if i+1 == b.size() {
		return false
	}
	b.seek(r, i+1)
	return r.at(i+1).price == price
}

// outside tells on which sides of a tick fees of a token are known to have been
// earned.
type outside byte

const (
	earnedBelow outside = 1 << iota
	earnedAbove
)

// With is Book.With for a pool with such a growth. It moves what the spans tell
// into the entries of the new book: a new tick counts all that was earned so
// far as earned below it.
func (g FeeGrowth) With(b *Book, lower, upper int32, delta u256.Int) (*Book, FeeGrowth, error) {
	c := change{lower: lower, upper: upper, delta: delta, spans: g.spans}
	for token, some := range g.NonZero {
		if some {
			c.fresh[token] = earnedBelow
		}
	}
	next, err := b.with(c)
	if err != nil || next == b {
		return next, g, err
	}
	g.spans = [2]span{}
	return next, g, nil
}

// marked is a subtree, all of whose ticks are below end, with what the spans
// tell moved into its entries. Where they tell the same of all of them, or only
// what is noted of all of them already, nothing is copied.
func (s subtree) marked(spans *[2]span, end int32) subtree {
	differ := false
	for token := range spans {
		first, last := spans[token].outside(s.first), spans[token].outside(end-1)
		s.outside[token] |= first & last
		differ = differ || (first|last)&^s.outside[token] != 0
	}
	if !differ {
		return s
	}
	n := &node{entries: slices.Clone(s.entries), inner: slices.Clone(s.inner)}
	for i := range n.entries {
		e := &n.entries[i]
		for token := range e.outside {
			e.outside[token] |= spans[token].outside(e.tick)
		}
	}
	for i := range n.inner {
		last := end
		if i+1 < len(n.inner) {
			last = n.inner[i+1].first
		}
		n.inner[i] = n.inner[i].marked(spans, last)
	}
	s.node = n
	return s
}

// Path lists what a swap reads on its way: word is called for each word of the
// tick bitmap, cross for each initialised tick it crosses, with the tokens
// whose feeGrowthOutside there is known not to be zero.
func (c *Curve) Path(from, to Point, g *FeeGrowth, word func(int32), cross func(tick int32, nonZero [2]bool)) {
	first, last := c.word(from.Tick), c.word(to.Tick)
	for w := min(first, last); w <= max(first, last); w++ {
		word(w)
	}
	i, j := c.book.at(from.Tick), c.book.at(to.Tick)
	far := earnedBelow // the price comes from above: outside is below the tick
	if !c.down {
		far = earnedAbove
	}
	var r run
	for k := min(i, j) + 1; k <= max(i, j); k++ {
		c.book.seek(&r, k)
		tick := r.at(k).tick
		var nonZero [2]bool
		for token := range nonZero {
			nonZero[token] = (r.earned(k, token)|g.spans[token].outside(tick))&far != 0
		}
		cross(tick, nonZero)
	}
}

// word is the number of the bitmap word in which a step from the tick looks for
// the next initialised tick.
func (c *Curve) word(tick int32) int32 {
	if c.down {
		return c.book.compress(tick) >> 8
	}
	return (c.book.compress(tick) + 1) >> 8
}
