package router

import (
	"cmp"
	"math"
	"slices"

	"braid/market"
	"braid/u256"
)

// Bound is an amount that no plan for the order can pay, whatever its steps,
// over all pools that it may use and without a thought for gas. For any values
// v of the tokens in the last one, no plan pays more than
//
//	amount*v[first] + sum over pools of what each leaves to a trader at v
//
// and at the values that make this least it is nearly paid. Floats find the
// values; what they lose is added on top. It is false when there is no way
// from one token to the other.
func Bound(s *market.Snapshot, o Order) (u256.Int, bool) {
	f, err := newFinder(s, o)
	if err != nil {
		return u256.Zero, false
	}
	defer f.release()
	path, ok := f.alone(o.AmountIn.Float())
	if !ok {
		if path = f.part(&o); path == nil {
			return u256.Zero, false
		}
	}
	n := &f.net
	n.amount = o.AmountIn.Float()
	n.add(path, f.pools)
	n.order()
	n.solve(rough)
	f.grow(firstChunk, 512)

	b := newAppraisal(f)
	for b.look(); b.effort < maxEffort && b.widen(); b.look() {
		b.solve()
	}
	return u256.FromFloat(b.best * (1 + 1e-9)).Add(u256.One), true
}

const (
	maxEffort    = 100_000_000 // arcs looked at, or the like
	maxAppraised = 256         // tokens whose values are found together
	joinAtOnce   = 64
	loose        = 1e-6 // of the order: flow that may not add up
	negligible   = 1e-6 // of the order: what need not be looked into
)

// appraisal holds the values of all tokens. Those of the net's nodes are found
// together, each other one follows from theirs.
type appraisal struct {
	*finder
	value  []float64
	queue  []int32
	queued []bool
	profit []float64 // that arcs from or to a token leave, outside the net
	hot    []int     // tokens with profit
	left   float64   // all of it
	sum    float64   // the bound at the values
	best   float64   // the least so far, at the values kept
	kept   []float64
	effort int
}

func newAppraisal(f *finder) *appraisal {
	tokens := len(f.s.Tokens())
	b := &appraisal{
		finder: f, value: make([]float64, tokens), profit: make([]float64, tokens), queued: make([]bool, tokens),
		best: math.Inf(1),
	}
	b.strip()
	return b
}

// strip takes all legs out of the net, and the nodes without flow: nothing
// holds their values.
func (b *appraisal) strip() {
	n := &b.net
	for i := range n.nodes {
		n.nodes[i].joined = i <= sink
	}
	for i := range n.legs {
		l := &n.legs[i]
		n.legOf[l.arc.Pool] = 0
		if l.x > 0 {
			n.nodes[l.from].joined, n.nodes[l.to].joined = true, true
		}
	}
	n.legs = n.legs[:0]
	for i := range n.nodes {
		n.nodeOf[n.nodes[i].token] = 0
	}
	n.nodes = slices.DeleteFunc(n.nodes, func(o node) bool { return !o.joined })
	for i := range n.nodes {
		n.nodeOf[n.nodes[i].token] = int32(i + 1)
	}
}

// solve finds the values of the nodes, with every arc between them in use.
func (b *appraisal) solve() {
	n := &b.net
	n.legs = n.legs[:0]
	for i := range n.nodes {
		arcs := b.g.All(n.nodes[i].token)
		for k := range arcs {
			a := &arcs[k]
			if to := n.nodeOf[a.To]; to > 0 && b.open(a) {
				n.legs = append(n.legs, leg{arc: a, supply: a.Supply, from: i, to: int(to) - 1})
			}
		}
	}
	size, before := len(n.nodes), n.effort
	n.minimise(loose)
	b.effort += (n.effort - before) / len(n.legs) * (3*len(n.legs) + size*size)
}

// look gives all tokens values by those of the nodes, and keeps the best.
func (b *appraisal) look() {
	b.close()
	b.appraise()
	if b.sum < b.best {
		b.best, b.kept = b.sum, append(b.kept[:0], b.value...)
	}
}

