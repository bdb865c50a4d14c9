package router

import (
	"math"
	"slices"

	"braid/market"
	"braid/venue"
)

// net is the flow at hand: the pools in use, each one way, without a circle.
type net struct {
	amount float64
	nodes  []node // tokens in use: in and out first
	legs   []leg  // in order: what makes a token stands before what takes it
	saved  []leg
	values []float64 // saved values of the nodes
	start  draft     // when the toll began
	last   draft     // when values were last found with a toll
	pruned draft
	list   []chain  // memory of chains
	old    []node   // scratch of compact
	keys   []uint64 // and of order
	loose  []leg
	newton newton
	effort int // curves evaluated so far, and how many may be
	budget int

	nodeOf []int32 // by token, legOf by pool: index+1, or 0
	legOf  []int32

	places int     // legs that a plan may have; 0 is any number
	toll   float64 // what a leg pays for its place, if there are too few
	paid   float64 // output of the last net without a toll
	plain  float64 // output when the toll began; 0 if it did not
	stiff  bool    // no values could be found with a toll
	blur   float64 // how far from the toll a leg is in part
	spare  float64 // what the least leg of a pruned net is worth

	gasCost  float64 // of a unit of gas, in the last token; 0 when unknown
	gasWorth float64 // the same in the unit of Graph.Worth
}

const (
	source, sink = 0, 1
	maxNodes     = 256
)

// node is a token in use.
type node struct {
	token   int
	rank    int // the longest way from the source
	in, out int // legs in use
	leg     int // one that leaves
	joined  bool
	circles bool // paths from here lead back with a gain
	reach   set  // nodes to which the flow leads from here
	held    float64
	most    float64 // that a leg out of it may carry; 0 is any amount
	v       float64 // what its last unit is worth in the last token
	root    float64 // of that, and 1 by it
	inverse float64
}

// leg is a pool in use.
type leg struct {
	pool     venue.Pool
	arc      *market.Arc
	supply   *venue.Supply
	from, to int  // nodes
	off      bool // taken out
	tried    bool // prune has judged it
	full     bool // takes all that it can

	x, y   float64 // what enters and what leaves
	gas    float64
	slope  float64 // by how much the worth of x grows as the price falls by a part
	profit float64 // what y is worth beyond x
	bend   float64 // by how much its weight grows with its profit
	extra  float64 // of the toll, that it pays on top
	piece  int     // of the supply, where x ends
}

func (n *net) reset(f *finder) {
	n.nodeOf = grown(n.nodeOf, len(f.s.Tokens()))
	n.legOf = grown(n.legOf, len(f.pools))
	n.addNode(f.in)
	n.addNode(f.out)
	n.nodes[sink].v = 1
	n.priceGas(f)
}

func (n *net) priceGas(f *finder) {
	n.gasCost = f.gasCost
	n.gasWorth = n.gasCost * f.g.Worth[f.out]
}

func (n *net) forget() {
	for i := range n.nodes {
		n.nodeOf[n.nodes[i].token] = 0
	}
	for i := range n.legs {
		n.legOf[n.legs[i].arc.Pool] = 0
	}
	clear(n.legs)
	clear(n.saved[:cap(n.saved)])
	clear(n.loose[:cap(n.loose)])
	for _, d := range []*draft{&n.start, &n.last, &n.pruned} {
		clear(d.legs[:cap(d.legs)])
	}
	n.nodes, n.legs = n.nodes[:0], n.legs[:0]
	n.places, n.toll, n.stiff, n.plain, n.paid = 0, 0, false, 0, 0
}

// spent says whether the search has to end with what it has.
func (n *net) spent() bool { return n.effort >= n.budget }

func (n *net) addNode(token int) int {
	if i := n.nodeOf[token]; i > 0 {
		return int(i) - 1
	}
	n.nodes = append(n.nodes, node{token: token})
	n.nodeOf[token] = int32(len(n.nodes))
	return len(n.nodes) - 1
}

// leads says whether the flow leads from one node to another.
func (n *net) leads(from, to int) bool { return n.nodes[from].reach.has(to) }

// join notes that the flow leads from one node to another.
func (n *net) join(from, to int) {
	if n.leads(from, to) {
		return
	}
	beyond := n.nodes[to].reach
	beyond.add(to)
	for i := range n.nodes {
		if i == from || n.leads(i, from) {
			n.nodes[i].reach.unite(&beyond)
		}
	}
}

