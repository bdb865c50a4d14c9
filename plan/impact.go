package plan

import "math"

// ImpactBps is how much less the plan pays than the same split would at the spot prices
// before the trade, net of fees, in basis points: round(10000 * (1 - out/ideal)). A loss
// that rounding may cause does not count. The plan must come from Run.
func (p *Plan) ImpactBps() int {
	ideal, rounding := p.Ideal()
	lost := ideal - p.AmountOut.Float()
	if !(lost >= rounding) {
		return 0
	}
	return min(whole, int(math.Round(whole*lost/ideal)))
}

// Ideal is what the same split would pay at spot prices, in raw units, and how much of
// that rounding may take: a raw unit of input (a fee is rounded up) and one of output in
// each step. The plan must come from Run.
func (p *Plan) Ideal() (out, rounding float64) {
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
		spot := s.Pool.Spot(s.In, s.Out)
		rate := s.AmountIn.Float() / from.amount * spot
		to.ideal += from.ideal * rate
		to.loss += from.loss*rate + spot + 1
	}
	return held[Last].ideal, held[Last].loss
}