// close gives each token outside the net the most that it sells for, over any
// number of arcs, at the values of the nodes. Then only arcs out of nodes can
// leave anything, unless there is arbitrage: values that rise for ever are cut
// off by a count.
func (b *appraisal) close() {
	clear(b.value)
	b.queue = b.queue[:0]
	for i := range b.net.nodes {
		n := &b.net.nodes[i]
		b.value[n.token] = n.v
		b.queue = append(b.queue, int32(n.token))
	}
	for i := 0; i < len(b.queue) && i < 4*len(b.value); i++ {
		u := int(b.queue[i])
		b.queued[u] = false
		ways, _, _ := b.g.Ways(u, math.MaxInt)
		b.effort += len(ways)
		unit := b.value[u] / b.g.Worth[u] * (1 + slack)
		for k := range ways {
			way := &ways[k]
			t := int(way.To)
			v := float64(way.Back) * unit * b.g.Worth[t]
			if v <= b.value[t]*(1+8*slack) || b.net.nodeOf[t] > 0 || b.shut(t) {
				continue
			}
			b.value[t] = v
			if !b.queued[t] {
				b.queued[t] = true
				b.queue = append(b.queue, int32(t))
			}
		}
	}
	clear(b.queued)
	for t, v := range b.value {
		if v == 0 {
			b.value[t] = b.bid(t)
		}
	}
}

// bid is what the neighbours give for a token.
func (b *appraisal) bid(t int) (bid float64) {
	arcs := b.g.All(t)
	for i := range arcs {
		if a := &arcs[i]; b.open(a) {
			bid = max(bid, a.Spot*b.value[a.To])
		}
	}
	return bid
}

// appraise notes what all arcs leave at the values, and which tokens outside
// the net are at the ends of those that leave anything.
func (b *appraisal) appraise() {
	clear(b.profit)
	b.hot, b.left, b.sum = b.hot[:0], 0, b.net.amount*b.value[b.in]
	b.effort += len(b.g.Arcs)
	for t, v := range b.value {
		if b.shut(t) && t != b.in && t != b.out {
			continue
		}
		arcs := b.g.All(t)
		for i := range arcs {
			a := &arcs[i]
			u := b.value[a.To]
			if a.Spot*u <= v || !b.open(a) {
				continue
			}
			x, y, _, _ := a.Supply.Until(v / u)
			if profit := y*u - x*v; profit > 0 {
				b.sum += profit
				b.note(t, int(a.To), profit)
			}
		}
	}
}

// note adds to the profit of the ends that are outside the net.
func (b *appraisal) note(from, to int, profit float64) {
	for _, t := range [2]int{from, to} {
		if b.net.nodeOf[t] > 0 {
			continue
		}
		if b.profit[t] == 0 {
			b.hot = append(b.hot, t)
		}
		b.profit[t] += profit
		b.left += profit
	}
}

// widen lets tokens that leave most join the nodes, and goes back to the best
// values so far. It is false when nothing is left that matters.
func (b *appraisal) widen() bool {
	value := b.net.amount * b.net.nodes[source].v
	joining := slices.DeleteFunc(b.hot, func(t int) bool { return b.profit[t] <= negligible*value/8 })
	slices.SortStableFunc(joining, func(x, y int) int { return cmp.Compare(b.profit[y], b.profit[x]) })
	room := min(len(joining), joinAtOnce, maxAppraised-len(b.net.nodes))
	if b.left < negligible*value || room <= 0 {
		return false
	}
	for _, t := range joining[:room] {
		b.net.addNode(t)
	}
	for i := range b.net.nodes {
		n := &b.net.nodes[i]
		n.v = b.kept[n.token]
	}
	return true
}

// open says whether a plan may use an arc.
func (b *appraisal) open(a *market.Arc) bool {
	to := int(a.To)
	return !b.banned[a.Source] && (!b.shut(to) || to == b.in || to == b.out)
}
