// Package flow shares an amount out over a network of edges with supply curves: prices by Newton's method, removal of edges, choice of K.
//
// A network has nodes, the first of which is the source and the second the sink, and
// edges, each with a supply: the output as a concave function of the input. It has no
// cycle. Nodes and edges carry numbers of the caller's tokens and pools, which tell them
// apart and mean nothing else here.
package flow

import (
	"math"
	"slices"

	"braid/venue"
)

// Source and Sink are the first two nodes of every network.
const Source, Sink = 0, 1

// Direction is one direction of a pool: the number of the pool and the positions of the
// tokens in it.
type Direction struct {
	Pool    int32
	In, Out uint8
}

// Hop is one edge of a path that may join a network, and the amount that enters it.
type Hop struct {
	Direction
	From, To int // tokens
	Supply   *venue.Supply
	Amount   float64
}

// Budget counts evaluations of supply curves, so that effort is the same on any machine.
type Budget struct{ Used, Limit int }

// Spent says whether a search has to end with what it has.
func (b *Budget) Spent() bool { return b.Used >= b.Limit }

// Network is the flow found so far. Its memory is used again after Reset.
type Network struct {
	Amount    float64 // that enters at the source
	Nodes     []Node
	Edges     []Edge  // what enters a node stands before what leaves it
	MaxEdges  int     // K, how many edges a plan may have; 0 is any number
	MaxChain  int     // the most edges on a way from source to sink; 0 is any number
	GasPrice  float64 // of a unit of gas in units of the sink; 0 if unknown
	StepPrice float64 // lambda, what an edge pays to be one of K; 0 where K does not bind
	Smoothing float64 // half the width of profits around lambda in which an edge is used in part
	Budget    *Budget

	nodeOf []int32 // by token: index+1, or 0
	edgeOf []int32 // by pool: index+1, or 0
	rationing
	scratch
}

// scratch is memory that carries nothing from one call to the next.
type scratch struct {
	newton newton
	saved  []Edge    // by Save
	prices []float64 // by Save and resolve
	chains []chain
	nodes  []Node
	keys   []uint64
	edges  []Edge
}

// Node is a token in use.
type Node struct {
	Token int
	Price float64 // dual price: what the last unit is worth in units of the sink
	Held  float64 // what flows through it, of the last push
	Cap   float64 // the most that an edge out of it may carry; 0 is any amount

	rank          int // the longest way from the source
	ins, outs     int // edges in use
	leaving       int // one of those that leave
	reach         set // nodes to which the flow leads from here
	root, inverse float64
}

// Edge is a pool in use.
type Edge struct {
	Direction
	Supply   *venue.Supply
	From, To int  // nodes
	Off      bool // not in use

	X, Y        float64 // input and output
	Gas         float64
	Conductance float64 // d(input in units of the sink) / d(-log price)
	Profit      float64 // output less input at the dual prices
	LinkPrice   float64 // share of the step price that it pays on top of it

	weightSlope float64 // by which its weight grows with its profit, see Charge
	piece       int     // of the supply, where X ends
}

// Reset begins a network for an order from one token to another, in a market of so many
// tokens and pools.
func (n *Network) Reset(tokens, pools, in, out int) {
	n.forget()
	n.nodeOf, n.edgeOf = Grown(n.nodeOf, tokens), Grown(n.edgeOf, pools)
	n.AddNode(in)
	n.AddNode(out)
	n.Nodes[Sink].Price = 1
}

// Release drops all references, so that the memory can be kept for another order.
func (n *Network) Release() {
	n.forget()
	clear(n.saved[:cap(n.saved)])
	clear(n.edges[:cap(n.edges)])
	n.start.Release()
	n.last.Release()
	n.Budget = nil
}

func (n *Network) forget() {
	for i := range n.Nodes {
		n.nodeOf[n.Nodes[i].Token] = 0
	}
	for i := range n.Edges {
		n.edgeOf[n.Edges[i].Pool] = 0
	}
	clear(n.Edges)
	n.Nodes, n.Edges = n.Nodes[:0], n.Edges[:0]
	n.MaxEdges, n.StepPrice = 0, 0
	n.rationing.reset()
}

// Grown is the slice with n elements; those it had keep their values.
func Grown[T any](a []T, n int) []T {
	if n <= cap(a) {
		return a[:n]
	}
	return append(a[:cap(a)], make([]T, n-cap(a))...)
}

// NodeOf is the node of a token, or -1.
func (n *Network) NodeOf(token int) int { return int(n.nodeOf[token]) - 1 }

// EdgeOf is the edge through a pool, or nil.
func (n *Network) EdgeOf(pool int32) *Edge {
	if i := n.edgeOf[pool]; i > 0 {
		return &n.Edges[i-1]
	}
	return nil
}

