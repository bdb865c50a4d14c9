package balancer

import (
	"errors"
	"math"

	"braid/u256"
	"braid/venue"
)

// Supply leads through points of the pool's own curve, reckoned in floats.
func (p *Pool) Supply(in, out int) *venue.Supply {
	spot := p.Spot(in, out)
	if !(spot > 0) {
		return nil
	}
	f := p.form
	keep := 1 - p.fee.Float()/one.Float()
	c := &chart{
		spot: spot, gas: float64(f.gas),
		unitIn:  keep * f.scale[in].Float() * f.rate[in].Float() / one.Float(),
		unitOut: f.scale[out].Float() * f.rate[out].Float() / one.Float(),
		price:   1,
	}
	if p.curve == stable {
		p.stableSupply(in, out, c)
	} else {
		p.weightedSupply(in, out, c)
	}
	p.trim(&c.supply, in, out)
	return &c.supply
}

// trim leaves of a supply what the contract takes: numbers may be so large, or
// units so coarse, that it refuses before the curve ends.
func (p *Pool) trim(s *venue.Supply, in, out int) {
	ask := func(x float64) error {
		_, err := p.Quote(in, out, u256.FromFloat(x))
		return err
	}
	low, high := 0.0, s.Max
	err := ask(high)
	for errors.Is(err, venue.ErrTooLarge) && high-low > max(1, brim*high) {
		if mid := (low + high) / 2; errors.Is(ask(mid), venue.ErrTooLarge) {
			high = mid
		} else {
			low, s.Max = mid, mid
		}
	}
	if err != nil && ask(low) != nil {
		s.Max = 0
	}
	for n := len(s.Pieces); n > 0 && s.Pieces[n-1].In >= s.Max; n-- {
		s.Pieces = s.Pieces[:n-1]
	}
}

// chart is a supply in the making. Its points are amounts at 18 decimals and
// rates, net of the fee; units bring raw ones there.
type chart struct {
	supply          venue.Supply
	spot, gas       float64
	unitIn, unitOut float64
	x, y            float64 // of the last point
	price           float64 // the same, as a part of the first
}

// to goes on to a point at which the price is the given part of the first.
func (c *chart) to(x, y, price float64) {
	length := (x - c.x) / c.unitIn
	mean := (y - c.y) / c.unitOut / length
	begin, end := c.price*c.spot, price*c.spot
	c.supply.AddSpan(begin, min(mean, begin), min(end, mean, begin), length, c.gas)
	c.x, c.y, c.price = x, y, price
}

// brim is as near as a supply comes to what is refused, as a part of it.
const brim = 1e-7

// Points of a weighted pool lie where the logarithm of the price has fallen by
// so much, and by a part more the more it has fallen.
const (
	fall = 0.015
	more = 0.1
)

func (p *Pool) weightedSupply(in, out int, c *chart) {
	f := p.form
	balanceIn, balanceOut := p.live[in].Float(), p.live[out].Float()
	power := f.weight[in].Float() / f.weight[out].Float()
	// How far the logarithm of the balance may grow.
	most := math.Log1p(maxInRatio.Float() / one.Float() * (1 - 1e-9))
	if least := f.least[out].Float(); least > 0 {
		most = min(most, math.Log(balanceOut/least)/power)
	}
	last := most * (1 + power)
	for fell := 0.0; fell < last; {
		if fell += fall + more*fell; fell > last || power == 1 {
			fell = last // equal weights make one hyperbola
		}
		grown := fell / (1 + power)
		c.to(balanceIn*math.Expm1(grown), -balanceOut*math.Expm1(-power*grown), math.Exp(-fell))
	}
}

// Points of a stable pool are found by what is left of the token that goes
// out. From one to the next its logarithm falls by at most stride, and that of
// the price by about drop, more where it has fallen a lot.
const (
	stride = 0.25
	start  = 0.02
	drop   = 0.02
	widen  = 4
)

func (p *Pool) stableSupply(in, out int, c *chart) {
	c.supply.Pieces = make([]venue.Piece, 0, 128)
	e := p.even(in, out)
	full := e.balanceIn(e.out)
	first := e.slope(full, e.out)
	end := e.end(full)
	step, fell := start*min(1, full/e.out), 0.0
	for gone := 0.0; gone > end; {
		gone = max(gone-step, end)
		left := e.out * math.Exp(gone)
		held := e.balanceIn(left)
		price := e.slope(held, left) / first
		c.to(held-full, -e.out*math.Expm1(gone), price)
		now := -math.Log(price)
		step *= min(1.5, max(0.4, drop*(1+widen*now)/(now-fell)))
		step, fell = min(step, stride), now
	}
}

// even is the invariant of a stable pool as a curve between two balances.
type even struct {
	in, out     float64
	n, d, total float64 // tokens, invariant, amplification times tokens
	sum         float64 // of the other balances
	rest        float64 // their part in the product: of d over tokens and balance
	least, most float64 // among them
}

func (p *Pool) even(in, out int) *even {
	e := &even{
		in: p.live[in].Float(), out: p.live[out].Float(), n: float64(p.form.n), d: p.invariant.Float(),
		rest: 1, least: math.Inf(1),
	}
	e.total = p.amp.Float() * e.n / ampPrecision.Float()
	for i := range p.form.n {
		if b := p.live[i].Float(); i != in && i != out {
			e.sum += b
			e.rest *= e.d / (e.n * b)
			e.least, e.most = min(e.least, b), max(e.most, b)
		}
	}
	return e
}

// balanceIn is computeBalance for the token that comes in: the root of a
// quadratic.
func (e *even) balanceIn(out float64) float64 {
	k := e.d * e.d / (e.n * e.total) * e.rest * e.d / (e.n * out)
	b := e.sum + out + e.d/e.total - e.d
	root := math.Sqrt(b*b + 4*k)
	if b > 0 {
		return 2 * k / (b + root)
	}
	return (root - b) / 2
}

// slope is the price between two balances.
func (e *even) slope(in, out float64) float64 {
	product := e.d * e.rest * e.d / (e.n * in) * e.d / (e.n * out)
	return (e.total + product/in) / (e.total + product/out)
}

// end is how far the logarithm of the balance that goes out can fall until
// balances are too far apart.
func (e *even) end(full float64) float64 {
	limit := maxImbalanceRatio.Float() * (1 - 1e-9)
	apart := func(gone float64) bool {
		left := e.out * math.Exp(gone)
		return max(e.most, e.in, e.in-full+e.balanceIn(left)) > limit*min(e.least, left)
	}
	low, high := -2*math.Log(limit)-1, 0.0
	for apart(low) && high-low > 1e-9 {
		if mid := (low + high) / 2; apart(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
