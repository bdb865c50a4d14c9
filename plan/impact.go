package plan

import "math"

// ImpactBps says how much less the plan pays than its own shares would at the
// prices before the trade, net of fees: round(10000 * (1 - out/ideal)). What
// integers alone may lose, a raw unit a step, is no impact. The plan must come
// from Run.
func (p *Plan) ImpactBps() int {
	type sum struct {
		amount float64 // taken from the place by all steps
		ideal  float64 // what there would be at spot prices
		loss   float64 // how much of that rounding may have eaten
	}
	places, to := p.Places()
	held := make([]sum, len(p.Steps)+2)
	held[First].ideal = p.AmountIn.Float()
	for i := range p.Steps {
		held[places[i]].amount += p.Steps[i].AmountIn.Float()
	}
	for i := range p.Steps {
		s, from, to := &p.Steps[i], &held[places[i]], &held[to[i]]
		rate := s.AmountIn.Float() / from.amount * s.Pool.Spot(s.In, s.Out)
		to.ideal += from.ideal * rate
		to.loss += from.loss*rate + 1
	}
	end := held[Last]
	lost := end.ideal - p.AmountOut.Float()
	if !(lost >= end.loss) {
		return 0
	}
	return min(whole, int(math.Round(whole*lost/end.ideal)))
}
