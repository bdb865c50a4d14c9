package flow

import (
	"math/bits"
	"slices"
)

// matrix is the Laplacian of a network by conductances, without the row and column of the
// sink, which makes it positive definite. Few nodes have many edges and most have few:
// eliminated in the order of how many, they leave little to do.
type matrix struct {
	order       []int32 // nodes that have edges, in the order of elimination
	place       []int32 // by node: its position in order, or -1
	near        []set   // by position: to which later ones it is joined
	later       []span  // by position: which of rows
	rows        []int32 // the same, as it is when each is eliminated
	cells       []float64
	adds        [][3]int32 // by edge: the cells of its ends and between them; the one past all for the sink
	work        []float64
	removed     []removed // chains taken out since it was factorised
	base        int       // node of the resistances below
	resistances []float64 // by node: the one between it and base; 0 if not yet known
}

type span struct{ start, end int32 }

// removed is a chain taken out: the inverse is more by stiffness times the square of the
// potential.
type removed struct {
	potential []float64
	stiffness float64
}

// shape finds the order, and which cells will not be zero.
func (m *matrix) shape(n *Network) {
	size := len(n.Nodes)
	m.place, m.work, m.resistances = Grown(m.place, size), Grown(m.work, size), Grown(m.resistances, size)
	clear(m.place)
	for i := range n.Edges {
		if e := &n.Edges[i]; !e.Off {
			m.place[e.From]++
			m.place[e.To]++
		}
	}
	m.order = m.order[:0]
	for t, degree := range m.place {
		if degree > 0 && t != Sink {
			m.order = append(m.order, degree*MaxNodes+int32(t))
		}
		m.place[t] = -1
	}
	slices.Sort(m.order)
	for p, key := range m.order {
		m.order[p] = key % MaxNodes
		m.place[key%MaxNodes] = int32(p)
	}
	m.join(n.Edges)
	m.spread()
}

// join notes what edges join, and their cells.
func (m *matrix) join(edges []Edge) {
	size := int32(len(m.order))
	m.near, m.adds = Grown(m.near, len(m.order)), Grown(m.adds, len(edges))
	m.cells = Grown(m.cells, len(m.order)*len(m.order)+1)
	clear(m.near)
	for i := range edges {
		e := &edges[i]
		if e.Off {
			continue
		}
		at := [3]int32{size * size, size * size, size * size}
		a, b := m.place[e.From], m.place[e.To]
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

// spread lists what is joined to each position at its turn: whatever was joined to one
// before is joined to the first of those then.
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

// after are the positions joined to one at its turn, and their cells.
func (m *matrix) after(p int) (rows []int32, cells []float64) {
	s, size := m.later[p], len(m.order)
	return m.rows[s.start:s.end], m.cells[p*size : (p+1)*size]
}

// fill writes the Laplacian down, with something more on the diagonal.
func (m *matrix) fill(n *Network, extra float64) {
	for p := range m.order {
		rows, cells := m.after(p)
		cells[p] = extra
		for _, i := range rows {
			cells[i] = 0
		}
	}
	for i := range n.Edges {
		e := &n.Edges[i]
		if e.Off {
			continue
		}
		from, to, between := e.Conductance, e.Conductance, e.Conductance
		if e.weightSlope > 0 {
			in, out := e.X*n.Nodes[e.From].Price, e.Y*n.Nodes[e.To].Price
			from += e.weightSlope * in * in
			to += e.weightSlope * out * out
			between += e.weightSlope * in * out
		}
		at := &m.adds[i]
		m.cells[at[0]] += from
		m.cells[at[1]] += to
		m.cells[at[2]] -= between
	}
}

// factorise eliminates one position after the other.
func (m *matrix) factorise() {
	size := len(m.order)
	m.base, m.removed = -1, m.removed[:0]
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
			least := other[i] * leastPivot
			if other[i] -= part * cells[i]; other[i] < least {
				other[i] = least
			}
			for _, j := range rows[k+1:] {
				other[j] -= part * cells[j]
			}
		}
	}
}

// divide solves for b, which is by node. What has no edges gives zero.
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

// without takes out a chain after those that were removed, by the formula of Sherman and
// Morrison. The potential are the prices that drove a unit of flow between its ends.
func (m *matrix) without(from, to int, conductance float64) (potential []float64, stiffness float64) {
	k := len(m.removed)
	m.removed = Grown(m.removed, k+1)
	potential = Grown(m.removed[k].potential, len(m.place))
	clear(potential)
	potential[from], potential[to] = 1, -1
	m.divide(potential)
	for i := range k {
		g := &m.removed[i]
		part := g.stiffness * (g.potential[from] - g.potential[to])
		for t := range potential {
			potential[t] += part * g.potential[t]
		}
	}
	stiffness = conductance / (1 - conductance*(potential[from]-potential[to]))
	m.removed[k] = removed{potential, stiffness}
	return potential, stiffness
}

// resistance is by how much the price between two nodes falls for a unit of flow.
func (m *matrix) resistance(a, b int) float64 {
	if m.base != a {
		m.base = a
		clear(m.resistances)
	}
	if m.resistances[b] == 0 {
		m.resistances[b] = m.measure(a, b)
	}
	return m.resistances[b]
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
