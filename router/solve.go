package router

import "math"

// Let v be what the last unit of each token is worth in the last one. At these
// prices each pool is traded until its own price is v[from]/v[to], and leaves
// a profit. The best shares of amount belong to the least sum
//
//	amount*v[source] + sum over legs of profit
//
// (the dual of Angeris et al. 2022), which is convex. In steps relative to v
// its second derivative is the Laplacian of a graph: a leg joins its tokens by
// how much more it takes as the price falls. Newton's method, damped, solves it
// for all splits and merges at once.

const (
	newtonSteps = 60
	tollSteps   = 30
	rough, fine = 1e-5, 1e-9 // of the order: flow that may not add up
	damping     = 1e-12      // of the order: the least curvature of a direction
	spill       = 1e-4       // of what a pool takes: more is too much, less flow that does not add up
	short       = 1. / 16    // of a step: what is made of one that curvature misleads
)

// newton is the memory of solve.
type newton struct {
	matrix
	slope, step, v []float64 // by node
	border, give   []float64 // of the toll, and what the values do if it moves

	toll, tollSlope, tollStep, tollBend float64 // as v, slope, step and the matrix
}

func (w *newton) grow(size int) {
	for _, a := range []*[]float64{&w.slope, &w.step, &w.v, &w.border, &w.give} {
		*a = grown(*a, size)
	}
}

// solve shares the amount out and gives the output; negative when the legs
// cannot take the amount.
func (n *net) solve(tolerance float64) float64 {
	n.minimise(tolerance)
	return n.push()
}

// minimise finds the values at which every token's flow adds up; false if it
// ends far from there.
func (n *net) minimise(tolerance float64) bool {
	w := &n.newton
	w.grow(len(n.nodes))
	w.shape(n)
	sum, lambda := n.evaluate(), damping
	steps := newtonSteps
	if n.toll > 0 {
		steps = tollSteps
	}
	for range steps {
		if n.balanced(tolerance) {
			break
		}
		for t := range n.nodes {
			w.v[t] = n.nodes[t].v
		}
		w.toll = n.toll
		moved := false
		for lambda < 1e6 {
			n.direction(lambda)
			if next, length := n.descend(sum); length > 0 {
				sum, moved = next, true
				if length < short {
					lambda = max(lambda*64, 1e-9)
				} else {
					lambda = max(lambda/16, damping)
				}
				break
			}
			lambda = max(lambda*64, 1e-9)
		}
		if !moved {
			break
		}
	}
	return n.addsUp(10 * tolerance)
}

// evaluate trades every leg at the values of the nodes, and gives the sum
// that is to be least, and its slope.
func (n *net) evaluate() float64 {
	w := &n.newton
	n.effort += len(n.legs)
	clear(w.slope)
	sum := n.amount * n.nodes[source].v
	w.slope[source] = sum
	w.tollSlope, w.tollBend = float64(n.places)*n.toll, 0
	sum += w.tollSlope
	for t := range n.nodes {
		o := &n.nodes[t]
		o.root = math.Sqrt(o.v)
		o.inverse = 1 / o.root
	}
	for i := range n.legs {
		l := &n.legs[i]
		if l.off {
			continue
		}
		from, to := &n.nodes[l.from], &n.nodes[l.to]
		v, u := from.v, to.v
		var slope float64
		l.x, l.y, slope, l.gas, l.piece = l.supply.Near(from.root*to.inverse, from.inverse*to.root, l.piece)
		if most := from.most; most > 0 && l.x > most {
			l.x, slope = most, 0
			l.y, _, l.gas = l.supply.Pay(most)
		}
		in, out := l.x*v, l.y*u
		l.profit, l.bend = out-in, 0
		part, weight := l.profit, 1.
		if n.toll > 0 {
			part, weight = n.charge(l)
		}
		sum += part
		l.slope = weight * slope * v
		w.slope[l.from] -= weight * in
		w.slope[l.to] += weight * out
	}
	return sum
}

// balanced says whether every token's flow adds up, and those that pay a toll
// fill their places.
func (n *net) balanced(tolerance float64) bool {
	return n.addsUp(tolerance) && (n.toll == 0 || n.fits())
}

func (n *net) addsUp(tolerance float64) bool {
	limit := tolerance * n.amount * n.nodes[source].v
	for t := range n.nodes {
		if t != sink && math.Abs(n.newton.slope[t]) > limit {
			return false
		}
	}
	return true
}

// direction is where the sum falls fastest for its curvature. The last token
// is worth itself.
func (n *net) direction(lambda float64) {
	w := &n.newton
	w.fill(n, lambda*n.amount*n.nodes[source].v)
	w.factorise()
	for t := range n.nodes {
		w.step[t] = -w.slope[t]
	}
	w.divide(w.step)
	w.tollStep = 0
	if n.toll > 0 {
		n.directToll()
	}
}

// descend makes the step, no value to more than its double or less than its
// half; shorter where the sum would rise. It gives the sum and the part of the
// step that was made.
func (n *net) descend(before float64) (sum, length float64) {
	w := &n.newton
	promised := w.tollSlope * w.tollStep
	for t := range n.nodes {
		w.step[t] = min(1, max(-0.5, w.step[t]))
		promised += w.slope[t] * w.step[t]
	}
	if promised >= 0 {
		return before, 0
	}
	length = 1
	for range 6 {
		n.move(length)
		sum = n.evaluate()
		if sum <= before+1e-4*length*promised+1e-15*before {
			return sum, length
		}
		// The parabola through what is known has its least here.
		least := -promised * length * length / (2 * (sum - before - promised*length))
		length = min(length/2, max(length/10, least))
	}
	n.move(0)
	n.evaluate()
	return before, 0
}

// move sets the values to a part of the step.
func (n *net) move(length float64) {
	w := &n.newton
	for t := range n.nodes {
		n.nodes[t].v = w.v[t] * (1 + length*w.step[t])
	}
	n.toll = w.toll * (1 + length*w.tollStep)
}

// push sends the amount through in the shares that the values give.
func (n *net) push() float64 {
	for i := range n.nodes {
		n.nodes[i].held = 0
	}
	n.nodes[source].held = n.amount
	for i, j := 0, 0; i < len(n.legs); i = j {
		j = n.group(i)
		from, sum := &n.nodes[n.legs[i].from], 0.0
		for g := i; g < j; g++ {
			if l := &n.legs[g]; !l.off {
				sum += l.x
			}
		}
		for g := i; g < j; g++ {
			l := &n.legs[g]
			if l.off || l.x == 0 {
				continue
			}
			l.x *= from.held / sum
			if l.y, _, l.gas = l.supply.Pay(min(l.x, l.supply.Max)); l.x > l.supply.Max*(1+spill) {
				return -1
			}
			n.nodes[l.to].held += l.y
		}
		if sum == 0 && from.held*from.v > spill*n.amount*n.nodes[source].v {
			return -1
		}
	}
	return n.nodes[sink].held
}
