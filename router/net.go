package router

import (
	"cmp"
	"slices"

	"braid/market"
	"braid/u256"
	"braid/venue"
)

// net is the flow at hand: the pools in use, each one way, without a circle.
type net struct {
	amount  float64
	nodes   []node // tokens in use: in and out first
	legs    []leg  // in order: what makes a token stands before what takes it
	saved   []leg
	hess    []float64 // of newton, as step
	step    []float64
	full    bool   // the last step was made in full
	leading []bool // leading[a*len(nodes)+b]: the flow leads from a to b

	nodeOf []int32 // by token, legOf by pool: index+1, or 0
	legOf  []int32

	gasCost float64 // of a unit of gas, in the last token; 0 when unknown
}

const source, sink = 0, 1

// node is a token in use.
type node struct {
	token  int
	rank   int  // the longest way from the source
	joined bool // the end that trim looks from is in reach
	seeded bool // u has a value to start from
	held   float64
	u      float64 // the square root of what its last unit is worth
}

// leg is a pool in use.
type leg struct {
	pool     venue.Pool
	edge     *market.Edge
	from, to int // nodes
	gas      uint64
	off      bool // taken out
	tried    bool // prune has judged it

	spot, width float64 // the pool's curve: out = spot*x / (1 + x/width)
	r           float64 // the square root of spot
	probed      float64 // the amount that width was measured with
	active      bool    // worth using at the present prices
	x, y        float64 // what enters and what leaves
	worth       float64 // of x, at the price of its last unit

	in, out u256.Int // x and y as the pool has them
}

func (n *net) reset(f *finder, amount u256.Int) {
	n.amount = amount.Float()
	n.nodeOf = grown(n.nodeOf, len(f.s.Tokens()))
	n.legOf = grown(n.legOf, len(f.pools))
	n.addNode(f.in)
	n.addNode(f.out)
	n.nodes[sink].u, n.nodes[sink].seeded = 1, true
	n.order()
	n.gasCost = 0
	native, out := f.s.USD(f.s.Chain().WrappedNative), f.s.Price(f.out).USD
	if native > 0 && out > 0 {
		n.gasCost = f.s.GasPrice().Float() * native / out
	}
}

func (n *net) forget() {
	for i := range n.nodes {
		n.nodeOf[n.nodes[i].token] = 0
	}
	for i := range n.legs {
		n.legOf[n.legs[i].edge.Pool] = 0
	}
	clear(n.legs)
	clear(n.saved[:cap(n.saved)])
	n.nodes, n.legs, n.leading = n.nodes[:0], n.legs[:0], n.leading[:0]
}

func (n *net) addNode(token int) int {
	if i := n.nodeOf[token]; i > 0 {
		return int(i) - 1
	}
	n.nodes = append(n.nodes, node{token: token})
	n.nodeOf[token] = int32(len(n.nodes))
	return len(n.nodes) - 1
}

// cost of gas in the last token, rounded down.
func (n *net) cost(gas uint64) u256.Int { return u256.FromFloat(n.gasCost * float64(gas)) }

// beats compares two outputs net of their gas.
func (n *net) beats(out u256.Int, gas uint64, other u256.Int, otherGas uint64) bool {
	a, aOver := out.AddOver(n.cost(otherGas))
	b, bOver := other.AddOver(n.cost(gas))
	if aOver != bOver {
		return aOver
	}
	return a.Gt(b)
}

// allows refuses a pool that already carries flow some other way.
func (n *net) allows(e *market.Edge) bool {
	i := n.legOf[e.Pool]
	return i == 0 || (n.legs[i-1].edge.In == e.In && n.legs[i-1].edge.Out == e.Out)
}

// quote is what a pool pays for amount beyond its flow.
func (n *net) quote(p venue.Pool, e *market.Edge, amount u256.Int) (venue.Quote, error) {
	i := n.legOf[e.Pool]
	if i == 0 {
		return p.Quote(e.In, e.Out, amount)
	}
	l := &n.legs[i-1]
	sum, over := l.in.AddOver(amount)
	if over {
		return venue.Quote{}, venue.ErrTooLarge
	}
	q, err := p.Quote(e.In, e.Out, sum)
	if err != nil {
		return venue.Quote{}, err
	}
	if !q.Out.Gt(l.out) {
		return venue.Quote{}, venue.ErrTooSmall
	}
	return venue.Quote{Out: q.Out.Sub(l.out)}, nil
}

// rate is the price of a pool under its flow.
func (n *net) rate(e *arc) float64 {
	i := n.legOf[e.Pool]
	if i == 0 {
		return e.spot
	}
	l := &n.legs[i-1]
	d := 1 + l.x/l.width
	return e.spot / (d * d)
}

// leads says whether the flow leads from one token to another.
func (n *net) leads(from, to int) bool {
	a, b := n.nodeOf[from], n.nodeOf[to]
	return a > 0 && b > 0 && n.leading[int(a-1)*len(n.nodes)+int(b-1)]
}

// add puts a path's pools into use. It reports whether any was new.
func (n *net) add(w way, pools []venue.Pool) bool {
	before := len(n.legs)
	for _, h := range w {
		if n.legOf[h.Pool] > 0 {
			continue
		}
		l := leg{pool: pools[h.Pool], edge: h.Edge, from: n.addNode(h.from), to: n.addNode(h.To)}
		if l.probe(h.amount) {
			n.legs = append(n.legs, l)
		}
	}
	n.order()
	return len(n.legs) > before
}

// order ranks the nodes by the longest way from the source, sorts the legs by
// it, and notes what leads where.
func (n *net) order() {
	for i := range n.nodes {
		n.nodes[i].rank = 0
	}
	for changed := true; changed; {
		changed = false
		for i := range n.legs {
			l := &n.legs[i]
			if r := n.nodes[l.from].rank + 1; n.nodes[l.to].rank < r {
				n.nodes[l.to].rank, changed = r, true
			}
		}
	}
	slices.SortFunc(n.legs, func(a, b leg) int {
		return cmp.Or(cmp.Compare(n.nodes[a.from].rank, n.nodes[b.from].rank), cmp.Compare(a.from, b.from), cmp.Compare(a.edge.Pool, b.edge.Pool))
	})
	size := len(n.nodes)
	n.leading = grown(n.leading, size*size)
	clear(n.leading)
	for i := len(n.legs) - 1; i >= 0; i-- {
		l := &n.legs[i]
		n.legOf[l.edge.Pool] = int32(i + 1)
		n.leading[l.from*size+l.to] = true
		for t := range size {
			if n.leading[l.to*size+t] {
				n.leading[l.from*size+t] = true
			}
		}
	}
}

// group is the end of the legs that leave the node of leg i.
func (n *net) group(i int) int {
	j := i + 1
	for j < len(n.legs) && n.legs[j].from == n.legs[i].from {
		j++
	}
	return j
}
