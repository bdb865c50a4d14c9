package market

import "math"

const (
	// tradedGas is the gas whose cost is traded to find what gas costs in a token: about
	// that of a large swap.
	tradedGas = 1e6
	// gasHops is how many pools that trade may pass.
	gasHops = 5
)

// GasIn is the cost of a unit of gas in raw units of a token; 0 if unknown. It is the
// smaller of what native brings in that token and what buys native for that token, each
// on its best path, for the cost of 1M gas. To make gas look dear somebody would have to
// bend every path the other way too. Prices in USD have no part in it.
func (s *Snapshot) GasIn(token int) float64 {
	s.gasOnce.Do(func() { s.gasIn = s.Graph().gasIn(s) })
	return s.gasIn[token]
}

func (g *Graph) gasIn(s *Snapshot) []float64 {
	in := make([]float64, len(g.tokens))
	native, ok := s.tokenNo.of(s.chain.WrappedNative)
	cost := s.GasPrice().Float() * tradedGas
	if !ok || cost == 0 {
		return in
	}
	brings, buys := g.brought(native, cost), g.bought(native, cost)
	for t := range in {
		if least := min(brings[t], buys[t]); !math.IsInf(buys[t], 1) {
			in[t] = least / tradedGas
		}
	}
	return in
}

// brought is by token the most that an amount of the given one brings; 0 if nothing.
func (g *Graph) brought(token int, amount float64) []float64 {
	most := make([]float64, len(g.tokens))
	most[token] = amount
	g.spread(token, func(t int, reached func(int)) {
		arcs := g.All(t)
		for i := range arcs {
			a := &arcs[i]
			if y, _ := a.Pay(most[t]); y > most[a.To] {
				most[a.To] = y
				reached(int(a.To))
			}
		}
	})
	return most
}

// bought is by token the least that buys an amount of the given one; infinite if no
// amount does.
func (g *Graph) bought(token int, amount float64) []float64 {
	least := make([]float64, len(g.tokens))
	for t := range least {
		least[t] = math.Inf(1)
	}
	least[token] = amount
	g.spread(token, func(t int, reached func(int)) {
		g.Into(t, func(from int, a *Arc) {
			if x := a.Supply.Need(least[t]); x < least[from] {
				least[from] = x
				reached(from)
			}
		})
	})
	return least
}

// spread has the neighbours of a token looked at, then those of each token that was
// reached, and so on for as many rounds as there may be hops.
func (g *Graph) spread(token int, look func(t int, reached func(int))) {
	now, next := []int32{int32(token)}, []int32(nil)
	queued := make([]bool, len(g.tokens))
	reached := func(t int) {
		if !queued[t] && g.kinds[t] != deadEnd {
			queued[t] = true
			next = append(next, int32(t))
		}
	}
	for hop := 0; hop < gasHops && len(now) > 0; hop++ {
		for _, t := range now {
			look(int(t), reached)
		}
		now, next = next, now[:0]
		for _, t := range now {
			queued[t] = false
		}
	}
}
