package path

import "braid/router/flow"

// Growth is how a network grows.
type Growth struct {
	Chunk    float64 // part of the order that the first paths carry
	MaxEdges int     // of the network, not of the plan
	Long     bool    // paths may have all hops, whatever the network
	Once     bool    // it ends when a look finds nothing
	Rounds   int     // how often it looks at most; 0 is as often as it pays
	Avoid    Avoid
}

// Grow lets paths join a network. A path joins if it pays more for a chunk of the order,
// net of gas and step price, than the network does at its own prices; chunks become
// smaller when none does. Paths from one node hide those from others that come to the same
// tokens with less. So those from the first token are once looked for alone, and tokens
// from which paths lead back to them with a gain, where no plan can follow, are left out
// of a look.
func (s *Search) Grow(n *flow.Network, g Growth, barred *Barred) (joined bool, signs Signs) {
	chunk, asked := rationed(n, g.Chunk), false
	l := look{long: g.Long, avoid: g.Avoid}
	if g.Rounds == 0 {
		g.Rounds = maxRounds
	}
	for round := 0; round < g.Rounds && chunk >= lastChunk && len(n.Edges) < g.MaxEdges && !s.Budget.Spent(); round++ {
		value := n.Value()
		l.chunk = value * chunk
		columns, more, cycles := s.price(n, l, barred)
		signs = signs.Or(more)
		added := s.join(n, columns, value)
		if added == 0 && g.Once {
			break
		}
		switch little := added == 0 || columns[0].gain < value*littleGain; {
		case little && len(cycles) > 0 && l.skip == nil:
			l.skip, l.fromFirst = cycles, false
		case little && chunk <= WholeChunk && !asked:
			l.skip, l.fromFirst, asked = nil, true, true
		default:
			if l.skip, l.fromFirst = nil, false; little {
				chunk /= chunkRatio
			}
		}
		if added > 0 {
			joined = true
			if barred != nil && columns[0].gain > barred.Gain {
				barred.Gain = 0 // at prices that no longer hold
			}
			free := n.StepPrice == 0
			if n.Settle(); free && n.StepPrice > 0 {
				chunk = g.Chunk // what is too small to pay a step was looked for
			}
		}
		chunk = rationed(n, chunk)
	}
	return joined, signs
}

// rationed is a chunk that is no larger than a step price allows.
func rationed(n *flow.Network, chunk float64) float64 {
	if n.StepPrice > 0 {
		return min(chunk, RationedChunk/float64(n.MaxEdges))
	}
	return chunk
}

// join lets the best columns join, and says how many did.
func (s *Search) join(n *flow.Network, columns []Column, value float64) (added int) {
	for i := range columns {
		c := &columns[i]
		if c.gain < columns[0].gain/joinRatio || c.gain < value*joinGain {
			break
		}
		if n.Add(s.trace(c)) {
			added++
		}
	}
	return added
}

// JoinOne lets the best path join that has no more than so many hops, for a part of the
// order, and says whether there was one.
func (s *Search) JoinOne(n *flow.Network, chunk float64, hops int, avoid Avoid, barred *Barred) (bool, Signs) {
	columns, signs, _ := s.price(n, look{chunk: n.Amount * n.Nodes[flow.Source].Price * chunk, avoid: avoid}, barred)
	for i := range columns {
		if c := &columns[i]; c.hops <= hops && n.Insert(s.trace(c)) {
			return true, signs
		}
	}
	return false, signs
}

// MaxEdges is how many edges a network may have for a plan of so many steps.
func MaxEdges(maxSteps int) int { return edgesPerStep*maxSteps + moreEdges }
