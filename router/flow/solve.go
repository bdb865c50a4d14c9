package flow

import "math"

// Let v be the dual prices: what the last unit at each node is worth in units of the
// sink. At these prices each edge trades until its own price is v[from]/v[to], which
// leaves a profit. The best shares of the amount belong to the least
//
//	amount*v[source] + sum over edges of profit(v)
//
// (the dual of Angeris et al. 2022), which is convex. In steps relative to v its second
// derivative is the Laplacian of a graph whose edges have the conductance of ours.
// Newton's method, damped, solves it for all splits and merges at once.

// newton is the memory of Minimise.
type newton struct {
	matrix
	gradient, step, prices []float64 // by node
	border, response       []float64 // row of the step price, and what the prices do as it moves

	// The step price before a step, its gradient, step and curvature.
	stepPrice, stepPriceGradient, stepPriceStep, stepPriceCurvature float64
}

func (w *newton) grow(size int) {
	for _, a := range []*[]float64{&w.gradient, &w.step, &w.prices, &w.border, &w.response} {
		*a = Grown(*a, size)
	}
}

// Solve shares the amount out and gives the output; negative when the edges cannot take
// the amount.
func (n *Network) Solve(tolerance float64) float64 {
	n.Minimise(tolerance)
	return n.push()
}

// Minimise finds the prices at which the flow at every node adds up; false if it ends far
// from there.
func (n *Network) Minimise(tolerance float64) bool {
	w := &n.newton
	sum, lambda := n.Evaluate(), damping
	w.shape(n)
	steps := newtonSteps
	if n.StepPrice > 0 {
		steps = rationedSteps
	}
	for range steps {
		if n.balanced(tolerance) {
			break
		}
		for t := range n.Nodes {
			w.prices[t] = n.Nodes[t].Price
		}
		w.stepPrice = n.StepPrice
		moved := false
		for lambda < maxDamping {
			n.direction(lambda)
			if next, length := n.descend(sum); length > 0 {
				sum, moved = next, true
				if length < short {
					lambda = max(lambda*raiseDamping, firstDamping)
				} else {
					lambda = max(lambda/lowerDamping, damping)
				}
				break
			}
			lambda = max(lambda*raiseDamping, firstDamping)
		}
		if !moved {
			break
		}
	}
	return n.addsUp(10 * tolerance)
}

// Evaluate trades every edge at the dual prices, and gives the sum that is to be least,
// with its gradient.
func (n *Network) Evaluate() float64 {
	w := &n.newton
	w.grow(len(n.Nodes))
	n.Budget.Used += len(n.Edges)
	clear(w.gradient)
	sum := n.Amount * n.Nodes[Source].Price
	w.gradient[Source] = sum
	w.stepPriceGradient, w.stepPriceCurvature = float64(n.MaxEdges)*n.StepPrice, 0
	sum += w.stepPriceGradient
	for t := range n.Nodes {
		o := &n.Nodes[t]
		o.root = math.Sqrt(o.Price)
		o.inverse = 1 / o.root
	}
	for i := range n.Edges {
		e := &n.Edges[i]
		if e.Off {
			continue
		}
		from, to := &n.Nodes[e.From], &n.Nodes[e.To]
		v, u := from.Price, to.Price
		var slope float64
		e.X, e.Y, slope, e.Gas, e.piece = e.Supply.Near(from.root*to.inverse, from.inverse*to.root, e.piece)
		if most := from.Cap; most > 0 && e.X > most {
			e.X, slope = most, 0
			e.Y, _, e.Gas = e.Supply.Pay(most)
		}
		in, out := e.X*v, e.Y*u
		e.Profit, e.weightSlope = out-in, 0
		part, weight := e.Profit, 1.
		if n.StepPrice > 0 {
			part, weight = n.Charge(e)
		}
		sum += part
		e.Conductance = weight * slope * v
		w.gradient[e.From] -= weight * in
		w.gradient[e.To] += weight * out
	}
	return sum
}

// balanced says whether the flow at every node adds up, and, under a step price, about K
// edges pay it.
func (n *Network) balanced(tolerance float64) bool {
	return n.addsUp(tolerance) && (n.StepPrice == 0 || n.aboutK())
}

func (n *Network) addsUp(tolerance float64) bool {
	limit := tolerance * n.Amount * n.Nodes[Source].Price
	for t := range n.Nodes {
		if t != Sink && math.Abs(n.newton.gradient[t]) > limit {
			return false
		}
	}
	return true
}

// direction is where the sum falls fastest for its curvature. The price of the sink
// stays 1.
func (n *Network) direction(lambda float64) {
	w := &n.newton
	w.fill(n, lambda*n.Amount*n.Nodes[Source].Price)
	w.factorise()
	for t := range n.Nodes {
		w.step[t] = -w.gradient[t]
	}
	w.divide(w.step)
	w.stepPriceStep = 0
	if n.StepPrice > 0 {
		n.directStepPrice()
	}
}

// descend makes the step, no price to more than its double or less than its half; a
// shorter one where the sum would rise. It gives the sum and the part of the step made.
func (n *Network) descend(before float64) (sum, length float64) {
	w := &n.newton
	promised := w.stepPriceGradient * w.stepPriceStep
	for t := range n.Nodes {
		w.step[t] = min(maxRise, max(maxFall, w.step[t]))
		promised += w.gradient[t] * w.step[t]
	}
	if promised >= 0 {
		return before, 0
	}
	length = 1
	for range shortenings {
		n.move(length)
		sum = n.Evaluate()
		if sum <= before+armijo*length*promised+noise*before {
			return sum, length
		}
		// The parabola through what is known has its least here.
		least := -promised * length * length / (2 * (sum - before - promised*length))
		length = min(length/2, max(length/10, least))
	}
	n.move(0)
	n.Evaluate()
	return before, 0
}

// move sets the prices to a part of the step.
func (n *Network) move(length float64) {
	w := &n.newton
	for t := range n.Nodes {
		n.Nodes[t].Price = w.prices[t] * (1 + length*w.step[t])
	}
	n.StepPrice = w.stepPrice * (1 + length*w.stepPriceStep)
}

// push sends the amount through in the shares that the dual prices give.
func (n *Network) push() float64 {
	for i := range n.Nodes {
		n.Nodes[i].Held = 0
	}
	n.Nodes[Source].Held = n.Amount
	for i, j := 0, 0; i < len(n.Edges); i = j {
		j = n.group(i)
		from, sum := &n.Nodes[n.Edges[i].From], 0.0
		for g := i; g < j; g++ {
			if e := &n.Edges[g]; !e.Off {
				sum += e.X
			}
		}
		for g := i; g < j; g++ {
			e := &n.Edges[g]
			if e.Off || e.X == 0 {
				continue
			}
			e.X *= from.Held / sum
			if e.Y, _, e.Gas = e.Supply.Pay(min(e.X, e.Supply.Max)); e.X > e.Supply.Max*(1+overflow) {
				return -1
			}
			n.Nodes[e.To].Held += e.Y
		}
		if sum == 0 && from.Held*from.Price > overflow*n.Amount*n.Nodes[Source].Price {
			return -1
		}
	}
	return n.Nodes[Sink].Held
}
