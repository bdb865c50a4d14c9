package router

import (
	"braid/market"
	"braid/plan"
)

// Single is the plan along one path that pays most, net of gas.
func Single(s *market.Snapshot, o Order) (plan.Plan, error) {
	f, err := newFinder(s, o, true)
	if err != nil {
		return plan.Plan{}, err
	}
	defer f.release()
	p, _, err := f.single(&o, o.AmountIn)
	if err != nil {
		return plan.Plan{}, f.refusal(&o)
	}
	return p, nil
}
