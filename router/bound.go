package router

import (
	"braid/market"
	"braid/router/bound"
	"braid/router/flow"
	"braid/router/path"
	"braid/u256"
)

// LooseBps is the gap between a plan and its bound, in 1/10000 of the bound, from which on
// the bound says nothing about the plan. A bound is usually within a few basis points; at
// 1 % and more the gap measures the arbitrage that the market holds.
const LooseBps = 100

// Bound is an amount that no plan for the order can pay, whatever its steps, over all
// pools that it may use, each once, and without regard to gas. It is false when there is
// no path from one token to the other.
func Bound(s *market.Snapshot, o Order) (u256.Int, bool) { return prove(s, o, bound.Any) }

// BoundSteps is Bound for plans of up to o.MaxSteps steps.
func BoundSteps(s *market.Snapshot, o Order) (u256.Int, bool) { return prove(s, o, bound.Steps) }

func prove(s *market.Snapshot, o Order, by func(*path.Search, *flow.Network, u256.Int) (u256.Int, bool)) (u256.Int, bool) {
	p, err := newProblem(s, o, false)
	if err != nil {
		return u256.Zero, false
	}
	defer p.release()
	return by(p.Search, &p.net, p.amount)
}
