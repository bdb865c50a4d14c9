package flow

import "slices"

// Checkpoint is a network to go back to.
type Checkpoint struct {
	edges     []Edge
	nodes     []Node
	stepPrice float64
}

// Release drops all references.
func (c *Checkpoint) Release() { clear(c.edges[:cap(c.edges)]) }

// Keep writes the network to a checkpoint.
func (n *Network) Keep(c *Checkpoint) {
	c.edges = append(c.edges[:0], n.Edges...)
	c.nodes = append(c.nodes[:0], n.Nodes...)
	c.stepPrice = n.StepPrice
}

// Revert goes back to a checkpoint.
func (n *Network) Revert(c *Checkpoint) {
	n.unlist()
	n.Edges = append(n.Edges[:0], c.edges...)
	n.Nodes = append(n.Nodes[:0], c.nodes...)
	n.StepPrice = c.stepPrice
	for i := range n.Nodes {
		n.nodeOf[n.Nodes[i].Token] = int32(i + 1)
	}
	n.sort()
}

// unlist empties both indices.
func (n *Network) unlist() {
	for i := range n.Edges {
		n.edgeOf[n.Edges[i].Pool] = 0
	}
	for i := range n.Nodes {
		n.nodeOf[n.Nodes[i].Token] = 0
	}
}

// Save writes down edges and prices of a network whose nodes and edges stay the same, and
// Restore goes back to them.
func (n *Network) Save() {
	n.saved = append(n.saved[:0], n.Edges...)
	n.savePrices()
}

func (n *Network) savePrices() {
	n.prices = n.prices[:0]
	for i := range n.Nodes {
		n.prices = append(n.prices, n.Nodes[i].Price)
	}
}

func (n *Network) Restore() {
	copy(n.Edges, n.saved)
	for i := range n.Nodes {
		n.Nodes[i].Price = n.prices[i]
	}
	n.count()
}

// Compact forgets edges that are off and nodes that have none left.
func (n *Network) Compact() {
	n.unlist()
	n.nodes = append(n.nodes[:0], n.Nodes...)
	n.Edges = slices.DeleteFunc(n.Edges, func(e Edge) bool { return e.Off })
	n.Nodes = n.Nodes[:0]
	for i, o := range n.nodes {
		if i <= Sink || o.ins+o.outs > 0 {
			n.Nodes = append(n.Nodes, o)
			n.nodeOf[o.Token] = int32(len(n.Nodes))
		}
	}
	for i := range n.Edges {
		e := &n.Edges[i]
		e.From, e.To = n.NodeOf(n.nodes[e.From].Token), n.NodeOf(n.nodes[e.To].Token)
	}
	n.sort()
	for i := range n.Nodes {
		n.Nodes[i].reach = set{}
	}
	for i := len(n.Edges) - 1; i >= 0; i-- {
		e := &n.Edges[i]
		from := &n.Nodes[e.From].reach
		from.add(e.To)
		from.unite(&n.Nodes[e.To].reach)
	}
}

// Strip leaves no edges, and no nodes but the ends and those with flow.
func (n *Network) Strip() {
	var used set
	used.add(Source)
	used.add(Sink)
	for i := range n.Edges {
		if e := &n.Edges[i]; e.X > 0 {
			used.add(e.From)
			used.add(e.To)
		}
	}
	n.unlist()
	n.Edges, n.nodes = n.Edges[:0], append(n.nodes[:0], n.Nodes...)
	n.Nodes = n.Nodes[:0]
	for i, o := range n.nodes {
		if used.has(i) {
			n.Nodes = append(n.Nodes, o)
			n.nodeOf[o.Token] = int32(len(n.Nodes))
		}
	}
}

// sort ranks the nodes by the longest way from the source and sorts the edges by it.
func (n *Network) sort() {
	for i := range n.Nodes {
		n.Nodes[i].rank = 0
	}
	for changed := true; changed; {
		changed = false
		for i := range n.Edges {
			e := &n.Edges[i]
			if r := n.Nodes[e.From].rank + 1; n.Nodes[e.To].rank < r {
				n.Nodes[e.To].rank, changed = r, true
			}
		}
	}
	n.keys = n.keys[:0]
	for i := range n.Edges {
		e := &n.Edges[i]
		n.keys = append(n.keys, uint64(n.Nodes[e.From].rank)<<56|uint64(e.From)<<48|uint64(e.Pool)<<16|uint64(i))
	}
	if !slices.IsSorted(n.keys) {
		slices.Sort(n.keys)
		n.edges = append(n.edges[:0], n.Edges...)
		for i, key := range n.keys {
			n.Edges[i] = n.edges[uint16(key)]
		}
	}
	for i := range n.Edges {
		n.edgeOf[n.Edges[i].Pool] = int32(i + 1)
	}
}

// group is the end of the edges that leave the node of edge i.
func (n *Network) group(i int) int {
	j := i + 1
	for j < len(n.Edges) && n.Edges[j].From == n.Edges[i].From {
		j++
	}
	return j
}

// Trim takes out edges that lead nowhere or that nothing feeds.
func (n *Network) Trim() {
	var leads, fed set
	leads.add(Sink)
	for i := len(n.Edges) - 1; i >= 0; i-- {
		if e := &n.Edges[i]; !leads.has(e.To) {
			e.Off = true
		} else if !e.Off {
			leads.add(e.From)
		}
	}
	fed.add(Source)
	for i := range n.Edges {
		if e := &n.Edges[i]; !fed.has(e.From) {
			e.Off = true
		} else if !e.Off {
			fed.add(e.To)
		}
	}
	n.count()
}

// count notes how many edges in use enter and leave each node, and one that leaves.
func (n *Network) count() {
	for i := range n.Nodes {
		n.Nodes[i].ins, n.Nodes[i].outs = 0, 0
	}
	for i := range n.Edges {
		if e := &n.Edges[i]; !e.Off {
			n.Nodes[e.From].leaving = i
			n.Nodes[e.From].outs++
			n.Nodes[e.To].ins++
		}
	}
}
