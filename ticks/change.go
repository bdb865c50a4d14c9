package ticks

import (
	"errors"
	"fmt"

	"braid/u256"
)

// change is an amount of liquidity that is added to the entries from lower up
// to upper, and to the gross of these two.
type change struct {
	lower, upper int32
	delta        u256.Int // two's complement

	spans [2]span    // what is known of fees since the last change, by token
	fresh [2]outside // of entries that are made

	part    half // delta modulo 2^128
	removes bool // delta is negative
	unsound bool // some liquidity would be 2^128 or more, or below 0
}

var errLiquidity = errors.New("more liquidity taken out of a range than was put in")

// with is the book after the change.
func (b *Book) with(c change) (*Book, error) {
	if c.lower >= c.upper || c.lower < MinTick || c.upper > MaxTick || c.lower%b.spacing != 0 || c.upper%b.spacing != 0 {
		return nil, fmt.Errorf("no range from tick %d to %d at spacing %d", c.lower, c.upper, b.spacing)
	}
	if c.delta.IsZero() {
		return b, nil
	}
	c.part, c.removes = halfOf(c.delta), c.delta.BitLen() == 256
	if c.removes {
		c.unsound = u256.Zero.Sub(c.delta).BitLen() > 128
	} else {
		c.unsound = c.delta.BitLen() > 128
	}
	root := subtree{node: b.root}
	if b.root == nil {
		root.node = &node{}
	}
	next := &Book{spacing: b.spacing, root: rooted(c.subtree(root, MinTick, MaxTick+1))}
	if c.unsound {
		return nil, errLiquidity
	}
	return next, nil
}

// has tells that an end of the range lies from one tick up to another.
func (c *change) has(from, to int32) bool {
	return from <= c.lower && c.lower < to || from <= c.upper && c.upper < to
}

// subtree is what takes the place of a subtree that is to have all ticks from
// one up to another: up to two subtrees, or none if it is empty.
func (c *change) subtree(s subtree, from, to int32) []subtree {
	if s.inner == nil {
		return grouped(c.leaf(&s, from, to), newLeaf)
	}
	list := make([]subtree, 0, len(s.inner)+2)
	for i := range s.inner {
		k := s.inner[i]
		k.add(s.active, s.outside)
		first, end := k.first, to
		if i == 0 {
			first = from
		}
		if i+1 < len(s.inner) {
			end = s.inner[i+1].first
		}
		if c.has(first, end) {
			list = append(list, c.subtree(k, first, end)...)
			continue
		}
		if c.lower < first && first < c.upper {
			k.active, k.low, k.high = k.active.add(c.part), c.add(k.low), c.add(k.high)
		}
		if c.spans[0].known || c.spans[1].known {
			k = k.marked(&c.spans, end)
		}
		list = append(list, k)
	}
	return grouped(joined(list), newInner)
}

// leaf are the entries that take the place of those of a leaf that is to have
// all ticks from one up to another.
func (c *change) leaf(s *subtree, from, to int32) []entry {
	list := make([]entry, 0, len(s.entries)+2)
	ends := make([]int32, 0, 2) // of the range, that this leaf is to have
	for _, tick := range [...]int32{c.lower, c.upper} {
		if from <= tick && tick < to {
			ends = append(ends, tick)
		}
	}
	var below half // active before the change; only the first leaf gets a tick below all of its own
	for i := range s.entries {
		e := s.entries[i]
		for ; len(ends) > 0 && ends[0] <= e.tick; ends = ends[1:] {
			if ends[0] < e.tick {
				fresh := c.newEntry(ends[0], below)
				list = c.append(list, &fresh)
			}
		}
		e.add(s.active, s.outside)
		for token := range e.outside {
			e.outside[token] |= c.spans[token].outside(e.tick)
		}
		below = e.active
		list = c.append(list, &e)
	}
	for _, tick := range ends {
		fresh := c.newEntry(tick, below)
		list = c.append(list, &fresh)
	}
	return list
}

// append adds an entry with its part of the change, unless no position begins
// or ends there any more.
func (c *change) append(list []entry, e *entry) []entry {
	if c.lower <= e.tick && e.tick < c.upper {
		e.active = c.add(e.active)
	}
	if e.tick == c.lower || e.tick == c.upper {
		if e.gross = c.add(e.gross); e.gross.isZero() {
			return list
		}
	}
	return append(list, *e)
}

func (c *change) newEntry(tick int32, active half) entry {
	e := newEntry(tick, active)
	e.outside = c.fresh
	return e
}

// add adds the change to an amount of liquidity.
func (c *change) add(n half) half {
	sum := n.add(c.part)
	if wraps := sum.less(n); wraps != c.removes {
		c.unsound = true
	}
	return sum
}
