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
		for _, k := range g.out(int(t)) {
			l := &g.lanes[k]
			if b := &g.lanes[k+l.back]; b.Supply != nil {
				learn(l.To, b.Spot*g.Worth[t])
			} else if l.Supply != nil {
				learn(l.To, g.Worth[t]/l.Spot)
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

// handful is how much of a token makes a handful, rounded down to what is the
// same for all worths between two powers of two: a lane that has been asked is
// seldom asked again.
func handful(worth float64) float64 {
	_, exp := math.Frexp(worth)
	return math.Ldexp(Handful, -exp)
}

// ask finds out what the lane pays for x, as a price.
func (l *lane) ask(x float64) {
	y, _ := l.Pay(min(x, l.Supply.Max))
	l.asked, l.rate = x, y/x
}

// settle moves every worth to the middle between the best bid and the best
// ask of its neighbours, so that no arc lifts it by much.
func (g *Graph) settle() {
	// Of a token: its worth, what a unit of worth is of it, the best bid, and
	// the most of it that a unit of worth brings.
	type stand struct{ worth, unit, bid, most float64 }
	stands, handfuls := make([]stand, len(g.Worth)), make([]float64, len(g.Worth))
	for t, worth := range g.Worth {
		stands[t].worth, handfuls[t] = worth, handful(worth)
	}
	type pair struct {
		a, b        int32
		there, back float64
	}
	pairs := make([]pair, 0, len(g.lanes)/2)
	for k := range g.lanes {
		l := &g.lanes[k]
		if x := handfuls[l.from]; x != l.asked && l.Supply != nil {
			l.ask(x)
		}
		if l.back < 0 {
			pairs = append(pairs, pair{l.To, l.from, g.lanes[k+int(l.back)].rate, l.rate})
		}
	}
	meet := func(from, to *stand, rate float64) {
		if bid := rate * to.worth; bid > from.bid {
			from.bid = bid
		}
		if most := rate * from.unit; most > to.most {
			to.most = most
		}
	}
	for range rounds {
		for t := range stands {
			s := &stands[t]
			s.unit, s.bid, s.most = 1/s.worth, 0, 0
		}
		for i := range pairs {
			p := &pairs[i]
			a, b := &stands[p.a], &stands[p.b]
			meet(a, b, p.there)
			meet(b, a, p.back)
		}
		for t := range stands {
			if s := &stands[t]; s.bid > 0 && s.most > 0 {
				s.worth = math.Sqrt(s.worth * math.Sqrt(s.bid/s.most))
			}
		}
	}
	for t := range stands {
		g.Worth[t] = stands[t].worth
	}
}
