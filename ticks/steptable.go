package ticks

import (
	"slices"
	"sort"
	"sync"
)

// A swap in the contract of a pool with concentrated liquidity (Uniswap V3 and V4)
// is a loop of steps. Each step goes from one boundary to the next: an initialised
// tick, or the edge of a word of the tick bitmap (a word covers 256 times the tick
// spacing). A full step, which starts at one boundary and
// ends at the next, takes and pays amounts that depend on the liquidity
// between the two and on the fee, not on the rest of the swap. So these
// amounts are summed once into a table, and a swap over many boundaries is a
// binary search in it instead of a loop.

// stepTable is a table of consecutive boundaries in the direction of its Curve
// (falling ticks if c.down, else rising). Once it is stored in c.table a table
// never changes: a longer one replaces it.
type stepTable struct {
	rows     []stepRow
	complete bool // there is no liquidity beyond the last row
}

// stepRow is one boundary (its sqrt price in Q64.96 and its tick) and the sums
// over all full steps from the first row to it, in raw units: in counts the
// input token including the fee, out the output token. Both never fall from
// row to row.
type stepRow struct {
	Point
	in, out wide
}

// Sizes of a table in rows. It grows by minRows at a time until it covers the
// quote that asked for it, and by a fourth at least, so that quotes that go
// further and further copy it a few times only. From the boundary where that
// quote begins, it has at most the initialised ticks that a swap may cross plus
// maxWordEdges edges of bitmap words, which at tick spacing 1 is a price
// move by a factor of about e^52; beyond that a quote makes the contract's loop.
const (
	minRows      = 32
	maxWordEdges = 2048
)

// startTicks is how many initialised ticks before the boundary a new table
// starts, so that a price that moves back a little stays inside the table.
const startTicks = 16

// useTable continues a swap that has just crossed a boundary: it makes all the
// full steps that f.Left (raw units of the input) pays for, then the last, partial
// step. It is true if the swap ends here: all of f.Left is used, the price is at
// its limit, or no liquidity is left in this direction. It is false if the table ends first; the caller then
// continues step by step.
func (c *Curve) useTable(f *Result) bool {
	if c.atLimit(f.Price) {
		return true
	}
	boundary := f.Tick
	if c.down {
		boundary++ // crossing downwards leaves the pool one tick below it
	}
	left := wideOf(f.Left)
	t, start := c.tableFor(boundary, left)
	from, ahead := &t.rows[start], t.rows[start+1:]
	// The first n rows ahead take less than f.Left, so that all of them are
	// crossed. The one after them is crossed only if f.Left pays for it exactly:
	// the contract's loop ends at the first boundary at which nothing is left.
	n := sort.Search(len(ahead), func(k int) bool { return !ahead[k].in.sub(from.in).less(left) })
	ends := n < len(ahead)
	if ends && ahead[n].in.sub(from.in) == left {
		n++
	}
	to := &t.rows[start+n]
	f.Left = left.sub(to.in.sub(from.in)).full()
	f.Out = f.Out.Add(to.out.sub(from.out).full())
	f.Point = c.cross(to.Point)
	if ends && !f.Left.IsZero() {
		c.partialStep(f, c.book.Liquidity(f.Tick))
	}
	return ends || t.complete
}

// tableFor is a table that has the boundary, at the row returned, and from
// there covers an input of amount raw units, or is as long as tables get. Two
// goroutines may build one at the same time; either is right.
func (c *Curve) tableFor(boundary int32, amount wide) (*stepTable, int) {
	old := c.table.Load()
	row := c.rowOf(old, boundary)
	if row >= 0 && c.covers(old, row, amount) {
		return old, row
	}
	last := c.lastTick(boundary)
	if row >= 0 && c.passed(old.rows, last) {
		return old, row
	}
	buffer := rowBuffers.Get().(*[]stepRow)
	t, least := stepTable{rows: (*buffer)[:0]}, minRows
	if row >= 0 && row <= MaxCrossed+maxWordEdges { // or it keeps what lies far behind
		t.rows = append(t.rows, old.rows...)
		least = len(t.rows) * 5 / 4
	} else {
		t.rows, row = append(t.rows, stepRow{Point: c.tableStart(boundary)}), -1
	}
	for !t.complete && !c.passed(t.rows, last) && (row < 0 || len(t.rows) < least || !c.covers(&t, row, amount)) {
		c.extend(&t, len(t.rows)+minRows, last)
		row = c.rowOf(&t, boundary)
	}
	*buffer = t.rows
	made := &stepTable{slices.Clone(t.rows), t.complete}
	rowBuffers.Put(buffer)
	c.table.Store(made)
	return made, row
}

