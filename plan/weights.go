package plan

import (
	"cmp"
	"slices"

	"github.com/ethereum/go-ethereum/common"

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

// path is a way from the first token to the last, and how much goes along it.
type path struct {
	steps []int
	mass  u256.Int
	bps   int
}

// paths decomposes the flow. Each path carries what is left of the step that
// has the least left, and so uses that step up: there are at most as many
// paths as steps, and every step lies on one.
func (p *Plan) paths() []path {
	left := p.masses()
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
		pa := path{steps: p.through(least, left), mass: left[least]}
		for _, i := range pa.steps {
			left[i] = left[i].Sub(u256.Min(pa.mass, left[i]))
			done[i] = done[i] || left[i].IsZero()
		}
		paths = append(paths, pa)
	}
	p.apportion(paths)
	return paths
}

// masses are the steps' shares of the swap as integers: 2^255 is all of it.
// The last step that takes a token takes what is left, so they conserve.
func (p *Plan) masses() []u256.Int {
	type sum struct{ amount, mass u256.Int }
	held := map[common.Address]*sum{p.TokenIn: {p.AmountIn, u256.One.Lsh(255)}}
	masses := make([]u256.Int, len(p.Steps))
	for i := range p.Steps {
		s := &p.Steps[i]
		from := held[s.TokenIn()]
		m, _ := from.mass.MulDiv(s.AmountIn, from.amount)
		from.mass, from.amount = from.mass.Sub(m), from.amount.Sub(s.AmountIn)
		masses[i] = m
		to := held[s.TokenOut()]
		if to == nil {
			to = &sum{}
			held[s.TokenOut()] = to
		}
		to.mass, to.amount = to.mass.Add(m), to.amount.Add(s.AmountOut)
	}
	return masses
}

// through is the path that goes through a step and otherwise where most is
// left. Steps are in order, so one walk back and one walk on find it.
func (p *Plan) through(step int, left []u256.Int) []int {
	steps := []int{step}
	for at := p.Steps[step].TokenIn(); at != p.TokenIn; at = p.Steps[steps[0]].TokenIn() {
		steps = slices.Insert(steps, 0, p.widest(left, func(s *Step) bool { return s.TokenOut() == at }))
	}
	for at := p.Steps[step].TokenOut(); at != p.TokenOut; at = p.Steps[steps[len(steps)-1]].TokenOut() {
		steps = append(steps, p.widest(left, func(s *Step) bool { return s.TokenIn() == at }))
	}
	return steps
}

func (p *Plan) widest(left []u256.Int, fits func(*Step) bool) int {
	best := -1
	for i := range p.Steps {
		if fits(&p.Steps[i]) && (best < 0 || p.less(left, best, i)) {
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
