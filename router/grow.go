package router

import (
	"cmp"
	"math"
	"slices"

	"braid/plan"
	"braid/u256"
)

// The effort is counted, not timed, so a plan is the same on any machine.
const (
	maxRounds  = 16
	firstChunk = 2 // bits: a quarter of the order
	lastChunk  = 8
)

// grow lets paths join the first one. A path joins if it pays more for a
// chunk on top of the flow than the routes at hand pay for their last unit;
// chunks become smaller when none does.
func (f *finder) grow(first way, amount u256.Int) {
	n := &f.net
	n.add(first, f.pools)
	n.share()
	bits := uint(firstChunk)
	for round := 0; round < maxRounds && bits <= lastChunk && n.live() < 2*f.maxSteps; round++ {
		chunk := amount.Rsh(bits)
		if chunk.IsZero() {
			return
		}
		w, ok := f.search(chunk, n.nodes[source].worth(chunk.Float()))
		if !ok || !n.add(w, f.pools) {
			bits += 2
			continue
		}
		n.share()
	}
}

// share solves until every pool takes its part.
func (n *net) share() {
	for {
		n.trim()
		n.solve()
		if n.settle() {
			return
		}
	}
}

// prune takes out what does not earn its gas, least first, sharing anew each
// time; more if there are more than maxSteps.
func (n *net) prune(maxSteps int) {
	best := n.shed() - n.gas()
	for {
		i := n.least()
		if i < 0 {
			break
		}
		l, many := &n.legs[i], n.live() > maxSteps
		l.tried = true
		n.saved = append(n.saved[:0], n.legs...)
		l.off = true
		n.trim()
		out := n.solve()
		if net := out - n.gas(); out > 0 && (many || net >= best) {
			best = net
		} else {
			copy(n.legs, n.saved)
		}
	}
	n.shed()
}

// shed takes out legs without flow and gives the output.
func (n *net) shed() float64 {
	for i := range n.legs {
		l := &n.legs[i]
		l.off = l.off || l.x < 1
	}
	n.trim()
	return n.solve()
}

// dropLeast takes out the leg that carries least.
func (n *net) dropLeast() {
	for i := range n.legs {
		n.legs[i].tried = false
	}
	n.legs[n.least()].off = true
	n.shed()
}

// least is the leg of least worth that was not tried; -1 when all were.
func (n *net) least() int {
	least, worth := -1, 0.0
	for i := range n.legs {
		l := &n.legs[i]
		if l.off || l.tried {
			continue
		}
		if least < 0 || l.worth < worth {
			least, worth = i, l.worth
		}
	}
	return least
}

// gas is what the legs in use burn, in the last token.
func (n *net) gas() float64 {
	sum := uint64(0)
	for i := range n.legs {
		if !n.legs[i].off {
			sum += n.legs[i].gas
		}
	}
	return n.gasCost * float64(sum)
}

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
}

// splits says whether the net is more than one path.
func (n *net) splits() bool {
	for i := range n.legs {
		for j := i + 1; j < n.group(i); j++ {
			if !n.legs[i].off && !n.legs[j].off {
				return true
			}
		}
	}
	return false
}

// steps lists the legs so that a token is complete before it is used, and a
// chain stays together: a pool can then be paid by the one before it.
func (n *net) steps() []plan.Step {
	missing := make([]int, len(n.nodes)) // legs that still have to fill a node
	for i := range n.legs {
		if l := &n.legs[i]; !l.off {
			missing[l.to]++
		}
	}
	steps := make([]plan.Step, 0, len(n.legs))
	var leave func(node int)
	leave = func(node int) {
		legs, left := n.leaving(node)
		for i, l := range legs {
			s := plan.Step{Pool: l.pool, In: l.edge.In, Out: l.edge.Out}
			if i < len(legs)-1 {
				s.Share = plan.ShareOf(u256.FromFloat(l.x/left*(1<<52)), u256.From(1<<52))
			}
			steps = append(steps, s)
			left -= l.x
			if missing[l.to]--; missing[l.to] == 0 && l.to != sink {
				leave(l.to)
			}
		}
	}
	leave(source)
	return steps
}

// leaving are the legs in use out of a node and their sum; the widest first,
// by basis points, so that the noise of floats does not order equals.
func (n *net) leaving(node int) (legs []*leg, sum float64) {
	for i := range n.legs {
		if l := &n.legs[i]; l.from == node && !l.off {
			legs = append(legs, l)
			sum += l.x
		}
	}
	slices.SortStableFunc(legs, func(a, b *leg) int {
		return cmp.Compare(math.Round(1e4*b.x/sum), math.Round(1e4*a.x/sum))
	})
	return legs, sum
}
