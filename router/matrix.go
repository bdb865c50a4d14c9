package router

import (
	"cmp"
	"math/bits"
	"slices"
)

// matrix is the Laplacian of a net with the last token's row and column taken
// out, which makes it positive. Few tokens trade with many others, and most
// with few: eliminated in the order of how many, they leave little to do.
type matrix struct {
	order []int  // nodes that have legs, in the order of elimination
	place []int  // by node: where it stands in order, or -1
	later []span // by place: which of rows
	rows  []int  // places to which each is joined when it is eliminated
	cells []float64
	work  []float64
}

type span struct{ start, end int }

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
	m.place, m.work = grown(m.place, size), grown(m.work, size)
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
			m.order = append(m.order, t)
		}
	}
	slices.SortFunc(m.order, func(a, b int) int { return cmp.Or(cmp.Compare(m.place[a], m.place[b]), cmp.Compare(a, b)) })
	for t := range m.place {
		m.place[t] = -1
	}
	for p, t := range m.order {
		m.place[t] = p
	}
	var near [maxNodes]set
	for i := range n.legs {
		if l := &n.legs[i]; !l.off {
			if a, b := m.place[l.from], m.place[l.to]; a >= 0 && b >= 0 {
				near[min(a, b)].add(max(a, b))
			}
		}
	}
	m.spread(near[:len(m.order)])
}

// spread lists what is joined to each place at its turn: whatever was joined
// to one before is joined to the first of those then.
func (m *matrix) spread(near []set) {
	m.later, m.rows = m.later[:0], m.rows[:0]
	for p := range near {
		start := len(m.rows)
		for k, word := range near[p] {
			for ; word != 0; word &= word - 1 {
				m.rows = append(m.rows, k*64+bits.TrailingZeros64(word))
			}
		}
		m.later = append(m.later, span{start, len(m.rows)})
		if start == len(m.rows) {
			continue
		}
		next := m.rows[start]
		near[next].unite(&near[p])
		near[next].drop(next)
	}
	m.cells = grown(m.cells, len(near)*len(near))
}

// after are the places joined to one at its turn, and their cells.
func (m *matrix) after(p int) (rows []int, cells []float64) {
	s, size := m.later[p], len(m.order)
	return m.rows[s.start:s.end], m.cells[p*size : (p+1)*size]
}

// fill writes the Laplacian down, with something more on the diagonal.
func (m *matrix) fill(n *net, extra float64) {
	size := len(m.order)
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
		a, b := m.place[l.from], m.place[l.to]
		in, out := l.x*n.nodes[l.from].v, l.y*n.nodes[l.to].v
		if a >= 0 {
			m.cells[a*size+a] += l.slope + l.bend*in*in
		}
		if b >= 0 {
			m.cells[b*size+b] += l.slope + l.bend*out*out
			if a >= 0 {
				m.cells[min(a, b)*size+max(a, b)] -= l.slope + l.bend*in*out
			}
		}
	}
}

// factorise eliminates one place after the other.
func (m *matrix) factorise() {
	size := len(m.order)
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
			other := m.cells[i*size : (i+1)*size]
			whole := other[i]
			for _, j := range rows[k:] {
				other[j] -= part * cells[j]
			}
			other[i] = max(other[i], whole*1e-14)
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

// resistance is by how much the price between two nodes gives way to a flow.
func (m *matrix) resistance(a, b int) (sum float64) {
	work := m.work[:len(m.order)]
	clear(work)
	first := len(work)
	for i, t := range [2]int{a, b} {
		if p := m.place[t]; p >= 0 {
			work[p] = 1 - 2*float64(i)
			first = min(first, p)
		}
	}
	for p := first; p < len(work); p++ {
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
