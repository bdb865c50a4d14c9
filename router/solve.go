package router

import (
	"math"

	"braid/u256"
)

// A constant-product pool pays spot*x/(1 + x/width). Let u be the square root
// of what the last unit of each token is worth in the last token. At these
// prices the pool takes x = width*(r*u[to]/u[from] - 1), r = sqrt(spot), if
// that is positive, and leaves width*(r*u[to] - u[from])^2 on the table. The
// best shares of amount belong to the least sum
//
//	amount*u[source]^2 + sum over legs of width*(r*u[to] - u[from])+^2
//
// (the dual of Angeris et al. 2022): a problem of least squares, piece by
// piece, which Newton's method solves in a few steps for all splits and merges
// at once. Other kinds of pools are taken as the curve through their spot
// price and one exact quote.

const (
	newtonSteps = 40
	ridge       = 1e-13 // of a diagonal element: keeps flat directions still
	slack       = 1e-12 // relative: a leg at its price takes part
)

// solve shares the amount out and gives the output.
func (n *net) solve() float64 {
	for i := len(n.legs) - 1; i >= 0; i-- {
		l := &n.legs[i]
		l.active = false
		if from := &n.nodes[l.from]; !l.off && !from.seeded {
			from.u = max(from.u, l.r*n.nodes[l.to].u)
		}
	}
	for i := range n.nodes {
		n.nodes[i].seeded = n.nodes[i].u > 0
	}
	n.full = false
	for range newtonSteps {
		if n.newton() {
			break
		}
	}
	return n.push()
}

// newton goes to the least sum of the present piece, or as far as the sum
// falls. It reports whether that was the least of all.
func (n *net) newton() (done bool) {
	size := len(n.nodes)
	n.hess = grown(n.hess, size*size)
	n.step = grown(n.step, size)
	clear(n.hess)
	clear(n.step)
	n.hess[source*size+source] = n.amount
	n.step[source] = -n.amount * n.nodes[source].u
	same := true
	for i := range n.legs {
		l := &n.legs[i]
		from, to := l.from, l.to
		e := l.r*n.nodes[to].u - n.nodes[from].u
		active := !l.off && e >= -slack*n.nodes[from].u
		same = same && active == l.active
		if l.active = active; !active {
			continue
		}
		n.hess[from*size+from] += l.width
		n.hess[to*size+to] += l.width * l.r * l.r
		n.hess[max(from, to)*size+min(from, to)] -= l.width * l.r
		n.step[from] += l.width * e
		n.step[to] -= l.width * l.r * e
	}
	if same && n.full {
		return true
	}
	// The last token is worth itself.
	for t := range size {
		n.hess[max(t, sink)*size+min(t, sink)] = 0
	}
	n.step[sink] = 0
	cholesky(n.hess, n.step)
	n.descend()
	return false
}

// descend makes the step, shorter where the sum would rise, and never to
// less than an eighth of any u.
func (n *net) descend() {
	length := 1.0
	for t := range n.nodes {
		if d := n.step[t]; d < 0 {
			length = min(length, -0.875*n.nodes[t].u/d)
		}
	}
	n.full = length == 1
	before := n.left()
	for t := range n.nodes {
		n.nodes[t].u += length * n.step[t]
	}
	for tries := 0; tries < 30 && n.left() > before*(1+1e-15); tries++ {
		n.full = false
		length /= 2
		for t := range n.nodes {
			n.nodes[t].u -= length * n.step[t]
		}
	}
}

// left is the sum that is to be least.
func (n *net) left() float64 {
	u := n.nodes[source].u
	sum := n.amount * u * u
	for i := range n.legs {
		l := &n.legs[i]
		if e := l.r*n.nodes[l.to].u - n.nodes[l.from].u; e > 0 && !l.off {
			sum += l.width * e * e
		}
	}
	return sum
}

