package market

import (
	"math"
	"slices"
	"sync"

	"braid/u256"
)

const (
	// tradedGas is the gas whose cost is traded to find what gas costs in a token: about
	// that of a large swap.
	tradedGas = 1e6
	// clearly is the ratio by which a token must be better reached for that to be followed
	// further: a cost of gas need not be more exact.
	clearly = 1.01
	// spotError is more than 1 by what the price of the first unit may be less than what
	// Pay gives, as a ratio.
	spotError = 1 + 1e-9
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

func (s *Snapshot) gasCosts() *gasCosts {
	s.Graph()
	return s.gas
}

// gasCosts are the costs of a unit of gas by token, at a price in wei.
type gasCosts struct {
	price       u256.Int
	all, inLine []float64
}

// keptCosts are the costs of the last snapshot with a graph.
type keptCosts struct {
	sync.Mutex
	costs *gasCosts
}

// gasAt is the costs at the gas price of a snapshot, which has this graph. They are kept
// for the next one that has it too.
func (g *Graph) gasAt(s *Snapshot) *gasCosts {
	price := s.GasPrice()
	g.gas.Lock()
	defer g.gas.Unlock()
	if kept := g.gas.costs; kept != nil && kept.price == price {
		return kept
	}
	c := &gasCosts{price: price, all: g.gasIn(s, true)}
	if c.inLine = c.all; g.outOfLine {
		c.inLine = g.gasIn(s, false)
	}
	g.gas.costs = c
	return c
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
	g.spread(token, most, func(t int, x float64, reach func(int32, float64)) {
		directions, first := g.Out(t)
		for i := range directions {
			d := &directions[i]
			if d.Supply == nil || d.Supply.Spot()*x*spotError <= most[d.To] || g.contradicts[first+i] && !outOfLine {
				continue
			}
			if y, _ := d.Pay(x); y > most[d.To] {
				reach(d.To, y)
			}
		}
	}, func(now, before float64) bool { return now > before*clearly })
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
	g.spread(token, least, func(t int, y float64, reach func(int32, float64)) {
		directions, first := g.Out(t)
		for i := range directions {
			from, back := directions[i].To, g.back[first+i]
			d := &g.directions[back]
			if d.Supply == nil || y >= least[from]*d.Supply.Spot()*spotError || g.contradicts[back] && !outOfLine {
				continue
			}
			if x := d.Supply.Need(y); x < least[from] {
				reach(from, x)
			}
		}
	}, func(now, before float64) bool { return before > now*clearly })
	return least
}

// spread has the neighbours of a token looked at, then those of each token that was
// clearly better reached, and so on for as many rounds as there may be hops. A round
// looks at the values that the one before left, so that the order of pools and tokens
// makes no difference.
func (g *Graph) spread(token int, values []float64, look func(t int, value float64, reach func(int32, float64)), clearly func(now, before float64) bool) {
	now, before := []int32{int32(token)}, slices.Clone(values)
	var reached []int32
	seen := make([]bool, len(values))
	reach := func(t int32, value float64) {
		values[t] = value
		if !seen[t] {
			seen[t] = true
			reached = append(reached, t)
		}
	}
	for hop := 0; hop < gasHops && len(now) > 0; hop++ {
		for _, t := range now {
			look(int(t), before[t], reach)
		}
		now = now[:0]
		for _, t := range reached {
			if clearly(values[t], before[t]) && !g.deadEnd(int(t)) {
				now = append(now, t)
			}
			seen[t], before[t] = false, values[t]
		}
		reached = reached[:0]
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
