package router

import (
	"cmp"
	"math"
	"slices"

	"braid/market"
	"braid/plan"
	"braid/u256"
)

// layer holds the best ways to reach each token in a given number of hops.
type layer struct {
	slot   []int32 // by token: index+1 into labels, or 0
	tokens []int32
	labels []bunch
}

// label is a way to have amount of a token. A few are kept for each token that
// differ in the token before it, so that one is left where the others would
// cross themselves.
type label struct {
	amount float64
	gas    float64
	arc    *market.Arc
	origin int32 // the node where the path begins
	from   int32 // the token before, and which of its labels
	slot   int8
}

// bunch are the labels of a token, the best first.
type bunch [3]label

// column is a path that may join the net: from one of its nodes to another,
// and what it would gain.
type column struct {
	gain  float64
	out   float64 // of it alone
	gas   float64
	arc   *market.Arc // the last
	token int32       // which it leaves, with the label that led there
	hops  int
	slot  int8
	to    int32 // node
}

// hop is one arc of a path, and what enters it.
type hop struct {
	*market.Arc
	from   int
	amount float64
}

func (f *finder) forget() {
	for k := range f.layers {
		l := &f.layers[k]
		for _, t := range l.tokens {
			l.slot[t] = 0
		}
		l.tokens, l.labels = l.tokens[:0], l.labels[:0]
	}
}

func (l *layer) at(token int) *bunch {
	if i := l.slot[token]; i > 0 {
		return &l.labels[i-1]
	}
	l.tokens = append(l.tokens, int32(token))
	l.labels = append(l.labels, bunch{})
	l.slot[token] = int32(len(l.labels))
	return &l.labels[len(l.labels)-1]
}

// sweep is one search for columns.
type sweep struct {
	*finder
	chunk float64              // what each path carries, in the last token
	floor float64              // worth below which no end is of interest
	need  float64              // and, before the last arc, below which none can be reached
	start float64              // worth of the whole order
	reach int                  // hops of a path
	rise  [maxHops + 1]float64 // how much worth so many arcs can add
	alone bool                 // from the first token to the last, whatever it pays
}

const (
	// maxHops is the longest path there can be.
	maxHops = 8
	// maxLook is how many arcs of a token to ill connected ones are looked at.
	maxLook = 64
	// detour is how many hops a path makes from one node of a net to another.
	detour = 3
	// leastGas is what any step burns.
	leastGas = 80_000
	// leastGain is the part of a chunk that a path must gain: less is noise.
	leastGain = 1e-9
)

// price finds paths from the nodes of the net to others that pay more for a
// chunk than the net does at its own prices; the best first.
func (f *finder) price(chunk float64) {
	f.forget()
	f.columns = f.columns[:0]
	n := &f.net
	best, most := 0.0, 0.0 // of what a node pays for what enters it, or leads there
	for i := range n.nodes {
		v := n.nodes[i].v / f.g.Worth[n.nodes[i].token]
		if most = max(most, v); i == sink && len(f.entries) > 0 {
			v *= f.entry()
		}
		best = max(best, v)
	}
	w := sweep{finder: f, chunk: chunk, floor: chunk / most, need: chunk / best, reach: min(f.hops, detour)}
	for k := range w.rise {
		w.rise[k] = 1
	}
	for i := range n.nodes {
		if i == sink || !(n.nodes[i].v > 0) {
			continue
		}
		t := n.nodes[i].token
		x := chunk / n.nodes[i].v
		*f.layers[0].at(t) = bunch{{amount: x, origin: int32(i)}}
	}
	w.run()
	slices.SortStableFunc(f.columns, func(a, b column) int { return cmp.Compare(b.gain, a.gain) })
}

// entry is the best lift into the last token from outside the net.
func (f *finder) entry() (best float64) {
	for i := range f.entries {
		e := &f.entries[i]
		if f.net.nodeOf[e.from] == 0 && f.net.legOf[e.arc.Pool] == 0 && !f.banned[e.arc.Source] {
			best = max(best, e.arc.Lift)
		}
	}
	return best
}

