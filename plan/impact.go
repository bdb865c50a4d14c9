package plan

import "math"

// ImpactBps is the price impact in basis points: how much less the plan pays than
// the same split would at the spot prices before the trade, net of fees:
// round(10000 * (1 - out/ideal)). A loss of a raw unit a step, which rounding may
// cause, does not count. The plan must come from Run.
func (p *Plan) ImpactBps() int {
	type sum struct {
		amount float64 // that all steps take from the place
		ideal  float64 // that there would be at spot prices
		loss   float64 // of ideal that rounding may explain
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
