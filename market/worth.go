package market

import "math"

// A raw unit is worth no more than all the money there is, and not so little
// that as many as a balance can count come to nothing. What pools say beyond is
// no price: whoever strings together pools of tokens of his own can have them
// say anything, and overflow all that is reckoned from it.
const leastWorth, mostWorth = 1e-80, 1e15

func credible(worth float64) bool { return worth >= leastWorth && worth <= mostWorth }

// appraise gives every token a worth that has none by its price: what its
// neighbours' worths make of it, or 1.
func (g *Graph) appraise() {
	known := make([]int32, 0, len(g.Worth)) // of tokens whose neighbours are still to be looked at
	for t := range g.Worth {
		if g.Worth[t] > 0 {
			known = append(known, int32(t))
		}
	}
	learn := func(token int32, worth float64) {
		if g.Worth[token] == 0 && credible(worth) {
			g.Worth[token] = worth
			known = append(known, token)
		}
	}
	for i := 0; i < len(known) && len(known) < len(g.Worth); i++ {
		t := known[i]
		row := g.out(int(t))
		for i := range row {
			l := &row[i]
			if l.backSpot > 0 {
				learn(l.To, l.backSpot*g.Worth[t])
			} else if l.spot > 0 {
				learn(l.To, g.Worth[t]/l.spot)
			}
		}
	}
	for t := range g.Worth {
		if g.Worth[t] == 0 {
			g.Worth[t] = 1
		}
	}
}

const (
	// handful is the worth that is moved to see what pools pay in earnest.
	handful = 100
	// Heap is the worth up to which fades are true.
	Heap = 20_000
	heap = 2. * Heap / handful // of handfuls

	rounds = 6 // in which worths are settled
)

// never is the power of a handful for which no lane was asked.
const never = math.MinInt16

// ask finds out what a lane pays for a handful of a token, as a price, and how
// it fades. A handful is the same for all worths between two powers of two, of
// which exp is the upper, so that a lane that has been asked is seldom asked
// again.
func (g *Graph) ask(lane int32, exp int16, arcs *stock) {
	l := &g.lanes[lane]
	if g.rates[lane].asked = exp; l.arc == 0 {
		return
	}
	a, x := arcs.of(l), math.Ldexp(handful, -int(exp))
	y, _ := a.Pay(min(x, a.Supply.Max))
	g.rates[lane].there, g.rates[l.back].back = y/x, y/x
	l.fade = float32(min(x*fade(a.Supply, min(x*heap, a.Supply.Max)), math.MaxFloat32))
	g.lanes[l.back].backFade = l.fade
}

// settle moves every worth to the middle between the best bid and the best
// ask of its neighbours, so that no arc lifts it by much, but for arcs through
// pools that contradict the prices. It gives by token how
// many handfuls, as lanes were asked for, are a unit of worth; no more than
// make all that lanes know of a heap.
func (g *Graph) settle(arcs *stock) []float32 {
	powers, scales := make([]float64, len(g.Worth)), make([]float32, len(g.Worth))
	for t := range g.Worth {
		_, exp := math.Frexp(g.Worth[t])
		powers[t] = math.Ldexp(1, exp)
		for k := g.row[t]; k < g.row[t+1]; k++ {
			if g.rates[k].asked != int16(exp) {
				g.ask(k, int16(exp), arcs)
			}
		}
	}
	// Of a token: its worth, and what a unit of worth is of it.
	type stand struct{ worth, unit float64 }
	stands := make([]stand, len(g.Worth))
	for t, worth := range g.Worth {
		stands[t] = stand{worth, 1 / worth}
	}
	for range rounds {
		for t := range g.Worth {
			// The best bid, and the most of the token that a unit of worth brings.
			bid, most := 0.0, 0.0
			row := g.rates[g.row[t]:g.row[t+1]]
			for i := range row {
				r := &row[i]
				if r.outOfLine {
					continue
				}
				s := &stands[r.to]
				bid, most = max(bid, r.there*s.worth), max(most, r.back*s.unit)
			}
			if bid > 0 && most > 0 {
				worth := math.Sqrt(g.Worth[t] * math.Sqrt(bid/most))
				g.Worth[t] = max(leastWorth, min(worth, mostWorth))
			}
		}
		for t, worth := range g.Worth {
			stands[t] = stand{worth, 1 / worth}
		}
	}
	for t := range stands {
		scales[t] = float32(min(powers[t]*stands[t].unit, 2) / handful)
	}
	return scales
}
