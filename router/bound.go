package router

import (
	"math"
	"slices"

	"braid/market"
	"braid/u256"
)

// Bound is an amount that no plan for the order can pay, whatever its steps,
// over all pools that it may use, each once, and without a thought for gas. For
// any values v of the tokens in the last one, no plan pays more than
//
//	amount*v[first] + sum over pools of what each leaves to a trader at v
//
// and at the values that make this least it is nearly paid. No step takes more
// than the plan holds, so arbitrage that lies in the market counts only as far
// as the order could drive it. Floats find the values; what they lose is added
// on top. It is false when there is no way from one token to the other.
func Bound(s *market.Snapshot, o Order) (u256.Int, bool) {
	b, ok := newAppraisal(s, o)
	if !ok {
		return u256.Zero, false
	}
	defer b.release()
	return b.bound(), true
}

const (
	maxEffort    = 100_000_000 // arcs looked at, or the like
	maxAppraised = 256         // tokens whose values are found together
	joinAtOnce   = 64
	relaxations  = 8
	halvings     = 16
	limits       = 16
	limited      = 1e-4 // of the bound: what a limit must take off it
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
	caps   []float64 // by token: the most of it that a plan can hold; nil is any amount
	fares  fares
	effort int
}

func newAppraisal(s *market.Snapshot, o Order) (*appraisal, bool) {
	f, err := newFinder(s, o, true)
	if err != nil {
		return nil, false
	}
	path, ok := f.alone(o.AmountIn.Float())
	if !ok {
		if path = f.part(&o); path == nil {
			f.release()
			return nil, false
		}
	}
	n, tokens := &f.net, len(s.Tokens())
	n.amount = o.AmountIn.Float()
	n.add(path, f.pools)
	n.order()
	n.solve(rough)
	f.grow(firstChunk, 512)

	b := &appraisal{
		finder: f, value: make([]float64, tokens), profit: make([]float64, tokens), queued: make([]bool, tokens),
		best: math.Inf(1),
	}
	b.strip()
	b.look()
	start := slices.Clone(b.kept)
	b.refine()
	if b.kept[b.in] < start[b.in]/2 {
		b.restart(start)
	}
	b.limit(func() {
		b.solve(loose)
		b.look()
		b.refine()
	})
	return b, true
}

// refine finds values that make the sum less, as long as it pays.
func (b *appraisal) refine() {
	for b.effort < maxEffort && b.widen() {
		b.solve(loose)
		b.look()
	}
}

// bound is the least sum so far, and what floats may have lost.
func (b *appraisal) bound() u256.Int { return u256.FromFloat(b.best * (1 + 1e-9)).Add(u256.One) }

// restart goes back to where the search began and limits it from there, if
// that ends lower: arbitrage that far outweighs the order leads its values
// astray.
func (b *appraisal) restart(start []float64) {
	best, kept := b.best, b.kept
	b.best, b.kept = math.Inf(1), start
	b.back()
	b.review()
	b.limit(b.review)
	b.refine()
	if best < b.best {
		b.best, b.kept = best, kept
		b.back()
	}
}

// limit lets no arc carry more than a plan can hold, which is worth no more
// than the bound at the values of which it is one. Without it arbitrage that
// lies in the market counts in full, however small the order that passes it.
func (b *appraisal) limit(again func()) {
	for range limits {
		before, kept := b.best, slices.Clone(b.kept)
		if !b.overflows() {
			return
		}
		b.best = math.Inf(1)
		again()
		if b.best > before {
			b.best, b.kept = before, kept
			b.back()
		}
		if b.best > before*(1-limited) {
			return
		}
	}
}

// overflows says whether a leg carries more than a plan can hold, or most of
// the bound is left outside the net, and limits all.
func (b *appraisal) overflows() bool {
	n := &b.net
	b.back()
	n.evaluate()
	over := b.left > b.best/2
	b.caps = grown(b.caps, len(b.kept))
	for t, v := range b.kept {
		b.caps[t] = b.best / v
	}
	for i := range n.legs {
		l := &n.legs[i]
		over = over || l.x > b.caps[n.nodes[l.from].token]
	}
	for i := range n.nodes {
		n.nodes[i].most = b.caps[n.nodes[i].token]
	}
	return over
}

// back goes back to the best values so far.
func (b *appraisal) back() {
	copy(b.value, b.kept)
	for i := range b.net.nodes {
		n := &b.net.nodes[i]
		n.v = b.kept[n.token]
	}
}

// most of a token that a plan can hold.
func (b *appraisal) most(t int) float64 {
	if b.caps == nil {
		return math.Inf(1)
	}
	return b.caps[t]
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
	b.join()
}

// join puts every arc between the nodes into use.
func (b *appraisal) join() {
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
}

// solve finds the values of the nodes.
func (b *appraisal) solve(tolerance float64) {
	n := &b.net
	size, before := len(n.nodes), n.effort
	n.minimise(tolerance)
	b.effort += (n.effort - before) / max(1, len(n.legs)) * (3*len(n.legs) + size*size)
}
