package rival

import (
	"container/heap"
	"math"
	"sort"
)

// search labels tokens with the best path for a part of the order, on top of the
// flow of the parts before, until the last token is reached.
func (t *Tines) search(from, to int, part float64) bool {
	for i := range t.verts {
		v := &t.verts[i]
		v.amount, v.gas, v.total, v.from, v.done = 0, 0, 0, -1, false
	}
	t.queue.reset()
	t.verts[from].amount, t.verts[from].total = part, part
	t.queue.push(part, 0, int32(from))
	reached := 1
	for {
		total, at, ok := t.queue.pop()
		if !ok {
			return false
		}
		v := &t.verts[at]
		if v.done || v.total != total {
			continue // a better label followed
		}
		if int(at) == to {
			return true
		}
		for _, n := range t.rows[at] {
			t.extend(int(at), int(n), &t.verts[to], &reached)
		}
		v.done = true
	}
}

// extend tries an edge from a token whose label is final.
func (t *Tines) extend(at, n int, last *tinesVert, reached *int) {
	e, v := &t.edges[n], &t.verts[at]
	side := e.side(at)
	next := &t.verts[e.token[1-side]]
	if next.done || next.price == 0 {
		return
	}
	out, gas := e.more(side, v.amount)
	if math.IsNaN(out) || math.IsInf(out, 0) {
		return
	}
	e.newGas = gas
	gas += v.gas - e.gas
	total := (out - gas*next.gasPrice) * (next.price / last.price)
	if next.from < 0 {
		next.order = *reached
		*reached++
	} else if total <= next.total {
		return
	}
	next.amount, next.gas, next.total, next.from = out, gas, total, int32(n)
	t.queue.push(total, next.order, e.token[1-side])
}

// apply adds the part's path to the flow.
func (t *Tines) apply(from, to int) {
	for at := to; at != from; {
		e := &t.edges[t.verts[at].from]
		side := e.side(at) // of the token that the path pays
		sign := float64(2*side - 1)
		other := int(e.token[1-side])
		e.flow[1-side] += sign * t.verts[other].amount
		e.flow[side] += sign * t.verts[at].amount
		e.gas = e.newGas
		at = other
	}
}

// side is which of the edge's tokens a token is.
func (e *tinesEdge) side(token int) int {
	if int(e.token[0]) == token {
		return 0
	}
	return 1
}

// more is what x more of the token on a side pays on top of the flow, and the gas
// of the flow with it. NaN is more than the pool can take.
func (e *tinesEdge) more(side int, x float64) (out, gas float64) {
	in, paid := e.flow[side], e.flow[1-side]
	if side == 1 {
		in, paid = -in, -paid
	}
	switch {
	case in >= 0: // the flow goes the same way
		out, gas = e.pay(side, in+x)
		return out - paid, gas
	case x < -in: // it takes back a part of the flow
		need, gas := e.cost(1-side, -in-x)
		return -paid - need, gas
	default: // it turns the flow round
		out, gas = e.pay(side, x+in)
		return out - paid, gas
	}
}

// pay is the output for an input of the token on a side, and the gas.
func (e *tinesEdge) pay(side int, x float64) (out, gas float64) {
	s := e.supply[side]
	if x > s.Max {
		return math.NaN(), 0
	}
	out, _, _ = s.Pay(x)
	n := sort.Search(len(s.Pieces)-1, func(i int) bool { return s.Pieces[i+1].In >= x })
	return out, e.gasOf(n + 1)
}

// cost is the input of the token on a side that pays y, and the gas.
func (e *tinesEdge) cost(side int, y float64) (in, gas float64) {
	s := e.supply[side]
	n := sort.Search(len(s.Pieces)-1, func(i int) bool { return s.Pieces[i+1].Out >= y })
	p := &s.Pieces[n]
	y -= p.Out
	return p.In + y/(p.Price()-y*p.Bend()), e.gasOf(n + 1)
}

func (e *tinesEdge) gasOf(pieces int) float64 {
	if e.pair {
		return tinesGasPair
	}
	return tinesGasBase + tinesGasPiece*float64(pieces)
}

// tinesQueue pops the entry with the largest key, the earliest of equal ones.
type tinesQueue struct{ list []tinesEntry }

type tinesEntry struct {
	key   float64
	order int
	item  int32
}

func (q *tinesQueue) reset() { q.list = q.list[:0] }

func (q *tinesQueue) push(key float64, order int, item int32) {
	heap.Push(q, tinesEntry{key, order, item})
}

func (q *tinesQueue) pop() (key float64, item int32, ok bool) {
	if len(q.list) == 0 {
		return 0, 0, false
	}
	e := heap.Pop(q).(tinesEntry)
	return e.key, e.item, true
}

func (q *tinesQueue) Len() int { return len(q.list) }
func (q *tinesQueue) Less(i, j int) bool {
	a, b := &q.list[i], &q.list[j]
	return a.key > b.key || a.key == b.key && a.order < b.order
}
func (q *tinesQueue) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *tinesQueue) Push(e any)    { q.list = append(q.list, e.(tinesEntry)) }
func (q *tinesQueue) Pop() any {
	n := len(q.list) - 1
	e := q.list[n]
	q.list = q.list[:n]
	return e
}
