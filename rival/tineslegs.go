package rival

import (
	"math"
	"slices"

	"braid/u256"
)

// tinesLeg is the flow of an edge as a portion of what is held of a token.
type tinesLeg struct {
	edge    int32
	side    int     // of the token that it takes
	portion float64 // of what is held when its turn comes; 1 is all
}

// out lists the open edges with flow that leave a token.
func (t *Tines) out(token int) (list []tinesLeg) {
	for _, n := range t.rows[token] {
		e := &t.edges[n]
		side := e.side(token)
		if !e.closed && e.flow[0] != 0 && (e.flow[0] > 0) == (side == 0) {
			list = append(list, tinesLeg{edge: n, side: side})
		}
	}
	return list
}

func (t *Tines) flow(l tinesLeg) float64 { return math.Abs(t.edges[l.edge].flow[l.side]) }

func (t *Tines) target(l tinesLeg) int { return int(t.edges[l.edge].token[1-l.side]) }

// closeWeak closes edges that carry next to nothing of what leaves their token.
func (t *Tines) closeWeak() {
	var weak []int32
	for token := range t.rows {
		legs, sum := t.out(token), 0.0
		for _, l := range legs {
			sum += t.flow(l)
		}
		for _, l := range legs {
			if len(legs) > 1 && t.flow(l)/sum < tinesWeak {
				weak = append(weak, l.edge)
			}
		}
	}
	for _, n := range weak {
		t.edges[n].closed = true
	}
}

// legs lists the flow so that every token is complete before it is spent.
func (t *Tines) legs(from, to int) (legs []tinesLeg) {
	for _, token := range t.sorted(from, to) {
		out, left := t.out(token), 0.0
		for _, l := range out {
			left += t.flow(l)
		}
		for i, l := range out {
			l.portion = t.flow(l) / left
			if i+1 == len(out) {
				l.portion = 1
			}
			legs = append(legs, l)
			left -= t.flow(l)
		}
	}
	return legs
}

// sorted is the tokens of the flow in topological order. Of each cycle the link
// that carries least is closed, and then what leads nowhere.
func (t *Tines) sorted(from, to int) []int {
	for {
		order, cycle, dead := t.visit(from, to)
		switch {
		case cycle != nil:
			t.closeLink(cycle)
		case slices.Contains(dead, from):
			return nil
		case dead != nil:
			for n := range t.edges {
				e := &t.edges[n]
				for side := range e.token {
					if e.flow[0] != 0 && (e.flow[0] > 0) == (side == 0) && slices.Contains(dead, int(e.token[1-side])) {
						e.closed = true
					}
				}
			}
		default:
			slices.Reverse(order)
			return order
		}
	}
}

// visit walks the flow depth first. It gives the tokens in reverse topological
// order, or else the first cycle that it meets, or else the tokens from which none
// of the flow reaches the last token.
func (t *Tines) visit(from, to int) (order, cycle, dead []int) {
	const open, done, lost = 1, 2, 3
	state := map[int]int{}
	closed := false // the cycle is complete
	var walk func(int) int
	walk = func(token int) int {
		if state[token] != 0 {
			if state[token] == open {
				cycle = append(cycle, token)
			}
			return state[token]
		}
		state[token] = open
		leads := token == to
		for _, l := range t.out(token) {
			switch walk(t.target(l)) {
			case open:
				if !closed && cycle[0] != token {
					cycle = append(cycle, token)
				} else {
					closed = true
				}
				return open
			case done:
				leads = true
			}
		}
		if leads {
			order = append(order, token)
			state[token] = done
		} else {
			dead = append(dead, token)
			state[token] = lost
		}
		return state[token]
	}
	walk(from)
	return order, cycle, dead
}

// closeLink closes the edges between the two neighbours of a cycle that exchange
// the smallest amount, whatever the token: each element of cycle pays the one
// before it.
func (t *Tines) closeLink(cycle []int) {
	least, at := math.Inf(1), 0
	between := func(i int) (list []tinesLeg) {
		for _, l := range t.out(cycle[i]) {
			if t.target(l) == cycle[(i+len(cycle)-1)%len(cycle)] {
				list = append(list, l)
			}
		}
		return list
	}
	for i := range cycle {
		sum := 0.0
		for _, l := range between(i) {
			sum += math.Abs(t.edges[l.edge].flow[1-l.side])
		}
		if sum < least {
			least, at = sum, i
		}
	}
	for _, l := range between(at) {
		t.edges[l.edge].closed = true
	}
}

// execute makes the swaps in integers. It is false if a pool refuses one.
func (t *Tines) execute(legs []tinesLeg, from, to int, amount u256.Int) (a Answer, ok bool) {
	held := map[int32]u256.Int{int32(from): amount}
	x := newExecution(t.s)
	for _, l := range legs {
		e := &t.edges[l.edge]
		in, out := e.token[l.side], e.token[1-l.side]
		part := held[in]
		if l.portion < 1 {
			part, _ = part.MulDiv(u256.FromFloat(l.portion*(1<<60)), u256.From(1<<60))
		}
		if part.IsZero() {
			continue
		}
		if err := x.swap(&a, e.pool, e.pos[l.side], e.pos[1-l.side], part); err != nil {
			return Answer{}, false
		}
		held[in], held[out] = held[in].Sub(part), held[out].Add(a.Out)
	}
	a.Out = held[int32(to)]
	return a, !a.Out.IsZero()
}
