// Package bound proves how much any plan can pay: certificates from dual prices, for any number of steps and for few.
//
// For any prices v of the tokens in units of the last one, no plan pays more than
//
//	amount*v[first] + sum over pools of what each leaves to a trader at v
//
// and at the prices that make this least it is nearly paid. The prices of a network's
// nodes are found together, by Newton's method; each other one follows from theirs. As
// the sum holds at any prices, an error of the search makes the bound less tight and
// never false.
package bound

import (
	"math"
	"slices"

	"braid/router/flow"
	"braid/router/path"
	"braid/u256"
)

// Any is an amount that no plan for the order can pay, whatever its steps, over all pools
// that it may use, each once, and without regard to gas. No step takes more than the plan
// holds, so arbitrage that lies in the market counts only as far as the order could drive
// it. What floats lose is added on top. It is false when no path leads from one token to
// the other.
func Any(s *path.Search, n *flow.Network, amount u256.Int) (u256.Int, bool) {
	b, ok := newCertificate(s, n, amount)
	if !ok {
		return u256.Zero, false
	}
	return b.bound(), true
}

// certificate is the prices of all tokens, and what they prove.
type certificate struct {
	*path.Search
	net    *flow.Network
	price  []float64 // by token
	queue  []int32
	queued []bool
	profit []float64 // by token: what links from or to it leave, outside the network
	hot    []int     // tokens with profit
	left   float64   // all of it
	sum    float64   // the bound at the prices
	best   float64   // the least so far, at the prices kept
	kept   []float64
	caps   []float64 // by token: the most of it that a plan can hold; nil is any amount
	links  linkPrices
	effort int
}

// newCertificate starts from the network that a search for a plan grows.
func newCertificate(s *path.Search, n *flow.Network, amount u256.Int) (*certificate, bool) {
	first, _ := s.Best(amount.Float(), path.Avoid{})
	if first == nil {
		if first, _ = s.BestPart(amount); first == nil {
			return nil, false
		}
	}
	n.Begin(amount.Float(), first)
	s.Grow(n, path.Growth{Chunk: path.FirstChunk, MaxEdges: startEdges}, nil)
	tokens := len(s.Snapshot.Tokens())
	b := &certificate{
		Search: s, net: n, price: make([]float64, tokens), profit: make([]float64, tokens), queued: make([]bool, tokens),
		best: math.Inf(1),
	}
	n.Strip()
	b.joinLinks()
	b.look()
	start := slices.Clone(b.kept)
	b.refine()
	if b.kept[b.In] < start[b.In]/2 {
		b.restart(start)
	}
	b.limit(func() {
		b.solve(loose)
		b.look()
		b.refine()
	})
	return b, true
}

// refine finds prices that make the sum less, as long as it pays.
func (b *certificate) refine() {
	for b.effort < maxEffort && b.widen() {
		b.solve(loose)
		b.look()
	}
}

// bound is the least sum so far, and what floats may have lost.
func (b *certificate) bound() u256.Int {
	return u256.FromFloat(b.best * (1 + floatError)).Add(u256.One)
}

// restart goes back to where the search began and limits it from there, if
// that ends lower: arbitrage that far outweighs the order leads its prices
// astray.
func (b *certificate) restart(start []float64) {
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

// limit lets no link carry more than a plan can hold, which is worth no more
// than the bound at the prices of which it is one. Without it arbitrage that
// lies in the market counts in full, however small the order that passes it.
func (b *certificate) limit(again func()) {
	for range maxLimits {
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

// overflows says whether an edge carries more than a plan can hold, or most of
// the bound is left outside the network, and limits all.
func (b *certificate) overflows() bool {
	n := b.net
	b.back()
	n.Evaluate()
	over := b.left > b.best/2
	b.caps = flow.Grown(b.caps, len(b.kept))
	for t, v := range b.kept {
		b.caps[t] = b.best / v
	}
	for i := range n.Edges {
		e := &n.Edges[i]
		over = over || e.X > b.caps[n.Nodes[e.From].Token]
	}
	for i := range n.Nodes {
		n.Nodes[i].Cap = b.caps[n.Nodes[i].Token]
	}
	return over
}

// back goes back to the best prices so far.
func (b *certificate) back() {
	copy(b.price, b.kept)
	for i := range b.net.Nodes {
		o := &b.net.Nodes[i]
		o.Price = b.kept[o.Token]
	}
}

// most of a token that a plan can hold.
func (b *certificate) most(t int) float64 {
	if b.caps == nil {
		return math.Inf(1)
	}
	return b.caps[t]
}

// joinLinks puts every link between the nodes into use.
func (b *certificate) joinLinks() {
	n := b.net
	n.Edges = n.Edges[:0]
	for i := range n.Nodes {
		links := b.Graph.All(n.Nodes[i].Token)
		for k := range links {
			a := &links[k]
			if to := n.NodeOf(int(a.To)); to >= 0 && b.open(a) {
				n.Edges = append(n.Edges, flow.Edge{Direction: path.DirectionOf(a), Supply: a.Supply, From: i, To: to})
			}
		}
	}
}

// solve finds the prices of the nodes.
func (b *certificate) solve(tolerance float64) {
	n := b.net
	size, before := len(n.Nodes), b.Budget.Used
	n.Minimise(tolerance)
	b.effort += (b.Budget.Used - before) / max(1, len(n.Edges)) * (3*len(n.Edges) + size*size)
}
