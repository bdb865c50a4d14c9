package exact

import (
	"slices"

	"braid/plan"
	"braid/router/flow"
	"braid/router/graph"
	"braid/router/path"
	"braid/u256"
	"braid/venue"
)

// Exchange lets pools between the same tokens take the places of a plan's pools, one by
// one. A search weighs gas at the reference price of the token at hand, which is not quite
// what that token brings in the end.
func Exchange(p *path.Problem, best plan.Plan) plan.Plan {
	for i := range best.Steps {
		s := &best.Steps[i]
		parallel(p, &best, s, func(a *graph.Link) {
			y, _ := a.Pay(s.AmountIn.Float())
			if y < s.AmountOut.Float()*(1-exchangeable) {
				return
			}
			steps := slices.Clone(best.Steps)
			steps[i] = stepOf(p, path.DirectionOf(a))
			next, err := run(p, best.AmountIn, steps)
			if err == nil && Better(&next, &best, p.GasPrice) {
				best = next
			}
		})
	}
	return best
}

// parallel shows the links that lead as a step does, through pools that are not in use.
func parallel(p *path.Problem, of *plan.Plan, s *plan.Step, show func(*graph.Link)) {
	from, _ := p.Snapshot.Token(s.TokenIn())
	to, _ := p.Snapshot.Token(s.TokenOut())
	p.Between(from, to, func(a *graph.Link) {
		if !uses(of, p.Pools[a.Pool]) {
			show(a)
		}
	})
}

func uses(p *plan.Plan, pool venue.Pool) bool {
	return slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Pool == pool })
}

// OnePool is the plan, or one pool alone if that pays more.
func OnePool(p *path.Problem, amount u256.Int, best plan.Plan) plan.Plan {
	floor := best.AmountOut.Float()*(1-exchangeable) - p.GasPrice*float64(best.Gas)
	p.Between(p.In, p.Out, func(a *graph.Link) {
		if y, gas := a.Pay(amount.Float()); y-p.GasPrice*gas < floor {
			return
		}
		next, err := Path(p, amount, []flow.Hop{{Direction: path.DirectionOf(a)}})
		if err == nil && Better(&next, &best, p.GasPrice) {
			best = next
		}
	})
	return best
}
