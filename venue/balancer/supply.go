package balancer

import (
	"errors"
	"math"

	"braid/u256"
	"braid/venue"
)

// Supply is fitted to points of the pool's curve, which are computed in floats.
func (p *Pool) Supply(in, out int) *venue.Supply {
	spot := p.Spot(in, out)
	if !(spot > 0) {
		return nil
	}
	f := p.form
	keep := 1 - p.fee.Float()/one.Float()
	c := &builder{
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

// trim limits a supply to what the contract takes: numbers may be so large, or
// raw units so coarse, that it refuses before the curve ends.
func (p *Pool) trim(s *venue.Supply, in, out int) {
	ask := func(x float64) error {
		_, err := p.Quote(in, out, u256.FromFloat(x))
		return err
	}
	low, high := 0.0, s.Max
	err := ask(high)
	for errors.Is(err, venue.ErrTooLarge) && high-low > max(1, tolerance*high) {
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

// builder builds a supply from points: input x net of the fee, and output y, both
// wad and times the rates, and the marginal price relative to that at x = 0.
type builder struct {
	supply          venue.Supply
	spot, gas       float64
	unitIn, unitOut float64 // what a raw unit is in x, and in y
	x, y, price     float64 // the last point
}

// add appends the piece up to a point.
func (c *builder) add(x, y, price float64) {
	length := (x - c.x) / c.unitIn
	mean := (y - c.y) / c.unitOut / length
	begin, end := c.price*c.spot, price*c.spot
	c.supply.AddSpan(begin, min(mean, begin), min(end, mean, begin), length, c.gas)
	c.x, c.y, c.price = x, y, price
}

// tolerance is how exactly trim finds the largest input, as a part of it.
const tolerance = 1e-7

// Points of a weighted pool: from one to the next the logarithm of the price
// falls by firstDrop plus dropGrowth times all it has fallen before.
const (
	firstDrop  = 0.015
	dropGrowth = 0.1
)

func (p *Pool) weightedSupply(in, out int, c *builder) {
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
		if fell += firstDrop + dropGrowth*fell; fell > last || power == 1 {
			fell = last // equal weights make one hyperbola
		}
		grown := fell / (1 + power)
		c.add(balanceIn*math.Expm1(grown), -balanceOut*math.Expm1(-power*grown), math.Exp(-fell))
	}
}

// Points of a stable pool are chosen by the balance of the token that goes out.
// From one to the next its logarithm falls by at most maxFall (firstFall at
// first), and that of the price by about priceDrop, and by priceWiden times
// that more for each 1 it has fallen before.
const (
	maxFall    = 0.25
	firstFall  = 0.02
	priceDrop  = 0.02
	priceWiden = 4
)

func (p *Pool) stableSupply(in, out int, c *builder) {
	c.supply.Pieces = make([]venue.Piece, 0, 128)
	e := p.stableCurve(in, out)
	full := e.balanceIn(e.out)
	first := e.slope(full, e.out)
	end := e.end(full)
	step, fell := firstFall*min(1, full/e.out), 0.0
	for gone := 0.0; gone > end; {
		gone = max(gone-step, end)
		left := e.out * math.Exp(gone)
		held := e.balanceIn(left)
		price := e.slope(held, left) / first
		c.add(held-full, -e.out*math.Expm1(gone), price)
		now := -math.Log(price)
		step *= min(1.5, max(0.4, priceDrop*(1+priceWiden*now)/(now-fell)))
		step, fell = min(step, maxFall), now
	}
}

// stableCurve is the invariant of a stable pool as a curve between the balances
// of two tokens, with the others fixed. Balances are wad and times the rates.
type stableCurve struct {
	in, out     float64 // present balances
	n, d, total float64 // number of tokens, invariant, amplification times n
	sum         float64 // of the other balances
	rest        float64 // product of d/(n*balance) over the other balances
	least, most float64 // of the other balances
}

func (p *Pool) stableCurve(in, out int) *stableCurve {
	e := &stableCurve{
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

// balanceIn is the balance of the input token at a balance of the output token:
// computeBalance, as the root of a quadratic.
func (e *stableCurve) balanceIn(out float64) float64 {
	k := e.d * e.d / (e.n * e.total) * e.rest * e.d / (e.n * out)
	b := e.sum + out + e.d/e.total - e.d
	root := math.Sqrt(b*b + 4*k)
	if b > 0 {
		return 2 * k / (b + root)
	}
	return (root - b) / 2
}

// slope is the marginal price at two balances: -d(out)/d(in).
func (e *stableCurve) slope(in, out float64) float64 {
	product := e.d * e.rest * e.d / (e.n * in) * e.d / (e.n * out)
	return (e.total + product/in) / (e.total + product/out)
}

// end is how far the logarithm of the output balance can fall until balances
// exceed maxImbalanceRatio.
func (e *stableCurve) end(full float64) float64 {
	limit := maxImbalanceRatio.Float() * (1 - 1e-9)
	imbalanced := func(gone float64) bool {
		left := e.out * math.Exp(gone)
		return max(e.most, e.in, e.in-full+e.balanceIn(left)) > limit*min(e.least, left)
	}
	low, high := -2*math.Log(limit)-1, 0.0
	for imbalanced(low) && high-low > 1e-9 {
		if mid := (low + high) / 2; imbalanced(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