// rowBuffers are for tables in the making, the final size of which is not known.
var rowBuffers = sync.Pool{New: func() any { return new([]stepRow) }}

// covers tells that full steps from the row to the end of the table take at
// least amount, or that the table gets no longer.
func (c *Curve) covers(t *stepTable, row int, amount wide) bool {
	last := len(t.rows) - 1
	return t.complete || last-row >= MaxCrossed+maxWordEdges || !t.rows[last].in.sub(t.rows[row].in).less(amount)
}

// lastTick is the first tick that no swap crosses which has crossed the boundary
// before it, or one beyond all.
func (c *Curve) lastTick(boundary int32) int32 {
	var r run
	i := c.book.at(boundary)
	if c.down {
		i -= MaxCrossed
	} else {
		i += MaxCrossed + 1
	}
	switch {
	case i < 0:
		return MinTick - 1
	case i >= c.book.size():
		return MaxTick + 1
	}
	c.book.seek(&r, i)
	return r.at(i).tick
}

// passed tells that the rows go as far as a tick.
func (c *Curve) passed(rows []stepRow, tick int32) bool {
	last := rows[len(rows)-1].Tick
	return c.down && last <= tick || !c.down && last >= tick
}

// rowOf is the row of the boundary, -1 if the table does not have it.
func (c *Curve) rowOf(t *stepTable, boundary int32) int {
	if t == nil {
		return -1
	}
	i := sort.Search(len(t.rows), func(i int) bool {
		if c.down {
			return t.rows[i].Tick <= boundary
		}
		return t.rows[i].Tick >= boundary
	})
	if i < len(t.rows) && t.rows[i].Tick == boundary {
		return i
	}
	return -1
}

// tableStart is the boundary that a new table for the given one starts with:
// startTicks initialised ticks before it, but inside the same bitmap word.
func (c *Curve) tableStart(boundary int32) Point {
	var r run
	i := c.book.at(boundary)
	word := c.book.compress(boundary) >> 8
	var from int32 // the first boundary after this tick, in the direction, is the start
	if c.down {
		i = min(i+startTicks, c.book.size()-1)
		c.book.seek(&r, i)
		from = min((word+1)<<8*c.book.spacing-1, r.at(i).tick)
	} else {
		i = max(i-startTicks, 0)
		c.book.seek(&r, i)
		from = max(word<<8*c.book.spacing, r.at(i).tick) - 1
	}
	end, _, _ := c.book.next(from, c.down)
	return end
}

// extend adds rows until there are n, or the last tick is passed, or no
// liquidity lies ahead.
func (c *Curve) extend(t *stepTable, n int, lastTick int32) {
	t.rows = slices.Grow(t.rows, n-len(t.rows))
	last := &t.rows[len(t.rows)-1]
	from := edge{wideOf(last.Price), wideOf(inverseOf(last.Price))}
	tick := c.crossed(last.Tick)
	r, i := c.book.find(tick)
	if c.atLimit(last.Price) {
		t.complete = true
		return
	}
	for len(t.rows) < n && !c.passed(t.rows, lastTick) {
		e, liquidity := c.book.nextEntry(&r, i, c.down)
		if e == nil {
			t.complete = true
			return
		}
		end := Point{e.price, e.tick}
		to := edge{wideOf(e.price), wideOf(e.inverse)}
		if word, before := c.book.edgeBefore(e, tick, liquidity, c.down); before {
			end, to = word, edge{wideOf(word.Price), wideOf(inverseOf(word.Price))}
		} else if c.down {
			i--
		} else {
			i++
		}
		in, out := c.fullStep(&from, &to, liquidity)
		t.rows = append(t.rows, stepRow{end, last.in.add(in), last.out.add(out)})
		last, from, tick = &t.rows[len(t.rows)-1], to, c.crossed(end.Tick)
	}
}