// alone is the best path for an amount from the first token to the last. It
// looks further and further down until there is one.
func (f *finder) alone(amount float64) ([]hop, bool) {
	start := amount * f.g.Worth[f.in]
	w := sweep{finder: f, alone: true, start: start, reach: f.hops}
	w.rise[0] = 1
	for k := range maxHops {
		w.rise[k+1] = w.rise[k] * f.rise()
	}
	for _, floor := range []float64{0.99, 0.9, math.Inf(-1)} {
		f.tooSmall, f.tooLarge = false, false
		f.forget()
		f.columns = f.columns[:0]
		w.expect(start * floor)
		*f.layers[0].at(f.in) = bunch{{amount: amount}}
		w.run()
		if len(f.columns) == 0 {
			continue
		}
		best := f.columns[0]
		for _, c := range f.columns[1:] {
			if beats(c.out, c.gas, best.out, best.gas, f.net.gasCost) {
				best = c
			}
		}
		if best.gain*f.g.Worth[f.out] >= start*floor {
			return f.trace(&best), true
		}
	}
	return nil, false
}

// expect sets the floor, and what a path must be worth before its last arc to
// reach it. No supply lies above its tangents.
func (w *sweep) expect(floor float64) {
	w.floor, w.need = floor, floor
	if len(w.entries) == 0 {
		return
	}
	w.need = math.Inf(1)
	for i := range w.entries {
		e := &w.entries[i]
		if w.banned[e.arc.Source] {
			continue
		}
		from, to := w.g.Worth[e.from], w.g.Worth[w.out]
		x := min(w.start*w.rise[w.hops]/from, e.arc.Supply.Max)
		y, price, _ := e.arc.Supply.Pay(x)
		w.need = min(w.need, x*from-(y*to-floor)*from/(price*to))
	}
}

// rise is how much an arc can add to what a path is worth. On a large market
// some odd pool promises the moon: there a path must do with little.
func (f *finder) rise() float64 {
	if len(f.g.Arcs) > manyArcs {
		return min(f.g.Rise, 1.001)
	}
	return f.g.Rise
}

const manyArcs = 1 << 10

func (w *sweep) run() {
	for k := range w.reach {
		l := &w.layers[k]
		for i := range w.entries {
			if e := &w.entries[i]; l.slot[e.from] > 0 {
				w.try(k, e.from, &l.labels[l.slot[e.from]-1], &e.arc, true)
			}
		}
		for i, t := range l.tokens {
			w.extend(k, int(t), &l.labels[i])
		}
	}
}

// extend leads the labels of a token one hop on. Arcs come by falling lift,
// so that the first too weak ends the look.
func (w *sweep) extend(k, t int, labels *bunch) {
	fan, others := w.g.Fan(t), w.g.Others(t)
	left := w.reach - k - 1
	most := labels[0].amount * w.g.Worth[t]
	for i := range fan {
		a := &fan[i]
		if a.Lift*most*w.rise[left] < w.need {
			break
		}
		w.try(k, t, labels, a, false)
	}
	if left == 0 {
		return
	}
	need := w.need
	if left == 1 {
		need = w.floor // the arc that Onward looks ahead to is the last
	}
	need += w.gas(labels[0].gas, 2)
	for i := range others[:min(len(others), maxLook)] {
		a := &others[i]
		if a.Onward*most*w.rise[left-1] < need {
			break
		}
		w.try(k, t, labels, a, false)
	}
}

// try leads one of the labels through an arc.
func (w *sweep) try(k, t int, labels *bunch, a *market.Arc, entry bool) {
	to, left := int(a.To), w.reach-k-1
	node := int(w.net.nodeOf[to]) - 1
	if node == source || node == sink && len(w.entries) > 0 && !entry || w.banned[a.Source] || w.net.legOf[a.Pool] > 0 || node < 0 && left == 0 || w.alone && node > sink {
		return
	}
	slot := 0
	for slot < len(labels) && labels[slot].amount > 0 && !w.fits(k, t, slot, a) {
		slot++
	}
	if slot == len(labels) || !(labels[slot].amount > 0) {
		return
	}
	from := &labels[slot]
	if node >= 0 {
		w.arrive(k, t, slot, from, a, node)
		return
	}
	most := from.amount * w.g.Worth[t] * a.Lift
	if most*w.rise[left] < w.need+w.gas(from.gas, 2) {
		return
	}
	next, gasCost := &w.layers[k+1], w.net.gasWorth/w.g.Worth[to]
	if i := next.slot[to]; i > 0 {
		if r := next.labels[i-1].rival(int32(t)); r.amount > 0 && !beats(most/w.g.Worth[to]*(1+1e-12), from.gas, r.amount, r.gas, gasCost) {
			return
		}
	}
	y, gas, ok := w.pay(a, from.amount)
	if ok && y*w.g.Worth[to]*w.rise[left] >= w.need+w.gas(from.gas+gas, 1) {
		next.at(to).offer(label{amount: y, gas: from.gas + gas, arc: a, origin: from.origin, from: int32(t), slot: int8(slot)}, gasCost)
	}
}