// add puts a path's pools into use, unless that would close a circle or use a
// pool twice.
func (n *net) add(path []hop, pools []venue.Pool) bool {
	first, last := n.nodeOf[path[0].from], n.nodeOf[path[len(path)-1].To]
	if n.leads(int(last)-1, int(first)-1) || len(n.nodes)+len(path) > maxNodes {
		return false
	}
	for i, h := range path {
		if n.legOf[h.Pool] > 0 || i > 0 && n.nodeOf[h.from] > 0 {
			return false
		}
	}
	for i := len(path) - 1; i >= 0; i-- {
		h := &path[i]
		from, to := n.addNode(h.from), n.addNode(int(h.To))
		n.legs = append(n.legs, leg{pool: pools[h.Pool], arc: h.Arc, supply: h.Supply, from: from, to: to})
		n.legOf[h.Pool] = int32(len(n.legs))
		n.join(from, to)
	}
	n.value(path)
	return true
}

// value gives a path's tokens the values of its last units. What the path pays
// beyond its first token's value is left to the pool whose price gives way
// most: a deep one would trade far more than the order to take it up.
func (n *net) value(path []hop) {
	prices, thin, least := [maxHops]float64{}, 0, math.Inf(1)
	for i := range path {
		_, prices[i], _ = path[i].Supply.Pay(path[i].amount)
		if part := prices[i] / path[i].Spot; part < least && n.of(path[0].from).v > 0 {
			thin, least = i, part
		}
	}
	for i := range thin {
		n.of(int(path[i].To)).v = n.of(path[i].from).v / prices[i]
	}
	for i := len(path) - 1; i >= thin; i-- {
		if from := n.of(path[i].from); from.v == 0 {
			from.v = prices[i] * n.of(int(path[i].To)).v
		}
	}
}

// of is the node of a token in use.
func (n *net) of(token int) *node { return &n.nodes[n.nodeOf[token]-1] }

// draft is a net to go back to.
type draft struct {
	legs  []leg
	nodes []node
	toll  float64
}

func (n *net) keep(d *draft) {
	d.legs = append(d.legs[:0], n.legs...)
	d.nodes = append(d.nodes[:0], n.nodes...)
	d.toll = n.toll
}

func (n *net) revert(d *draft) {
	for i := range n.legs {
		n.legOf[n.legs[i].arc.Pool] = 0
	}
	for i := range n.nodes {
		n.nodeOf[n.nodes[i].token] = 0
	}
	n.legs = append(n.legs[:0], d.legs...)
	n.nodes = append(n.nodes[:0], d.nodes...)
	n.toll = d.toll
	for i := range n.nodes {
		n.nodeOf[n.nodes[i].token] = int32(i + 1)
	}
	n.order()
}

// compact forgets legs that were taken out and tokens that none is left for.
func (n *net) compact() {
	for i := range n.legs {
		n.legOf[n.legs[i].arc.Pool] = 0
	}
	for i := range n.nodes {
		n.nodeOf[n.nodes[i].token] = 0
	}
	n.old = append(n.old[:0], n.nodes...)
	n.legs = slices.DeleteFunc(n.legs, func(l leg) bool { return l.off })
	n.nodes = n.nodes[:0]
	for i, o := range n.old {
		if i <= sink || o.in+o.out > 0 {
			n.nodes = append(n.nodes, o)
			n.nodeOf[o.token] = int32(len(n.nodes))
		}
	}
	for i := range n.legs {
		l := &n.legs[i]
		l.tried = false
		l.from, l.to = int(n.nodeOf[n.old[l.from].token])-1, int(n.nodeOf[n.old[l.to].token])-1
	}
	n.order()
	for i := range n.nodes {
		n.nodes[i].reach = set{}
	}
	for i := len(n.legs) - 1; i >= 0; i-- {
		l := &n.legs[i]
		from := &n.nodes[l.from].reach
		from.add(l.to)
		from.unite(&n.nodes[l.to].reach)
	}
}

// order ranks the nodes by the longest way from the source and sorts the legs
// by it.
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
	n.keys = n.keys[:0]
	for i := range n.legs {
		l := &n.legs[i]
		n.keys = append(n.keys, uint64(n.nodes[l.from].rank)<<56|uint64(l.from)<<48|uint64(l.arc.Pool)<<16|uint64(i))
	}
	if !slices.IsSorted(n.keys) {
		slices.Sort(n.keys)
		n.loose = append(n.loose[:0], n.legs...)
		for i, key := range n.keys {
			n.legs[i] = n.loose[uint16(key)]
		}
	}
	for i := range n.legs {
		n.legOf[n.legs[i].arc.Pool] = int32(i + 1)
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
