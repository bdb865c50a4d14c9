package plan

import (
	"cmp"
	"slices"

	"braid/u256"
	"braid/venue"
)

// whole is 100% in basis points.
const whole = 10_000

// Weights are the shares of the whole swap that pass through each step, in
// basis points. The flow is decomposed into paths, and a step's weight is the
// sum of its paths; so what enters a token leaves it, and both ends of the
// swap see all of it. The plan must come from Run.
func (p *Plan) Weights() []int {
	weights := make([]int, len(p.Steps))
	for _, path := range p.paths() {
		for _, i := range path.steps {
			weights[i] += path.bps
		}
	}
	return weights
}

// path is a sequence of steps from the first token to the last, and its share of
// the swap.
type path struct {
	steps []int    // indices
	mass  u256.Int // share of the swap, over 2^255
	bps   int      // share in basis points
}

// paths decomposes the flow. Each path carries what is left of the step that
// has the least left, and so uses that step up: there are at most as many
// paths as steps, and every step lies on one.
func (p *Plan) paths() []path {
	from, to := p.Places()
	left := p.masses(from, to)
	done := make([]bool, len(left))
	var paths []path
	for {
		least := -1
		for i := range left {
			if !done[i] && (least < 0 || p.less(left, i, least)) {
				least = i
			}
		}
		if least < 0 {
			break
		}
		pa := path{steps: p.through(least, left, from, to), mass: left[least]}
		for _, i := range pa.steps {
			left[i] = left[i].Sub(u256.Min(pa.mass, left[i]))
			done[i] = done[i] || left[i].IsZero()
		}
		paths = append(paths, pa)
	}
	p.apportion(paths)
	return paths
}

// masses are the shares of the swap that pass each step, over 2^255. The last
// step that takes from a place takes what is left, so flow is conserved.
func (p *Plan) masses(from, to []int) []u256.Int {
	type sum struct{ amount, mass u256.Int }
	held := make([]sum, len(p.Steps)+2)
	held[First] = sum{p.AmountIn, u256.One.Lsh(255)}
	masses := make([]u256.Int, len(p.Steps))
	for i := range p.Steps {
		s, a, b := &p.Steps[i], &held[from[i]], &held[to[i]]
		m, _ := a.mass.MulDiv(s.AmountIn, a.amount)
		a.mass, a.amount = a.mass.Sub(m), a.amount.Sub(s.AmountIn)
		masses[i] = m
		b.mass, b.amount = b.mass.Add(m), b.amount.Add(s.AmountOut)
	}
	return masses
}

// through is the path through a step that otherwise takes the steps with the most
// left. Steps are in topological order, so it is extended backwards and forwards.
func (p *Plan) through(step int, left []u256.Int, from, to []int) []int {
	steps := []int{step}
	for at := from[step]; at != First; at = from[steps[0]] {
		steps = slices.Insert(steps, 0, p.widest(left, to, at))
	}
	for at := to[step]; at != Last; at = to[steps[len(steps)-1]] {
		steps = append(steps, p.widest(left, from, at))
	}
	return steps
}

// widest is the step with the most left among those whose place is the given one.
func (p *Plan) widest(left []u256.Int, places []int, at int) int {
	best := -1
	for i := range p.Steps {
		if places[i] == at && (best < 0 || p.less(left, best, i)) {
			best = i
		}
	}
	return best
}

// less orders steps by what is left of them, then by pool.
func (p *Plan) less(left []u256.Int, i, j int) bool {
	return cmp.Or(left[i].Cmp(left[j]), cmp.Compare(p.id(j), p.id(i))) < 0
}

func (p *Plan) id(step int) venue.ID { return p.Steps[step].Pool.Info().ID }

// apportion gives the paths whole basis points by largest remainder, one at
// least. Where that minimum overdraws, the widest paths pay for it.
func (p *Plan) apportion(paths []path) {
	total, rest := u256.Zero, whole
	for i := range paths {
		total = total.Add(paths[i].mass)
	}
	remainders := make([]u256.Int, len(paths))
	for i := range paths {
		q, _ := paths[i].mass.MulDiv(u256.From(whole), total)
		// The remainder of mass*whole/total: products modulo 2^256 keep it.
		remainders[i] = paths[i].mass.Mul(u256.From(whole)).Sub(q.Mul(total))
		paths[i].bps = max(1, int(q.Uint64()))
		if q.IsZero() {
			remainders[i] = u256.Zero
		}
		rest -= paths[i].bps
	}
	order := make([]int, len(paths))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(remainders[j].Cmp(remainders[i]), p.comparePools(paths[i], paths[j]))
	})
	for i := 0; rest > 0; i++ {
		paths[order[i%len(order)]].bps++
		rest--
	}
	for ; rest < 0; rest++ {
		widest := slices.MaxFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(paths[i].bps, paths[j].bps), p.comparePools(paths[j], paths[i]))
		})
		paths[widest].bps--
	}
}

func (p *Plan) comparePools(a, b path) int {
	return slices.CompareFunc(a.steps, b.steps, func(i, j int) int { return cmp.Compare(p.id(i), p.id(j)) })
}
