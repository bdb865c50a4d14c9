package ticks

import "braid/u256"

// Growth is what swaps told about the fees that a pool keeps per unit of
// liquidity: whether its words for a token hold anything. A tick keeps what
// was earned on the far side of it, so that is told by where swaps have been
// since its book last changed; what they told before stands in the book. Its
// zero value knows nothing.
type Growth struct {
	Never [2]bool // fees of the token were earned
	Sure  [2]bool // that some were

	spans [2]span
}

// NewGrowth is that of a pool before its first swap.
func NewGrowth() Growth { return Growth{Never: [2]bool{true, true}} }

// span is where fees of a token were earned.
type span struct{ low, high u256.Int }

func (s *span) below(price u256.Int) bool { return !s.low.IsZero() && s.low.Lt(price) }
func (s *span) above(price u256.Int) bool { return s.high.Gt(price) }

// After is the growth after a swap at a fee went from one point to another.
// Fees are sure to have been earned at its ends where liquidity was in force,
// but at the very price of a tick.
func (g Growth) After(b *Book, feePips uint64, from, to Point) Growth {
	if from.Price == to.Price {
		g.Never = [2]bool{} // whichever it was
		return g
	}
	in := 0
	if to.Price.Gt(from.Price) {
		in = 1
	}
	g.Never[in] = false
	if feePips == 0 {
		return g
	}
	for _, at := range [...]Point{from, to} {
		i := b.at(at.Tick)
		if b.Liquidity(at.Tick).IsZero() || i >= 0 && b.marks[i].price == at.Price ||
			i+1 < len(b.marks) && b.marks[i+1].price == at.Price {
			continue
		}
		g.Sure[in] = true
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

// earned is what a tick knows of a token: bits of above and below.
type earned byte

const (
	earnedBelow earned = 1 << iota
	earnedAbove
)

// With is Book.With for a pool with such a growth: it settles in the book what
// swaps have told, as a tick that begins counts all of it as earned below.
func (g Growth) With(b *Book, lower, upper int32, delta u256.Int) (*Book, Growth, error) {
	next, err := b.With(lower, upper, delta)
	if err != nil || next == b {
		return next, g, err
	}
	for i := range next.marks {
		m := &next.marks[i]
		j := b.at(m.tick)
		old := j >= 0 && b.marks[j].tick == m.tick
		for token := range m.earned {
			switch {
			case old:
				m.earned[token] |= g.earned(m, token)
			case g.Sure[token]:
				m.earned[token] = earnedBelow
			}
		}
	}
	g.spans = [2]span{}
	return next, g, nil
}

func (g *Growth) earned(m *mark, token int) (e earned) {
	e = m.earned[token]
	if g.spans[token].below(m.price) {
		e |= earnedBelow
	}
	if g.spans[token].above(m.price) {
		e |= earnedAbove
	}
	return e
}

// Path tells what a swap reads on its way: the words of the bitmap, and the
// ticks it crosses, with the words of growth there that are sure to hold
// something, by token.
func (c *Curve) Path(from, to Point, g *Growth, word func(int32), cross func(tick int32, holds [2]bool)) {
	first, last := c.word(from.Tick), c.word(to.Tick)
	for w := min(first, last); w <= max(first, last); w++ {
		word(w)
	}
	i, j := c.book.at(from.Tick), c.book.at(to.Tick)
	far := earnedBelow // what a tick at or below the price keeps
	if !c.down {
		far = earnedAbove
	}
	for k := min(i, j) + 1; k <= max(i, j); k++ {
		m := &c.book.marks[k]
		cross(m.tick, [2]bool{g.earned(m, 0)&far != 0, g.earned(m, 1)&far != 0})
	}
}

// word is that in which a step from the tick looks for the next one.
func (c *Curve) word(tick int32) int32 {
	if c.down {
		return c.book.compress(tick) >> 8
	}
	return (c.book.compress(tick) + 1) >> 8
}
