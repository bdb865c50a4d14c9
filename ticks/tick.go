package ticks

import (
	"errors"
	"fmt"

	"braid/u256"
)

// Tick is an initialised tick as contracts store it.
type Tick struct {
	Index int32
	Gross u256.Int // liquidityGross
	Net   u256.Int // liquidityNet, a two's complement
}

// Spacing is the tick spacing: the index of every tick is a multiple of it.
func (b *Book) Spacing() int32 { return b.spacing }

// Ticks are the initialised ticks of a book, by rising index.
func (b *Book) Ticks() []Tick {
	list := make([]Tick, b.size())
	var r run
	var below u256.Int
	for i := range list {
		b.seek(&r, i)
		active := r.liquidity(i).full()
		list[i] = Tick{r.at(i).tick, r.at(i).gross.full(), active.Sub(below)}
		below = active
	}
	return list
}

// BookOf is the book with these ticks, which must be in order, at multiples of
// the spacing, and add up to no liquidity beyond the last.
func BookOf(spacing int32, list []Tick) (*Book, error) {
	entries := make([]entry, 0, len(list))
	var active u256.Int
	for i, t := range list {
		active = active.Add(t.Net)
		switch {
		case i > 0 && list[i-1].Index >= t.Index || t.Index < MinTick || t.Index > MaxTick || t.Index%spacing != 0:
			return nil, fmt.Errorf("no place for tick %d at spacing %d", t.Index, spacing)
		case t.Gross.IsZero() || t.Gross.BitLen() > 128 || active.BitLen() > 128:
			return nil, fmt.Errorf("tick %d: liquidity %v, gross %v", t.Index, active, t.Gross)
		}
		e := newEntry(t.Index, halfOf(active))
		e.gross = halfOf(t.Gross)
		entries = append(entries, e)
	}
	if !active.IsZero() {
		return nil, errors.New("liquidity without an end")
	}
	return &Book{spacing, rooted(grouped(entries, newLeaf))}, nil
}

// BitmapWords are the numbers of the first and the last word of the tick
// bitmap at a spacing; a word has 256 ticks.
func BitmapWords(spacing int32) (first, last int32) {
	b := NewBook(spacing)
	return b.compress(MinTick) >> 8, b.compress(MaxTick) >> 8
}
