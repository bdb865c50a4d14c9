package venuetest

import (
	"math"

	"braid/u256"
	"braid/venue"
)

// supply: Supply approximates Quote, for amounts that are no dust to the pool
// and where a slightly larger amount pays more. Its marginal price never rises,
// and Until is the inverse of Pay.
func (d direction) supply(amounts []u256.Int) {
	s := venue.SupplyOf(d.pool, d.in, d.out)
	if s == nil {
		if spot := d.pool.Spot(d.in, d.out); spot > 0 && d.takesAny(amounts) {
			d.errorf(u256.Zero, "no supply at a price of %g", spot)
		}
		return
	}
	last := math.Inf(1)
	for _, amount := range amounts {
		x := amount.Float()
		y, price, gas := s.Pay(x)
		if y < 0 {
			break
		}
		if price > last*(1+1e-9) || gas <= 0 {
			d.errorf(amount, "the price rises from %g to %g, or %g gas", last, price, gas)
		}
		last = price
		q, err := d.pool.Quote(d.in, d.out, amount)
		more, errMore := d.pool.Quote(d.in, d.out, amount.Add(amount.Rsh(12)))
		if err != nil || errMore != nil || !more.Out.Gt(q.Out) || q.Out.BitLen() < 20 || x < dust*d.pool.Depth(d.in) {
			continue
		}
		if out := q.Out.Float(); math.Abs(y-out) > 3e-3*out {
			d.errorf(amount, "the supply gives %g, the quote %g", y, out)
		}
		if back, _, slope, _ := s.Until(price); slope > 0 && math.Abs(back-x) > 1e-3*x+1e-12*slope {
			d.errorf(amount, "its price is reached at %g", back)
		}
	}
}

// dust is the part of a pool's depth below which rounding may dominate.
const dust = 1e-4

func (d direction) takesAny(amounts []u256.Int) bool {
	for _, amount := range amounts {
		if q, err := d.pool.Quote(d.in, d.out, amount); err == nil && q.Out.BitLen() > 20 {
			return true
		}
	}
	return false
}
