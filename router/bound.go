package router

import (
	"cmp"
	"math"
	"slices"

	"braid/market"
	"braid/u256"
)

// Bound is an amount that no plan for the order can pay, whatever its steps,
// over all pools that are not excluded and without a thought for gas. For any
// values v of the tokens in the last one, no plan pays more than
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
	f.grow(firstChunk, 2*f.maxSteps+32)

	b := newAppraisal(f)
	for range maxWidenings {
		b.solve()
		if !b.widen() {
			break
		}
	}
	return u256.FromFloat(b.sum() * (1 + 1e-9)).Add(u256.One), true
}

const (
	maxWidenings = 12
	maxAppraised = 256 // tokens whose values are found together
)

// appraisal holds the values of all tokens. Those of the net's nodes are found
// together, each other one follows from its neighbours'.
type appraisal struct {
	*finder
	value  []float64
	profit []float64 // that arcs from or to a token leave, outside the net
}

func newAppraisal(f *finder) *appraisal {
	tokens := len(f.s.Tokens())
	b := &appraisal{finder: f, value: make([]float64, tokens), profit: make([]float64, tokens)}
	// The market's prices stand to the net's values as they do at its widest node.
	scale, widest := 0.0, -1
	for i := range f.net.nodes {
		n := &f.net.nodes[i]
		if wide := len(f.g.All(n.token)); wide > widest && n.v > 0 {
			scale, widest = n.v/f.g.Worth[n.token], wide
		}
	}
	for t := range b.value {
		b.value[t] = f.g.Worth[t] * scale
	}
	return b
}

// solve finds the values of the nodes, with every arc between them in use.
func (b *appraisal) solve() {
	n := &b.net
	for i := range n.legs {
		n.legOf[n.legs[i].arc.Pool] = 0
	}
	n.legs = n.legs[:0]
	for i := range n.nodes {
		arcs := b.g.All(n.nodes[i].token)
		for k := range arcs {
			a := &arcs[k]
			if to := n.nodeOf[a.To]; to > 0 && !b.banned[a.Source] {
				n.legs = append(n.legs, leg{arc: a, supply: a.Supply, from: i, to: int(to) - 1})
			}
		}
	}
	n.minimise(fine)
	for i := range n.nodes {
		b.value[n.nodes[i].token] = n.nodes[i].v
	}
}

// widen gives the other tokens values at which they leave least to a trader,
// and lets those that leave most join the nodes. It is false when nothing is
// left that matters.
func (b *appraisal) widen() bool {
	for range 3 {
		for t := range b.value {
			if b.net.nodeOf[t] == 0 {
				b.fit(t)
			}
		}
	}
	clear(b.profit)
	left := 0.0
	b.eachArc(func(t int, a *market.Arc) {
		p := b.leaves(t, a)
		left += p
		for _, end := range [2]int{t, int(a.To)} {
			if b.net.nodeOf[end] == 0 {
				b.profit[end] += p
			}
		}
	})
	var joining []int
	for t, p := range b.profit {
		if p > 1e-8*b.net.amount*b.net.nodes[source].v {
			joining = append(joining, t)
		}
	}
	slices.SortStableFunc(joining, func(x, y int) int { return cmp.Compare(b.profit[y], b.profit[x]) })
	room := min(len(joining), 48, maxAppraised-len(b.net.nodes))
	for _, t := range joining[:room] {
		b.net.nodes[b.net.addNode(t)].v = b.value[t]
	}
	return room > 0
}

// fit moves a token's value between what its neighbours bid and ask.
func (b *appraisal) fit(t int) {
	bid, ask := 0.0, math.Inf(1)
	arcs := b.g.All(t)
	for i := range arcs {
		if a := &arcs[i]; !b.banned[a.Source] {
			bid = max(bid, a.Supply.Spot()*b.value[a.To])
		}
	}
	b.g.Into(t, func(from int, a *market.Arc) {
		if !b.banned[a.Source] {
			ask = min(ask, b.value[from]/a.Supply.Spot())
		}
	})
	switch {
	case bid > ask:
		b.value[t] = math.Sqrt(bid * ask)
	case b.value[t] < bid:
		b.value[t] = bid
	case b.value[t] > ask:
		b.value[t] = ask
	}
}

// leaves is what an arc leaves to a trader at the values.
func (b *appraisal) leaves(t int, a *market.Arc) float64 {
	v, u := b.value[t], b.value[a.To]
	x, y, _, _ := a.Supply.Until(v / u)
	return max(0, y*u-x*v)
}

func (b *appraisal) eachArc(do func(t int, a *market.Arc)) {
	for t := range b.value {
		arcs := b.g.All(t)
		for i := range arcs {
			if a := &arcs[i]; !b.banned[a.Source] && (b.net.nodeOf[t] == 0 || b.net.nodeOf[a.To] == 0) {
				do(t, a)
			}
		}
	}
}

// sum is the bound at the values.
func (b *appraisal) sum() float64 {
	sum := b.net.amount * b.value[b.in]
	for i := range b.net.legs {
		l := &b.net.legs[i]
		sum += b.leaves(b.net.nodes[l.from].token, l.arc)
	}
	b.eachArc(func(t int, a *market.Arc) { sum += b.leaves(t, a) })
	return sum
}
