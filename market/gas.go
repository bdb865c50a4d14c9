package market

import (
	"math"
	"sync"
)

const (
	// tradedGas is the gas whose cost is traded to find what gas costs in a token: about
	// that of a large swap.
	tradedGas = 1e6
	// clearly is the ratio by which a token must be better reached for that to be followed
	// further: a cost of gas need not be more exact.
	clearly = 1.01
	// gasHops is how many pools that trade may pass.
	gasHops = 5
)

// GasIn is the cost of a unit of gas in raw units of a token; 0 if unknown. It is the
// smaller of what native brings in that token and what buys native for that token, each
// on its best path, for the cost of 1M gas. To make gas look dear somebody would have to
// bend every path the other way too. Prices in USD have no part in it. GasInLine is the
// same without pools that contradict the prices of their tokens.
func (s *Snapshot) GasIn(token int) float64 { return s.gasCosts().all[token] }

func (s *Snapshot) GasInLine(token int) float64 { return s.gasCosts().inLine[token] }

// gasCosts are the costs of a unit of gas by token.
type gasCosts struct {
	once        sync.Once
	all, inLine []float64
}

func (s *Snapshot) gasCosts() *gasCosts {
	s.gas.once.Do(func() {
		g := s.Graph()
		s.gas.all = g.gasIn(s, 2*len(g.Sources))
		if s.gas.inLine = s.gas.all; g.outOfLine {
			s.gas.inLine = g.gasIn(s, len(g.Sources))
		}
	})
	return &s.gas
}

// gasIn is the cost of a unit of gas by token, through arcs of so many sources.
func (g *Graph) gasIn(s *Snapshot, sources int) []float64 {
	in := make([]float64, len(g.tokens))
	native, ok := s.tokenNo.of(s.chain.WrappedNative)
	cost := s.GasPrice().Float() * tradedGas
	if !ok || cost == 0 {
		return in
	}
	brings, buys := g.brought(native, cost, sources), g.bought(native, cost, sources)
	for t := range in {
		if !math.IsInf(buys[t], 1) {
			in[t] = min(brings[t], buys[t]) / tradedGas
		}
	}
	return in
}

// brought is by token the most that an amount of the given one brings; 0 if nothing.
func (g *Graph) brought(token int, amount float64, sources int) []float64 {
	most := make([]float64, len(g.tokens))
	most[token] = amount
	g.spread(token, func(t int, reached func(t int, clearly bool)) {
		arcs := g.All(t)
		for i := range arcs {
			a, best := &arcs[i], most[arcs[i].To]
			if a.Spot*most[t] <= best || int(a.Source) >= sources {
				continue
			}
			if y, _ := a.Pay(most[t]); y > best {
				most[a.To] = y
				reached(int(a.To), y > best*clearly)
			}
		}
	})
	return most
}

// bought is by token the least that buys an amount of the given one; infinite if no
// amount does.
func (g *Graph) bought(token int, amount float64, sources int) []float64 {
	least := make([]float64, len(g.tokens))
	for t := range least {
		least[t] = math.Inf(1)
	}
	least[token] = amount
	g.spread(token, func(t int, reached func(t int, clearly bool)) {
		g.Into(t, func(from int, a *Arc) {
			best := least[from]
			if least[t] >= best*a.Spot || int(a.Source) >= sources {
				return
			}
			if x := a.need(least[t]); x < best {
				least[from] = x
				reached(from, best > x*clearly)
			}
		})
	})
	return least
}

// need is the input for which an arc pays so much; infinite if none does.
func (a *Arc) need(y float64) float64 {
	if rest := a.Spot - y*a.bend; y <= rest*a.width {
		return y / rest
	}
	return a.Supply.Need(y)
}

// spread has the neighbours of a token looked at, then those of each token that was
// clearly better reached, and so on for as many rounds as there may be hops.
func (g *Graph) spread(token int, look func(t int, reached func(t int, clearly bool))) {
	now, next := []int32{int32(token)}, []int32(nil)
	queued := make([]bool, len(g.tokens))
	reached := func(t int, clearly bool) {
		if clearly && !queued[t] && g.kinds[t] != deadEnd {
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
