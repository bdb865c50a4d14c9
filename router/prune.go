package router

import (
	"cmp"
	"math"
	"slices"
)

// prune takes out what does not earn its gas, sharing anew each time; more if
// there are more than maxSteps legs. It gives the output net of gas.
func (n *net) prune(maxSteps int) float64 {
	n.spare = 0
	best := n.shed(fine) - n.gas()
	for n.live() > 1 {
		over := n.live() - maxSteps
		list := n.chains()
		if len(list) < 2 {
			break
		}
		if over > 0 {
			n.takeOut(list, (over+2)/3)
			best = n.shed(rough) - n.gas()
			continue
		}
		n.spare = slices.MinFunc(list, func(a, b chain) int { return cmp.Compare(a.each, b.each) }).each
		c := slices.MinFunc(list, func(a, b chain) int { return cmp.Compare(a.loss-a.gas, b.loss-b.gas) })
		if c.loss > c.gas || n.legs[c.first].tried || n.spent() {
			break
		}
		n.save()
		n.legs[c.first].off = true
		if net := n.shed(fine) - n.gas(); net >= best {
			best = net
			continue
		}
		n.restore()
		n.newton.shape(n)
		n.legs[c.first].tried = true
	}
	return best
}

func (n *net) save() {
	n.saved = append(n.saved[:0], n.legs...)
	n.values = n.values[:0]
	for i := range n.nodes {
		n.values = append(n.values, n.nodes[i].v)
	}
}

func (n *net) restore() {
	copy(n.legs, n.saved)
	for i := range n.nodes {
		n.nodes[i].v = n.values[i]
	}
	n.count()
}

// chain is a row of legs with nothing joining or leaving in between.
type chain struct {
	first      int // leg
	from, to   int // nodes
	length     int
	gas        float64
	flow       float64 // its worth
	profit     float64
	slope      float64 // as that of a leg
	resistance float64 // by how much prices between its ends give way, over all ways
	loss       float64 // about what would be lost without it
	each       float64 // the same for a leg
}

// judge finds what would be lost without a chain: its profit, and what its flow
// costs on other ways, whose prices give way as far as they are stiff. It is
// infinite if there is none.
func (c *chain) judge() {
	c.loss = math.Inf(1)
	if rest := 1 - c.resistance*c.slope; rest > 1e-6 {
		c.loss = c.profit + c.flow*c.flow*c.resistance/rest/2
	}
	c.each = c.loss / float64(c.length)
}

// chains are what can be taken out. How stiff their ways are, the Laplacian
// tells.
func (n *net) chains() []chain {
	w := &n.newton
	w.fill(n, damping*n.amount*n.nodes[source].v)
	w.factorise()
	n.effort += len(n.legs) // as much as if each were traded
	n.list = n.list[:0]
	for i := range n.legs {
		l := &n.legs[i]
		if l.off || n.inside(l.from) {
			continue
		}
		c := chain{first: i, from: l.from, length: 1, gas: n.burns(l), flow: l.x * n.nodes[l.from].v, profit: l.profit, slope: l.slope}
		for n.inside(l.to) {
			l = &n.legs[n.nodes[l.to].leg]
			c.length++
			c.gas += n.burns(l)
			c.profit += l.profit
			c.slope = 1 / (1/c.slope + 1/l.slope)
		}
		c.to = l.to
		c.resistance = w.resistance(c.from, c.to)
		c.judge()
		n.list = append(n.list, c)
	}
	return n.list
}

// inside says whether a node is in the middle of a chain.
func (n *net) inside(t int) bool {
	return t != source && t != sink && n.nodes[t].in == 1 && n.nodes[t].out == 1
}

// takeOut takes out the chain of the least loss, then that of those that carry
// its flow, until so many legs are gone.
func (n *net) takeOut(list []chain, legs int) {
	for taken := 0; ; {
		c := &list[0]
		for i := range list {
			if list[i].each < c.each {
				c = &list[i]
			}
		}
		alone := math.IsInf(c.each, 1)
		if alone && taken > 0 {
			return
		}
		n.legs[c.first].off = true
		if taken += c.length; alone || taken >= legs {
			return
		}
		n.lead(c, list)
	}
}

// lead has other chains carry the flow of one, and judges them anew. Prices are
// straight lines to it, which holds for a few small chains.
func (n *net) lead(c *chain, list []chain) {
	n.effort += len(list)
	pull, stiff := n.newton.without(c.from, c.to, c.slope)
	flow := c.flow / (1 - c.resistance*c.slope)
	c.resistance = math.Inf(1)
	c.judge()
	for i := range list {
		d := &list[i]
		if math.IsInf(d.loss, 1) {
			continue
		}
		apart := pull[d.from] - pull[d.to]
		more := flow * apart * d.slope
		d.profit = max(0, d.profit+flow*apart*(d.flow+more/2))
		d.flow = max(0, d.flow+more)
		d.resistance += stiff * apart * apart
		d.judge()
	}
}

// shed shares anew, takes out legs without flow and gives the output.
func (n *net) shed(tolerance float64) float64 {
	for {
		n.trim()
		out, idle, again := n.solve(tolerance), false, false
		for i := range n.legs {
			if l := &n.legs[i]; !l.off && l.x < 1 {
				l.off, idle, again = true, true, again || l.x > 0
			}
		}
		if again {
			continue
		}
		if idle {
			n.trim()
		}
		return out
	}
}

// dropLeast takes out the leg that carries least.
func (n *net) dropLeast() {
	least, worth := -1, 0.0
	for i := range n.legs {
		l := &n.legs[i]
		if w := l.x * n.nodes[l.from].v; !l.off && (least < 0 || w < worth) {
			least, worth = i, w
		}
	}
	n.legs[least].off = true
	n.shed(fine)
}

// gas is what the legs in use burn, in the last token.
func (n *net) gas() float64 {
	sum := 0.0
	for i := range n.legs {
		if l := &n.legs[i]; !l.off {
			sum += n.burns(l)
		}
	}
	return sum
}

// burns is what a leg costs: its gas, and the unit that integers lose on it.
func (n *net) burns(l *leg) float64 { return n.gasCost*l.gas + n.nodes[l.to].v }

// live counts the legs in use.
func (n *net) live() (count int) {
	for i := range n.legs {
		if !n.legs[i].off {
			count++
		}
	}
	return count
}

// trim takes out legs that lead nowhere or that nothing feeds.
func (n *net) trim() {
	for i := range n.nodes {
		n.nodes[i].joined = i == sink
	}
	for i := len(n.legs) - 1; i >= 0; i-- {
		l := &n.legs[i]
		l.off = l.off || !n.nodes[l.to].joined
		n.nodes[l.from].joined = n.nodes[l.from].joined || !l.off
	}
	for i := range n.nodes {
		n.nodes[i].joined = i == source
	}
	for i := range n.legs {
		l := &n.legs[i]
		l.off = l.off || !n.nodes[l.from].joined
		n.nodes[l.to].joined = n.nodes[l.to].joined || !l.off
	}
	n.count()
}

// count notes how many legs in use enter and leave each node, and one that
// leaves.
func (n *net) count() {
	for i := range n.nodes {
		n.nodes[i].in, n.nodes[i].out = 0, 0
	}
	for i := range n.legs {
		if l := &n.legs[i]; !l.off {
			n.nodes[l.from].leg = i
			n.nodes[l.from].out++
			n.nodes[l.to].in++
		}
	}
}
