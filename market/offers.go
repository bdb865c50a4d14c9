package market

// offer is a path that leads to a token, with its depth in dollars.
type offer struct {
	depth float64
	token int32
}

func (a *offer) before(b *offer) bool {
	return a.depth > b.depth || a.depth == b.depth && a.token < b.token
}

// offers is a heap of offers, the deepest first.
type offers struct {
	heap    []offer
	deepest []float64 // by token: the depth of the last offer; only deeper ones are added
}

func (q *offers) push(o offer) {
	q.deepest[o.token] = o.depth
	q.heap = append(q.heap, o)
	for i := len(q.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.heap[i].before(&q.heap[up]) {
			return
		}
		q.heap[i], q.heap[up] = q.heap[up], q.heap[i]
		i = up
	}
}

func (q *offers) pop() offer {
	h, last := q.heap, len(q.heap)-1
	top := h[0]
	h[0], q.heap = h[last], h[:last]
	for i := 0; ; {
		best := 2*i + 1
		if best >= last {
			return top
		}
		if best+1 < last && h[best+1].before(&h[best]) {
			best++
		}
		if !h[best].before(&h[i]) {
			return top
		}
		h[i], h[best] = h[best], h[i]
		i = best
	}
}