// AddNode is the node of a token, new if there is none.
func (n *Network) AddNode(token int) int {
	if i := n.nodeOf[token]; i > 0 {
		return int(i) - 1
	}
	n.Nodes = append(n.Nodes, Node{Token: token})
	n.nodeOf[token] = int32(len(n.Nodes))
	return len(n.Nodes) - 1
}

// Leads says whether the flow leads from one node to another.
func (n *Network) Leads(from, to int) bool { return n.Nodes[from].reach.has(to) }

// join notes that the flow leads from one node to another.
func (n *Network) join(from, to int) {
	if n.Leads(from, to) {
		return
	}
	beyond := n.Nodes[to].reach
	beyond.add(to)
	for i := range n.Nodes {
		if i == from || n.Leads(i, from) {
			n.Nodes[i].reach.unite(&beyond)
		}
	}
}

// Begin puts a first path into use for an amount.
func (n *Network) Begin(amount float64, path []Hop) {
	n.Amount = amount
	n.Add(path)
	n.sort()
	n.output = n.Solve(Rough)
}

// Share shares another amount.
func (n *Network) Share() { n.output = n.Solve(Rough) }

// Insert is Add, with all edges in order after it.
func (n *Network) Insert(path []Hop) bool {
	if !n.Add(path) {
		return false
	}
	n.sort()
	return true
}

// Add puts a path's pools into use, unless that would close a cycle, use a pool twice, pass
// a node or make a chain too long. The edges are in no order until Settle.
func (n *Network) Add(path []Hop) bool {
	first, last := n.nodeOf[path[0].From], n.nodeOf[path[len(path)-1].To]
	if n.Leads(int(last)-1, int(first)-1) || len(n.Nodes)+len(path) > MaxNodes {
		return false
	}
	if n.MaxChain > 0 && n.chain(int(first)-1, int(last)-1)+len(path) > n.MaxChain {
		return false
	}
	for i, h := range path {
		if n.edgeOf[h.Pool] > 0 || i > 0 && n.nodeOf[h.From] > 0 {
			return false
		}
	}
	for i := len(path) - 1; i >= 0; i-- {
		h := &path[i]
		from, to := n.AddNode(h.From), n.AddNode(h.To)
		n.Edges = append(n.Edges, Edge{Direction: h.Direction, Supply: h.Supply, From: from, To: to})
		n.edgeOf[h.Pool] = int32(len(n.Edges))
		n.join(from, to)
	}
	n.priceNodes(path)
	return true
}

// chain is how many edges there are at most before one node and behind another together.
func (n *Network) chain(before, behind int) int {
	var up, down [MaxNodes]int
	for range n.MaxChain { // no way is longer
		for i := range n.Edges {
			e := &n.Edges[i]
			up[e.To] = max(up[e.To], up[e.From]+1)
			down[e.From] = max(down[e.From], down[e.To]+1)
		}
	}
	return up[before] + down[behind]
}

// priceNodes gives a path's tokens the prices of its last units. What the path pays
// beyond its first token's price is left to the pool whose price falls most: a deep one
// would trade far more than the order to take it up.
func (n *Network) priceNodes(path []Hop) {
	var prices [MaxHops]float64
	thin, least := 0, math.Inf(1)
	for i := range path {
		_, prices[i], _ = path[i].Supply.Pay(path[i].Amount)
		if part := prices[i] / path[i].Supply.Spot(); part < least && n.of(path[0].From).Price > 0 {
			thin, least = i, part
		}
	}
	for i := range thin {
		n.of(path[i].To).Price = n.of(path[i].From).Price / prices[i]
	}
	for i := len(path) - 1; i >= thin; i-- {
		if from := n.of(path[i].From); from.Price == 0 {
			from.Price = prices[i] * n.of(path[i].To).Price
		}
	}
}

// of is the node of a token in use.
func (n *Network) of(token int) *Node { return &n.Nodes[n.nodeOf[token]-1] }

// Value is what the order is worth at the dual prices, in units of the sink.
func (n *Network) Value() float64 { return n.Amount * n.Nodes[Source].Price }

// Net is the output less the cost of gas.
func (n *Network) Net() float64 { return n.Nodes[Sink].Held - n.GasCost() }

// GasCost is what the edges in use cost, in units of the sink.
func (n *Network) GasCost() float64 {
	sum := 0.0
	for i := range n.Edges {
		if e := &n.Edges[i]; !e.Off {
			sum += n.costOf(e)
		}
	}
	return sum
}

// costOf is what an edge costs: its gas, and the unit that integers lose on it.
func (n *Network) costOf(e *Edge) float64 { return n.GasPrice*e.Gas + n.Nodes[e.To].Price }

// InUse counts the edges in use.
func (n *Network) InUse() (count int) {
	for i := range n.Edges {
		if !n.Edges[i].Off {
			count++
		}
	}
	return count
}

// Splits says whether the network is more than one path.
func (n *Network) Splits() bool {
	return slices.ContainsFunc(n.Nodes, func(o Node) bool { return o.outs > 1 })
}
