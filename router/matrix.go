package router

import (
	"math/bits"
	"slices"
)

// matrix is the Laplacian of a net with the last token's row and column taken
// out, which makes it positive. Few tokens trade with many others, and most
// with few: eliminated in the order of how many, they leave little to do.
type matrix struct {
	order []int32 // nodes that have legs, in the order of elimination
	place []int32 // by node: where it stands in order, or -1
	near  []set   // by place: to which later ones it is joined
	later []span  // by place: which of rows
	rows  []int32 // the same, as it is when each is eliminated
	cells []float64
	adds  [][3]int32 // by leg: the cells of its ends and between them; the one past all for the last token
	work  []float64
	gone  []gone    // chains taken out since it was factorised
	base  int       // node from which resistances were last asked
	apart []float64 // by node: what they are; 0 if not yet known
}

type span struct{ start, end int32 }

// gone is a chain taken out: the inverse is more by stiff times the square of
// pull.
type gone struct {
	pull  []float64
	stiff float64
}

// set is a set of nodes or places.
type set [maxNodes / 64]uint64

func (s *set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s *set) drop(i int)     { s[i/64] &^= 1 << (i % 64) }
func (s *set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

func (s *set) unite(o *set) {
	for k := range s {
		s[k] |= o[k]
	}
}

// shape finds the order, and which cells will not be zero.
func (m *matrix) shape(n *net) {
	size := len(n.nodes)
	m.place, m.work, m.apart = grown(m.place, size), grown(m.work, size), grown(m.apart, size)
	clear(m.place)
	for i := range n.legs {
		if l := &n.legs[i]; !l.off {
			m.place[l.from]++
			m.place[l.to]++
		}
	}
	m.order = m.order[:0]
	for t, degree := range m.place {
		if degree > 0 && t != sink {
			m.order = append(m.order, degree*maxNodes+int32(t))
		}
		m.place[t] = -1
	}
	slices.Sort(m.order)
	for p, key := range m.order {
		m.order[p] = key % maxNodes
		m.place[key%maxNodes] = int32(p)
	}
	m.join(n.legs)
	m.spread()
}

// join notes what legs join, and their cells.
func (m *matrix) join(legs []leg) {
	size := int32(len(m.order))
	m.near, m.adds = grown(m.near, len(m.order)), grown(m.adds, len(legs))
	m.cells = grown(m.cells, len(m.order)*len(m.order)+1)
	clear(m.near)
	for i := range legs {
		l := &legs[i]
		if l.off {
			continue
		}
		at := [3]int32{size * size, size * size, size * size}
		a, b := m.place[l.from], m.place[l.to]
		if a >= 0 {
			at[0] = a*size + a
		}
		if b >= 0 {
			at[1] = b*size + b
		}
		if a > b {
			a, b = b, a
		}
		if a >= 0 {
			at[2] = a*size + b
			m.near[a].add(int(b))
		}
		m.adds[i] = at
	}
}

// spread lists what is joined to each place at its turn: whatever was joined
// to one before is joined to the first of those then.
func (m *matrix) spread() {
	m.later, m.rows = m.later[:0], m.rows[:0]
	for p := range m.near {
		start := len(m.rows)
		for k, word := range m.near[p] {
			for ; word != 0; word &= word - 1 {
				m.rows = append(m.rows, int32(k*64+bits.TrailingZeros64(word)))
			}
		}
		m.later = append(m.later, span{int32(start), int32(len(m.rows))})
		if start < len(m.rows) {
			next := m.rows[start]
			m.near[next].unite(&m.near[p])
			m.near[next].drop(int(next))
		}
	}
}

// after are the places joined to one at its turn, and their cells.
func (m *matrix) after(p int) (rows []int32, cells []float64) {
	s, size := m.later[p], len(m.order)
	return m.rows[s.start:s.end], m.cells[p*size : (p+1)*size]
}

// fill writes the Laplacian down, with something more on the diagonal.
func (m *matrix) fill(n *net, extra float64) {
	for p := range m.order {
		rows, cells := m.after(p)
		cells[p] = extra
		for _, i := range rows {
			cells[i] = 0
		}
	}
	for i := range n.legs {
		l := &n.legs[i]
		if l.off {
			continue
		}
		from, to, between := l.slope, l.slope, l.slope
		if l.bend > 0 {
			in, out := l.x*n.nodes[l.from].v, l.y*n.nodes[l.to].v
			from += l.bend * in * in
			to += l.bend * out * out
			between += l.bend * in * out
		}
		at := &m.adds[i]
		m.cells[at[0]] += from
		m.cells[at[1]] += to
		m.cells[at[2]] -= between
	}
}

// factorise eliminates one place after the other.
func (m *matrix) factorise() {
	size := len(m.order)
	m.base, m.gone = -1, m.gone[:0]
	for p := range m.order {
		rows, cells := m.after(p)
		if !(cells[p] > 0) {
			cells[p] = 0
			continue
		}
		for k, i := range rows {
			part := cells[i] / cells[p]
			if part == 0 {
				continue
			}
			other := m.cells[int(i)*size : (int(i)+1)*size]
			least := other[i] * 1e-14
			if other[i] -= part * cells[i]; other[i] < least {
				other[i] = least
			}
			for _, j := range rows[k+1:] {
				other[j] -= part * cells[j]
			}
		}
	}
}

// divide solves for b, which is by node. What has no legs gives zero.
func (m *matrix) divide(b []float64) {
	work := m.work
	for p, t := range m.order {
		work[p] = b[t]
	}
	clear(b)
	for p := range m.order {
		rows, cells := m.after(p)
		if cells[p] == 0 {
			continue
		}
		part := work[p] / cells[p]
		for _, i := range rows {
			work[i] -= cells[i] * part
		}
	}
	for p := len(m.order) - 1; p >= 0; p-- {
		rows, cells := m.after(p)
		if cells[p] == 0 {
			work[p] = 0
			continue
		}
		sum := work[p]
		for _, i := range rows {
			sum -= cells[i] * work[i]
		}
		work[p] = sum / cells[p]
		b[m.order[p]] = work[p]
	}
}

// without takes out a chain after those that are gone, by the formula of Sherman
// and Morrison. Pull are the values that drove a flow of one between its ends.
func (m *matrix) without(from, to int, slope float64) (pull []float64, stiff float64) {
	k := len(m.gone)
	m.gone = grown(m.gone, k+1)
	pull = grown(m.gone[k].pull, len(m.place))
	clear(pull)
	pull[from], pull[to] = 1, -1
	m.divide(pull)
	for i := range k {
		g := &m.gone[i]
		part := g.stiff * (g.pull[from] - g.pull[to])
		for t := range pull {
			pull[t] += part * g.pull[t]
		}
	}
	stiff = slope / (1 - slope*(pull[from]-pull[to]))
	m.gone[k] = gone{pull, stiff}
	return pull, stiff
}

// resistance is by how much the price between two nodes gives way to a flow.
func (m *matrix) resistance(a, b int) float64 {
	if m.base != a {
		m.base = a
		clear(m.apart)
	}
	if m.apart[b] == 0 {
		m.apart[b] = m.measure(a, b)
	}
	return m.apart[b]
}

func (m *matrix) measure(a, b int) (sum float64) {
	work := m.work[:len(m.order)]
	clear(work)
	first := int32(len(work))
	for i, t := range [2]int{a, b} {
		if p := m.place[t]; p >= 0 {
			work[p] = 1 - 2*float64(i)
			first = min(first, p)
		}
	}
	for p := int(first); p < len(work); p++ {
		rows, cells := m.after(p)
		if work[p] == 0 || cells[p] == 0 {
			continue
		}
		part := work[p] / cells[p]
		sum += work[p] * part
		for _, i := range rows {
			work[i] -= cells[i] * part
		}
	}
	return sum
}
