package ticks

import (
	"errors"
	"fmt"

	"braid/u256"
)

// Tick is an initialised tick as contracts keep it.
type Tick struct {
	Index int32
	Gross u256.Int // liquidityGross
	Net   u256.Int // liquidityNet, a two's complement
}

// Spacing is what the indices of all ticks are multiples of.
func (b *Book) Spacing() int32 { return b.spacing }

// Ticks are the initialised ticks of a book, by rising index.
func (b *Book) Ticks() []Tick {
	list := make([]Tick, len(b.marks))
	var below u256.Int
	for i := range b.marks {
		m := &b.marks[i]
		list[i] = Tick{m.tick, m.gross, m.above.Sub(below)}
		below = m.above
	}
	return list
}

// BookOf is the book with these ticks, which must be in order and sound.
func BookOf(spacing int32, list []Tick) (*Book, error) {
	b := NewBook(spacing)
	b.marks = make([]mark, 0, len(list))
	var above u256.Int
	for i, t := range list {
		above = above.Add(t.Net)
		switch {
		case i > 0 && list[i-1].Index >= t.Index || t.Index < MinTick || t.Index > MaxTick || t.Index%spacing != 0:
			return nil, fmt.Errorf("no place for tick %d at spacing %d", t.Index, spacing)
		case t.Gross.IsZero() || t.Gross.BitLen() > 128 || above.BitLen() > 128:
			return nil, fmt.Errorf("tick %d: liquidity %v, gross %v", t.Index, above, t.Gross)
		}
		m := &b.marks[b.mark(t.Index)]
		m.gross, m.above = t.Gross, above
	}
	if !above.IsZero() {
		return nil, errors.New("liquidity without an end")
	}
	return b, nil
}

// Words are the first and the last word of the bitmap at a spacing.
func Words(spacing int32) (first, last int32) {
	b := NewBook(spacing)
	return b.compress(MinTick) >> 8, b.compress(MaxTick) >> 8
}
