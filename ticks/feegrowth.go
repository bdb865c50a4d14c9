package ticks

import "braid/u256"

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

// span is the lowest and the highest sqrt price (Q64.96) at which fees of a
// token are known to have been earned; zeros if there is none.
type span struct{ low, high u256.Int }

func (s *span) below(price u256.Int) bool { return !s.low.IsZero() && s.low.Lt(price) }
func (s *span) above(price u256.Int) bool { return s.high.Gt(price) }

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
		i := b.at(at.Tick)
		if b.Liquidity(at.Tick).IsZero() || i >= 0 && b.entries[i].price == at.Price ||
			i+1 < len(b.entries) && b.entries[i+1].price == at.Price {
			continue
		}
		g.NonZero[in] = true
		s := &g.spans[in]
		if s.low.IsZero() || at.Price.Lt(s.low) {
			s.low = at.Price
		}
		if at.Price.Gt(s.high) {
			s.high = at.Price
		}
	}
	return g
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
	next, err := b.With(lower, upper, delta)
	if err != nil || next == b {
		return next, g, err
	}
	for i := range next.entries {
		e := &next.entries[i]
		j := b.at(e.tick)
		old := j >= 0 && b.entries[j].tick == e.tick
		for token := range e.outside {
			switch {
			case old:
				e.outside[token] |= g.outside(e, token)
			case g.NonZero[token]:
				e.outside[token] = earnedBelow
			}
		}
	}
	g.spans = [2]span{}
	return next, g, nil
}

func (g *FeeGrowth) outside(e *entry, token int) outside {
	o := e.outside[token]
	if g.spans[token].below(e.price) {
		o |= earnedBelow
	}
	if g.spans[token].above(e.price) {
		o |= earnedAbove
	}
	return o
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
	for k := min(i, j) + 1; k <= max(i, j); k++ {
		e := &c.book.entries[k]
		cross(e.tick, [2]bool{g.outside(e, 0)&far != 0, g.outside(e, 1)&far != 0})
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
