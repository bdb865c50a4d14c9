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
		s.gas.all = g.gasIn(s, true)
		if s.gas.inLine = s.gas.all; g.outOfLine {
			s.gas.inLine = g.gasIn(s, false)
		}
	})
	return &s.gas
}

// gasIn is the cost of a unit of gas by token, through pools that contradict prices too, or not.
func (g *Graph) gasIn(s *Snapshot, outOfLine bool) []float64 {
	in := make([]float64, len(g.tokens))
	native, ok := s.tokenNo.of(s.chain.WrappedNative)
	cost := s.GasPrice().Float() * tradedGas
	if !ok || cost == 0 {
		return in
	}
	brings, buys := g.brought(native, cost, outOfLine), g.bought(native, cost, outOfLine)
	for t := range in {
		if !math.IsInf(buys[t], 1) {
			in[t] = min(brings[t], buys[t]) / tradedGas
		}
	}
	return in
}

// brought is by token the most that an amount of the given one brings; 0 if nothing.
func (g *Graph) brought(token int, amount float64, outOfLine bool) []float64 {
	most := make([]float64, len(g.tokens))
	most[token] = amount
	g.spread(token, func(t int, reached func(t int, clearly bool)) {
		directions, first := g.Out(t)
		for i := range directions {
			d, best := &directions[i], most[directions[i].To]
			if d.Supply == nil || d.Supply.Spot()*most[t] <= best || g.contradicts[first+i] && !outOfLine {
				continue
			}
			if y, _ := d.Pay(most[t]); y > best {
				most[d.To] = y
				reached(int(d.To), y > best*clearly)
			}
		}
	})
	return most
}

// bought is by token the least that buys an amount of the given one; infinite if no
// amount does.
func (g *Graph) bought(token int, amount float64, outOfLine bool) []float64 {
	least := make([]float64, len(g.tokens))
	for t := range least {
		least[t] = math.Inf(1)
	}
	least[token] = amount
	g.spread(token, func(t int, reached func(t int, clearly bool)) {
		directions, first := g.Out(t)
		for i := range directions {
			from, back := directions[i].To, g.back[first+i]
			d, best := &g.directions[back], least[directions[i].To]
			if d.Supply == nil || least[t] >= best*d.Supply.Spot() || g.contradicts[back] && !outOfLine {
				continue
			}
			if x := d.Supply.Need(least[t]); x < best {
				least[from] = x
				reached(int(from), best > x*clearly)
			}
		}
	})
	return least
}

// spread has the neighbours of a token looked at, then those of each token that was
// clearly better reached, and so on for as many rounds as there may be hops.
func (g *Graph) spread(token int, look func(t int, reached func(t int, clearly bool))) {
	now, next := []int32{int32(token)}, []int32(nil)
	queued := make([]bool, len(g.tokens))
	reached := func(t int, clearly bool) {
		if clearly && !queued[t] && !g.deadEnd(t) {
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

// deadEnd says whether all pools of a token lead to one other token.
func (g *Graph) deadEnd(token int) bool {
	directions, _ := g.Out(token)
	for i := range directions {
		if directions[i].To != directions[0].To {
			return false
		}
	}
	return true
}
