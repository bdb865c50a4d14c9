package plan

import (
	"math"

	"github.com/ethereum/go-ethereum/common"
)

// ImpactBps says how much less the plan pays than its own shares would at the
// prices before the trade, net of fees: round(10000 * (1 - out/ideal)). What
// integers alone may lose, a raw unit a step, is no impact. The plan must come
// from Run.
func (p *Plan) ImpactBps() int {
	type sum struct {
		amount float64 // taken of the token by all steps
		ideal  float64 // what there would be of it at spot prices
		loss   float64 // how much of that rounding may have eaten
	}
	held := map[common.Address]*sum{p.TokenIn: {ideal: p.AmountIn.Float()}, p.TokenOut: {}}
	for i := range p.Steps {
		s := &p.Steps[i]
		t := held[s.TokenIn()]
		if t == nil {
			t = &sum{}
			held[s.TokenIn()] = t
		}
		t.amount += s.AmountIn.Float()
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		from, to := held[s.TokenIn()], held[s.TokenOut()]
		rate := s.AmountIn.Float() / from.amount * s.Pool.Spot(s.In, s.Out)
		to.ideal += from.ideal * rate
		to.loss += from.loss*rate + 1
	}
	end := held[p.TokenOut]
	lost := end.ideal - p.AmountOut.Float()
	if !(lost >= end.loss) {
		return 0
	}
	return min(whole, int(math.Round(whole*lost/end.ideal)))
}