// gas is the worth of what a path burns with so many steps to come, unless
// the path is all there is.
func (w *sweep) gas(burnt float64, steps int) float64 {
	if w.alone {
		return 0
	}
	return (burnt + float64(steps*leastGas)) * w.net.gasWorth
}

// pay is what an arc brings in whole units.
func (w *sweep) pay(a *market.Arc, x float64) (y, gas float64, ok bool) {
	y, gas = a.Pay(x)
	if y < 0 {
		w.tooLarge = true
	} else if y < 1 {
		w.tooSmall = true
	}
	return math.Floor(y), gas, y >= 1
}

// arrive notes a path that ends at a node.
func (w *sweep) arrive(k, t, slot int, from *label, a *market.Arc, node int) {
	n := &w.net
	c := column{arc: a, token: int32(t), hops: k + 1, slot: int8(slot), to: int32(node)}
	switch {
	case !w.alone && n.leads(node, int(from.origin)):
		return
	case k == 0 && !w.alone:
		v, u := n.nodes[from.origin].v, n.nodes[node].v
		x, y, _, gas := a.Supply.Until(v / u)
		c.gain = y*u - x*v - gas*n.gasCost
	default:
		y, gas, ok := w.pay(a, from.amount)
		if !ok {
			return
		}
		c.out, c.gas = y, from.gas+gas
		c.gain = y*n.nodes[node].v - w.chunk - c.gas*n.gasCost
	}
	if w.alone {
		if got := c.gain * w.g.Worth[w.out] * (1 - 1e-9); got > w.floor {
			w.expect(got)
		}
	} else if c.gain <= w.chunk*leastGain {
		return
	}
	w.columns = append(w.columns, c)
}

// beats compares amounts of one token net of the gas it took to get them.
func beats(amount, gas, other, otherGas, gasCost float64) bool {
	return amount-other > (gas-otherGas)*gasCost
}

// rival is the label that an offer from a token must beat to be kept.
func (at *bunch) rival(from int32) *label {
	for i := range at {
		if at[i].amount > 0 && at[i].from == from {
			return &at[i]
		}
	}
	return &at[len(at)-1]
}

// offer puts a label in its place, if it beats its rival, which leaves.
func (at *bunch) offer(l label, gasCost float64) {
	r := at.rival(l.from)
	if r.amount > 0 && !beats(l.amount, l.gas, r.amount, r.gas, gasCost) {
		return
	}
	*r = l
	for i := len(at) - 1; i > 0; i-- {
		if a, b := &at[i-1], &at[i]; b.amount > 0 && (a.amount == 0 || beats(b.amount, b.gas, a.amount, a.gas, gasCost)) {
			*a, *b = *b, *a
		}
	}
}

// fits says whether a label's path may go on through an arc: it meets no
// token and no pool again.
func (f *finder) fits(k, t, slot int, a *market.Arc) bool {
	for ; ; k-- {
		if t == int(a.To) {
			return false
		}
		if k == 0 {
			return true
		}
		l := &f.layers[k].labels[f.layers[k].slot[t]-1][slot]
		if l.arc.Pool == a.Pool {
			return false
		}
		t, slot = int(l.from), int(l.slot)
	}
}

func (f *finder) trace(c *column) []hop {
	path := make([]hop, c.hops)
	arc, t, slot := c.arc, c.token, c.slot
	for k := c.hops - 1; ; k-- {
		l := &f.layers[k].labels[f.layers[k].slot[t]-1][slot]
		path[k] = hop{Arc: arc, from: int(t), amount: l.amount}
		if k == 0 {
			return path
		}
		arc, t, slot = l.arc, l.from, l.slot
	}
}

// single is the best path for an amount, carried out in integers.
func (f *finder) single(o *Order, amount u256.Int) (plan.Plan, []hop, error) {
	path, ok := f.alone(amount.Float())
	if !ok {
		return plan.Plan{}, nil, errNoPath
	}
	steps := make([]plan.Step, len(path))
	for i, h := range path {
		steps[i] = plan.Step{Pool: f.pools[h.Pool], In: int(h.In), Out: int(h.Out)}
	}
	p, err := plan.Run(o.TokenIn, o.TokenOut, amount, steps)
	return p, path, err
}
