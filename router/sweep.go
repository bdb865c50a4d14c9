package router

import (
	"math"
	"slices"

	"braid/market"
)

// sweep is one search for paths, all tokens hop by hop.
type sweep struct {
	*finder
	chunk float64 // what each path carries, in the last token
	need  float64 // the worth that must come out, without what gas costs
	reach int     // hops of a path
	alone bool    // from the first token to the last, whatever it pays
	exact bool    // what floats let pass is paid by the pools themselves
	brief bool    // ends when the budget is spent
}

const (
	// maxHops is the longest path there can be.
	maxHops = 8
	// maxLook is how many arcs of a token to ill connected ones are looked at.
	maxLook = 64
	// leastGas is what any step burns.
	leastGas = 80_000
	// thrift is the part of an order that must be left of it for a pool that
	// cannot take all.
	thrift = 0.9
	// leastGain is the part of a chunk that a path must gain: less is noise.
	leastGain = 1e-9
)

func (w *sweep) run() {
	for k := range w.reach {
		l := &w.layers[k]
		for i := range w.outlook.entries {
			if e := &w.outlook.entries[i]; l.slot[e.from] > 0 {
				w.try(k, e.from, &l.labels[l.slot[e.from]-1], e.arc)
			}
		}
		for i, t := range l.tokens {
			if w.brief && w.net.spent() {
				return
			}
			w.extend(k, int(t), &l.labels[i])
		}
	}
}

// must is the worth that a path with so many steps has to reach.
func (w *sweep) must(gas float64, steps int) float64 {
	burnt := (gas + float64(steps*leastGas)) * w.net.gasWorth
	return w.need + burnt - slack*(math.Abs(w.need)+burnt)
}

// toll is the worth that a path of so many hops pays for its places.
func (w *sweep) toll(hops int) float64 { return float64(hops) * w.net.toll * w.g.Worth[w.out] }

// extend leads the labels of a token one hop on, where there is hope. Arcs
// come by falling lift, so that the first too weak for any end ends the look.
func (w *sweep) extend(k, t int, labels *bunch) {
	ways, fan, start := w.g.Ways(t, math.MaxInt)
	left, o := w.reach-k-1, w.outlook
	w.net.effort += fan / looks
	worth, must := labels[0].amount*w.g.Worth[t], w.must(0, k+1)
	heap := min(worth, market.Heap)
	if k > 0 {
		must += w.toll(k + 1) // and more
	}
	core, tops, lazy := o.core[left], w.g.Core.Tops[o.size], o.lazy(left)
	for i := range ways[:fan] {
		way := &ways[i]
		rises := float64(way.Lift) * worth
		if rises*o.most[left] < must {
			break
		}
		need, hope := must*(1+float64(way.Fade)*heap), float64(core[way.Rank])
		if lazy && (rises*hope < need || hope == 0) && rises*float64(tops[way.Rank]*o.bound) >= need {
			hope = w.hope(way.Rank, left, need/rises)
		}
		if hope > 0 && (rises*hope >= need ||
			k == 0 && rises*hope >= must && !w.alone && w.net.nodeOf[way.To] > 0) { // an arc alone may carry less than a chunk
			w.try(k, t, labels, &w.g.Arcs[start+i])
		}
	}
	if left == 0 {
		return
	}
	seen := 0
	for i := fan; i < len(ways) && seen < maxLook; i++ {
		way := &ways[i]
		most, need := float64(way.Lift)*worth*o.most[left-1], must*(1+float64(way.Fade)*heap)
		if most < must {
			break
		}
		if to := int(way.To); w.net.nodeOf[to] == 0 && !w.shut(to) && !(w.inLine && w.banned[w.g.Arcs[start+i].Source]) {
			if seen++; most < need {
				continue
			}
			a := &w.g.Arcs[start+i]
			if hope := w.exit(to, left); hope > 0 && a.Lift*worth*hope >= need {
				w.try(k, t, labels, a)
			}
		}
	}
}

