package graph

import (
	"math"

	"braid/market"
)

// rate is what a direction pays for a probe, there and back. It is true of the pool and
// the probe alone, so that a graph takes it over from an older one. Prices are 0 where a
// direction is shut.
type rate struct {
	to          int32
	asked       int16   // the probe, as a power of two
	there, back float64 // price of a probe
	backSpot    float64 // price of the first unit, back
	impact      float32 // p probes are paid at no more than spot/(1+impact*p)
	backImpact  float32
}

// never is the probe of a direction that was not asked.
const never = math.MinInt16

// priceRest gives every token a reference price that has none by its pools: what its
// neighbours' make of it, or 1.
func (g *Graph) priceRest() {
	known := make([]int32, 0, len(g.Ref)) // of tokens whose neighbours are still to be looked at
	for t := range g.Ref {
		if g.Ref[t] > 0 {
			known = append(known, int32(t))
		}
	}
	learn := func(token int32, price float64) {
		if g.Ref[token] == 0 && market.Credible(price) {
			g.Ref[token] = price
			known = append(known, token)
		}
	}
	for i := 0; i < len(known) && len(known) < len(g.Ref); i++ {
		t := known[i]
		row, first := g.market.Out(int(t))
		for k := range row {
			if back := g.rates[first+k].backSpot; back > 0 {
				learn(row[k].To, back*g.Ref[t])
			} else if row[k].Spot > 0 {
				learn(row[k].To, g.Ref[t]/row[k].Spot)
			}
		}
	}
	for t := range g.Ref {
		if g.Ref[t] == 0 {
			g.Ref[t] = 1
		}
	}
}

// ask finds out what a direction pays for a probe of a token, as a price, and its impact. A
// probe is the same for all reference prices between two powers of two, of which exp is
// the upper, so that a direction that has been asked is seldom asked again.
func (g *Graph) ask(no int, d *market.Direction, exp int16) {
	r := &g.rates[no]
	if r.asked = exp; d.Supply == nil {
		return
	}
	x := math.Ldexp(probe, -int(exp))
	y, _ := d.Pay(min(x, d.Supply.Max))
	b := &g.rates[g.market.Back(no)]
	r.there, b.back = y/x, y/x
	r.impact = float32(min(x*impact(d.Supply, min(x*impactProbes, d.Supply.Max)), math.MaxFloat32))
	b.backImpact = r.impact
}

// settle moves every reference price to the middle between the best bid and the best ask
// of its neighbours, so that no link raises value by much, but for links through pools
// that contradict the prices. It gives by token how many probes, as directions were
// asked for, are a unit of value; no more than make all that rates know of
// MaxImpactValue.
func (g *Graph) settle() []float32 {
	powers, scales := make([]float64, len(g.Ref)), make([]float32, len(g.Ref))
	for t := range g.Ref {
		_, exp := math.Frexp(g.Ref[t])
		powers[t] = math.Ldexp(1, exp)
		row, first := g.market.Out(t)
		for i := range row {
			if g.rates[first+i].asked != int16(exp) {
				g.ask(first+i, &row[i], int16(exp))
			}
		}
	}
	// Of a token: its price, and how much of it is a unit of value.
	type state struct{ price, unit float64 }
	states := make([]state, len(g.Ref))
	for t, price := range g.Ref {
		states[t] = state{price, 1 / price}
	}
	for range settlings {
		for t := range g.Ref {
			// The best bid, and the most of the token that a unit of value brings.
			bid, most := 0.0, 0.0
			first, end := g.market.Row(t)
			for no := first; no < end; no++ {
				if g.market.Contradicts(no) {
					continue
				}
				r := &g.rates[no]
				s := &states[r.to]
				bid, most = max(bid, r.there*s.price), max(most, r.back*s.unit)
			}
			if bid > 0 && most > 0 {
				price := math.Sqrt(g.Ref[t] * math.Sqrt(bid/most))
				g.Ref[t] = max(market.LeastPrice, min(price, market.MostPrice))
			}
		}
		for t, price := range g.Ref {
			states[t] = state{price, 1 / price}
		}
	}
	for t := range states {
		scales[t] = float32(min(powers[t]*states[t].unit, 2) / probe)
	}
	return scales
}
