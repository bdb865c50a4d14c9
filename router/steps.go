package router

import (
	"cmp"
	"math"
	"slices"

	"braid/plan"
	"braid/u256"
)

// splits says whether the net is more than one path.
func (n *net) splits() bool {
	for i := range n.nodes {
		if n.nodes[i].out > 1 {
			return true
		}
	}
	return false
}

// steps lists the legs so that a token is complete before it is used, and a
// chain stays together: a pool can then be paid by the one before it. Pools
// that are full leave room for so small a part, or get more by it if it is
// negative.
func (n *net) steps(room float64) []plan.Step {
	n.brim(room)
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
			x := l.x
			if l.full {
				x *= 1 - room
			}
			s := plan.Step{Pool: l.pool, In: int(l.arc.In), Out: int(l.arc.Out)}
			if i < len(legs)-1 {
				s.Share = plan.ShareOf(u256.FromFloat(x/left*(1<<52)), u256.From(1<<52))
			}
			steps = append(steps, s)
			left -= x
			if missing[l.to]--; missing[l.to] == 0 && l.to != sink {
				leave(l.to)
			}
		}
	}
	leave(source)
	return steps
}

// leaving are the legs in use out of a node and their sum; the widest first,
// by basis points, so that the noise of floats does not order equals. The last
// one takes what is left, so that full ones come first.
func (n *net) leaving(node int) (legs []*leg, sum float64) {
	for i := range n.legs {
		if l := &n.legs[i]; l.from == node && !l.off {
			legs = append(legs, l)
			sum += l.x
		}
	}
	slices.SortStableFunc(legs, func(a, b *leg) int {
		if a.full != b.full {
			if a.full {
				return -1
			}
			return 1
		}
		return cmp.Compare(math.Round(1e4*b.x/sum), math.Round(1e4*a.x/sum))
	})
	return legs, sum
}

// brim notes the legs that take all that their pools can, up to a part, and
// those that lead to where all legs do; none without room to leave.
func (n *net) brim(room float64) {
	for i := range n.nodes {
		n.nodes[i].joined = i != sink && room != 0 // all that leave are full
	}
	for i := len(n.legs) - 1; i >= 0; i-- {
		l := &n.legs[i]
		l.full = room != 0 && (l.x >= l.supply.Max*(1-math.Abs(room)) || n.nodes[l.to].joined)
		n.nodes[l.from].joined = n.nodes[l.from].joined && (l.full || l.off)
	}
}