// cholesky solves h*x = b for a symmetric h, of which the lower half is given
// and used up, and leaves x in b. A row of zeros gives zero.
func cholesky(h, b []float64) {
	size := len(b)
	for i := range size {
		row := h[i*size : i*size+i+1]
		diagonal := row[i] * (1 + ridge)
		for j := range i {
			other := h[j*size : j*size+j+1]
			sum := row[j]
			for k := range j {
				sum -= row[k] * other[k]
			}
			if row[j] = 0; other[j] > 0 {
				row[j] = sum / other[j]
			}
			diagonal -= row[j] * row[j]
		}
		if row[i] = math.Sqrt(max(diagonal, row[i]*ridge)); row[i] == 0 {
			b[i] = 0
			continue
		}
		for k := range i {
			b[i] -= row[k] * b[k]
		}
		b[i] /= row[i]
	}
	for i := size - 1; i >= 0; i-- {
		if h[i*size+i] == 0 {
			continue
		}
		b[i] /= h[i*size+i]
		for k := range i {
			b[k] -= h[i*size+k] * b[i]
		}
	}
}

// worth of an amount of the token at the price of its last unit.
func (n *node) worth(x float64) float64 { return x * n.u * n.u }

// push sends the amount through in the shares that the prices give.
func (n *net) push() float64 {
	for i := range n.nodes {
		n.nodes[i].held = 0
	}
	n.nodes[source].held = n.amount
	for i, j := 0, 0; i < len(n.legs); i = j {
		j = n.group(i)
		from, sum := &n.nodes[n.legs[i].from], 0.0
		for g := i; g < j; g++ {
			l := &n.legs[g]
			l.x, l.y, l.worth = 0, 0, 0
			if !l.off {
				l.x = l.width * max(0, l.r*n.nodes[l.to].u/from.u-1)
				sum += l.x
			}
		}
		for g := i; g < j && sum > 0; g++ {
			l := &n.legs[g]
			l.x *= from.held / sum
			l.y = l.spot * l.x / (1 + l.x/l.width)
			l.worth = from.worth(l.x)
			n.nodes[l.to].held += l.y
		}
	}
	return n.nodes[sink].held
}

// probe fits the leg's curve, by a quote for the amount or for a part of the
// depth if that is more: below it the rounding drowns the curvature.
func (l *leg) probe(amount u256.Int) bool {
	in, out := l.edge.In, l.edge.Out
	l.spot = l.pool.Spot(in, out)
	l.r = math.Sqrt(l.spot)
	deep := u256.FromFloat(l.pool.Depth(in) / 64)
	if deep.Lt(amount) {
		deep = amount
	}
	q, err := l.pool.Quote(in, out, deep)
	if err != nil {
		deep = amount
		q, err = l.pool.Quote(in, out, amount)
	}
	if err != nil || !(l.spot > 0) {
		return false
	}
	l.gas = q.Gas
	l.fit(deep.Float(), q.Out.Float())
	return true
}

// fit lays the curve through an answer of the pool. A flat one gets a bend
// that no trade notices, so that the best shares are unique.
func (l *leg) fit(x, y float64) {
	l.probed = x
	l.width = x / max(l.spot*x/y-1, 1e-7)
}

// settle asks the pools what they pay for their flows. A pool that refuses
// its part leaves the net; a curve is laid anew where the flow went beyond
// what it was measured with. It reports whether all pools took their parts.
func (n *net) settle() bool {
	stands := true
	for i := range n.legs {
		l := &n.legs[i]
		l.in, l.out = u256.FromFloat(l.x), u256.Zero
		if l.off || l.in.IsZero() {
			l.in = u256.Zero
			continue
		}
		q, err := l.pool.Quote(l.edge.In, l.edge.Out, l.in)
		if err != nil {
			l.off, l.in, stands = true, u256.Zero, false
			continue
		}
		l.out, l.gas = q.Out, q.Gas
		if l.x > l.probed {
			l.fit(l.x, q.Out.Float())
		}
	}
	return stands
}