// try leads labels through an arc: to a node the best that may, elsewhere also
// those that are there for the paths that the best would cross.
func (w *sweep) try(k, t int, labels *bunch, a *market.Arc) {
	node := int(w.net.nodeOf[a.To]) - 1
	used := w.net.legOf[a.Pool]
	if w.banned[a.Source] || used > 0 && (node < 0 || w.alone || w.net.legs[used-1].arc == a) || len(w.closed) > 0 && slices.Contains(w.closed, a) {
		return
	}
	over := false // the pool: a lesser label may fit, but not one that lost too much
	for slot := range labels {
		l := &labels[slot]
		switch {
		case !(l.amount > 0):
		case node == int(l.origin) && !w.alone:
			w.circle(l, a)
		case !w.fits(k, t, slot, a):
		case w.alone && l.amount > a.Supply.Max:
			w.tooLarge, over = true, true
		case over && l.amount*w.g.Worth[t] < thrift*w.layers[0].labels[0][0].amount*w.g.Worth[w.in]:
		case node < 0:
			w.pass(k, t, slot, l, a)
			if k != 2 {
				return
			}
		case w.alone || used == 0 && !w.net.leads(node, int(l.origin)):
			if c, ok := w.arrive(k, t, slot, l, a, node, k > 0); ok {
				w.columns = append(w.columns, c)
			}
			return
		default:
			if c, ok := w.arrive(k, t, slot, l, a, node, true); ok {
				w.bar(&c)
			}
		}
	}
}

// circle notes the token where a label's path began if an arc back to it gains.
func (w *sweep) circle(l *label, a *market.Arc) {
	from := &w.net.nodes[l.origin]
	if from.circles || l.amount*a.Spot*from.v < w.chunk+(l.gas+leastGas)*w.net.gasCost {
		return
	}
	if y, gas, ok := w.pay(a, l.amount); ok && y*from.v > w.chunk+(l.gas+gas)*w.net.gasCost {
		from.circles, w.circles, w.tangled = true, true, true
	}
}

// pass leads a label through an arc to a token that is not in use.
func (w *sweep) pass(k, t, slot int, from *label, a *market.Arc) {
	to := int(a.To)
	gasCost := w.net.gasWorth / w.g.Worth[to]
	next := label{amount: from.amount * a.Spot * (1 + 1e-12), gas: from.gas + leastGas, arc: a, origin: from.origin, from: int32(t), before: from.from, slot: int8(slot)}
	if i := w.layers[k+1].slot[to]; i > 0 && !w.layers[k+1].labels[i-1].wants(&next, k+1, gasCost) {
		return
	}
	y, gas, ok := w.pay(a, from.amount)
	if !ok {
		return
	}
	next.amount, next.gas = y, from.gas+gas
	need, hope := w.must(next.gas, 1)+w.toll(k+2), 0.
	if rank := w.g.Core.Rank[to]; rank >= 0 {
		hope = w.hope(rank, w.reach-k-1, need/(y*w.g.Worth[to]))
	} else {
		hope = w.exit(to, w.reach-k-1)
	}
	worth := w.g.Worth[to] * hope
	if !(y*worth >= need) {
		return
	}
	if w.exact && (!w.quote(&next, from) || !(next.amount*worth >= w.must(next.gas, 1))) {
		return
	}
	w.meet(a)
	w.layers[k+1].at(to).offer(&next, k+1, gasCost)
}

// pay is what an arc brings in whole units.
func (w *sweep) pay(a *market.Arc, x float64) (y, gas float64, ok bool) {
	w.net.effort++
	y, gas = a.Pay(x)
	if y < 0 {
		w.tooLarge = true
	} else if y < 1 {
		w.tooSmall = true
	}
	if w.exact {
		return y + y*blur + 1, leastGas, y >= 0
	}
	return math.Floor(y), gas, y >= 1
}

// arrive is a path that ends at a node, for a chunk or, of one arc, for as much
// as pays; false if it gains nothing.
func (w *sweep) arrive(k, t, slot int, from *label, a *market.Arc, node int, chunk bool) (c column, ok bool) {
	n := &w.net
	c = column{arc: a, token: int32(t), hops: k + 1, slot: int8(slot), to: int32(node)}
	v, u := n.nodes[from.origin].v, n.nodes[node].v
	switch {
	case w.alone || chunk:
		if !w.alone && from.amount*a.Spot*u < w.chunk+(from.gas+leastGas)*n.gasCost {
			return c, false
		}
		y, gas, ok := w.pay(a, from.amount)
		if !ok {
			return c, false
		}
		if w.exact {
			end := label{amount: y, gas: from.gas + gas, arc: a}
			if end.amount*w.g.Worth[w.out] < w.must(end.gas, 0) || !w.quote(&end, from) {
				return c, false
			}
			y, gas = end.amount, end.gas-from.gas
		}
		c.out, c.gas = y, from.gas+gas
		c.gain = y*u - w.chunk - c.gas*n.gasCost - float64(k+1)*n.toll
	case a.Spot*u > v:
		w.net.effort++
		x, y, _, gas := a.Supply.Until(v / u)
		c.gain = y*u - x*v - gas*n.gasCost - n.toll
	}
	if w.alone {
		w.need = max(w.need, c.gain*w.g.Worth[w.out])
		return c, true
	}
	if ok = c.gain > w.chunk*leastGain; ok {
		w.meet(a)
	}
	return c, ok
}
