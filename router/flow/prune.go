package flow

import (
	"cmp"
	"math"
	"slices"
)

// Prune takes out chains of edges that do not earn their gas, with prices found anew each
// time, and more while there are more than K edges. It gives the output net of gas, and
// about what the least edge that is left adds to it.
func (n *Network) Prune(k int) (net, least float64) {
	net = n.Shed(Fine) - n.GasCost()
	var kept []int // first edges of chains without which the net output is less
	for n.InUse() > 1 {
		list := n.listChains()
		if len(list) < 2 {
			break
		}
		if over := n.InUse() - k; over > 0 {
			n.takeOut(list, (over+removedAtOnce-1)/removedAtOnce)
			net = n.Shed(Rough) - n.GasCost()
			continue
		}
		least = slices.MinFunc(list, func(a, b chain) int { return cmp.Compare(a.each, b.each) }).each
		c := slices.MinFunc(list, func(a, b chain) int { return cmp.Compare(a.loss-a.gas, b.loss-b.gas) })
		if c.loss > c.gas || slices.Contains(kept, c.first) || n.Budget.Spent() {
			break
		}
		n.Save()
		n.Edges[c.first].Off = true
		if without := n.Shed(Fine) - n.GasCost(); without >= net {
			net = without
			continue
		}
		n.Restore()
		n.newton.shape(n)
		kept = append(kept, c.first)
	}
	return net, least
}

// chain is a row of edges with nothing joining or leaving in between.
type chain struct {
	first       int // edge
	from, to    int // nodes
	length      int
	gas         float64 // what its edges cost
	flow        float64 // its input in units of the sink
	profit      float64
	conductance float64
	resistance  float64 // by how much the price between its ends falls for a unit of flow, over all ways
	loss        float64 // about what would be lost without it
	each        float64 // the same for one of its edges
}

// judge finds what would be lost without a chain: its profit, and what its flow costs on
// other ways, whose price falls by their resistance. It falls along a hyperbola, as those
// of pools do: at most the flow is lost. The loss is infinite if there is no other way.
func (c *chain) judge() {
	c.loss = math.Inf(1)
	if rest := 1 - c.resistance*c.conductance; rest > alone {
		fall := c.flow * c.resistance / rest
		c.loss = c.profit + c.flow*fall/(2+fall)
	}
	c.each = c.loss / float64(c.length)
}

// listChains are what can be taken out. The Laplacian tells their resistances.
func (n *Network) listChains() []chain {
	w := &n.newton
	w.fill(n, damping*n.Amount*n.Nodes[Source].Price)
	w.factorise()
	n.Budget.Used += len(n.Edges) // as much as if each were traded
	n.chains = n.chains[:0]
	for i := range n.Edges {
		e := &n.Edges[i]
		if e.Off || n.inside(e.From) {
			continue
		}
		c := chain{first: i, from: e.From, length: 1, gas: n.costOf(e), flow: e.X * n.Nodes[e.From].Price, profit: e.Profit, conductance: e.Conductance}
		for n.inside(e.To) {
			e = &n.Edges[n.Nodes[e.To].leaving]
			c.length++
			c.gas += n.costOf(e)
			c.profit += e.Profit
			c.conductance = 1 / (1/c.conductance + 1/e.Conductance)
		}
		c.to = e.To
		c.resistance = w.resistance(c.from, c.to)
		c.judge()
		n.chains = append(n.chains, c)
	}
	return n.chains
}

// inside says whether a node is in the middle of a chain.
func (n *Network) inside(t int) bool {
	return t != Source && t != Sink && n.Nodes[t].ins == 1 && n.Nodes[t].outs == 1
}

// takeOut takes out the chain of the least loss, then that of those that carry its flow,
// until so many edges are gone.
func (n *Network) takeOut(list []chain, edges int) {
	for taken := 0; ; {
		c := &list[0]
		for i := range list {
			if list[i].each < c.each {
				c = &list[i]
			}
		}
		only := math.IsInf(c.each, 1)
		if only && taken > 0 {
			return
		}
		n.Edges[c.first].Off = true
		if taken += c.length; only || taken >= edges {
			return
		}
		n.reroute(c, list)
	}
}

// reroute has other chains carry the flow of one, and judges them anew. Prices are
// linear in the flow to it, which holds for a few small chains.
func (n *Network) reroute(c *chain, list []chain) {
	n.Budget.Used += len(list)
	potential, stiffness := n.newton.without(c.from, c.to, c.conductance)
	flow := c.flow / (1 - c.resistance*c.conductance)
	c.resistance = math.Inf(1)
	c.judge()
	for i := range list {
		d := &list[i]
		if math.IsInf(d.loss, 1) {
			continue
		}
		apart := potential[d.from] - potential[d.to]
		more := flow * apart * d.conductance
		d.profit = max(0, d.profit+flow*apart*(d.flow+more/2))
		d.flow = max(0, d.flow+more)
		d.resistance += stiffness * apart * apart
		d.judge()
	}
}

// Shed shares anew, takes out edges without flow and gives the output.
func (n *Network) Shed(tolerance float64) float64 {
	for {
		n.Trim()
		out, idle, again := n.Solve(tolerance), false, false
		for i := range n.Edges {
			if e := &n.Edges[i]; !e.Off && e.X < 1 {
				e.Off, idle, again = true, true, again || e.X > 0
			}
		}
		if again {
			continue
		}
		if idle {
			n.Trim()
		}
		return out
	}
}

// DropLeast takes out the edge that carries least.
func (n *Network) DropLeast() {
	least, value := -1, 0.0
	for i := range n.Edges {
		e := &n.Edges[i]
		if v := e.X * n.Nodes[e.From].Price; !e.Off && (least < 0 || v < value) {
			least, value = i, v
		}
	}
	n.Edges[least].Off = true
	n.Shed(Fine)
}
