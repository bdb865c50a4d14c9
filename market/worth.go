package market

import "math"

// appraise gives every token a worth: its price, or what its neighbours'
// worths make of it, or 1.
func (g *Graph) appraise() {
	known := make([]int32, 0, len(g.Worth)) // of tokens whose neighbours are still to be looked at
	for t := range g.Worth {
		if g.Worth[t] = g.prices[t].USD; g.Worth[t] > 0 {
			known = append(known, int32(t))
		}
	}
	learn := func(token int32, worth float64) {
		if g.Worth[token] == 0 && worth > 0 && !math.IsInf(worth, 1) {
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

// Handful is the worth that is moved to see what pools pay in earnest, and the
// worths are settled in so many rounds.
const (
	Handful = 100
	rounds  = 6
)

// never is the power of a handful for which no lane was asked.
const never = math.MinInt16

// ask finds out what a lane with this arc pays for a handful of a token whose
// worth has this power of two, as a price.
func (l *lane) ask(exp int16, a *Arc) {
	x := math.Ldexp(Handful, -int(exp))
	y, _ := a.Pay(min(x, a.Supply.Max))
	l.asked, l.rate = exp, y/x
}

// settle moves every worth to the middle between the best bid and the best
// ask of its neighbours, so that no arc lifts it by much.
func (g *Graph) settle(arcs *stock) {
	for t := range g.Worth {
		_, exp := math.Frexp(g.Worth[t])
		row := g.out(t)
		for i := range row {
			if l := &row[i]; l.asked != int16(exp) && l.arc != 0 {
				l.ask(int16(exp), arcs.of(l))
				g.lanes[l.back].backRate = l.rate
			}
		}
	}
	type pair struct {
		to          int32
		there, back float64
	}
	pairs := make([]pair, len(g.lanes))
	for k := range g.lanes {
		l := &g.lanes[k]
		pairs[k] = pair{l.To, l.rate, l.backRate}
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
			row := pairs[g.row[t]:g.row[t+1]]
			for i := range row {
				p := &row[i]
				s := &stands[p.to]
				bid, most = max(bid, p.there*s.worth), max(most, p.back*s.unit)
			}
			if bid > 0 && most > 0 {
				g.Worth[t] = math.Sqrt(g.Worth[t] * math.Sqrt(bid/most))
			}
		}
		for t, worth := range g.Worth {
			stands[t] = stand{worth, 1 / worth}
		}
	}
}
