package market

import "math"

// appraise gives every token a worth: its price, or what its neighbours'
// prices make of it, or 1.
func (g *Graph) appraise(s *Snapshot, rays [][]ray) {
	for t := range g.Worth {
		g.Worth[t] = s.Price(t).USD
	}
	for changed := true; changed; {
		changed = false
		for t := range rays {
			for i := range rays[t] {
				r := &rays[t][i]
				if to := r.edge.To; (g.Worth[t] == 0) == (g.Worth[to] == 0) {
					continue
				} else if changed = true; g.Worth[t] == 0 {
					g.Worth[t] = r.supply.Spot() * g.Worth[to]
				} else {
					g.Worth[to] = g.Worth[t] / r.supply.Spot()
				}
			}
		}
	}
	for t := range g.Worth {
		if !(g.Worth[t] > 0) {
			g.Worth[t] = 1
		}
	}
	g.settle(rays)
}

// An amount of this worth is moved to see what pools pay in earnest, and the
// worths are settled in so many rounds.
const (
	Handful = 100
	rounds  = 6
)

// settle moves every worth to the middle between the best bid and the best
// ask of its neighbours, so that no arc lifts it by much.
func (g *Graph) settle(rays [][]ray) {
	type trade struct {
		to   int32
		rate float64
	}
	trades := make([]trade, 0, cap(g.Arcs))
	for t := range rays {
		for i := range rays[t] {
			r := &rays[t][i]
			y, _, _ := r.supply.Pay(min(Handful/g.Worth[t], r.supply.Max))
			r.rate = y * g.Worth[t] / Handful
			trades = append(trades, trade{int32(r.edge.To), r.rate})
		}
	}
	bid, ask := make([]float64, len(g.Worth)), make([]float64, len(g.Worth))
	for range rounds {
		clear(bid)
		clear(ask)
		rest := trades
		for t := range rays {
			for _, a := range rest[:len(rays[t])] {
				bid[t] = max(bid[t], a.rate*g.Worth[a.to])
				if paid := g.Worth[t] / a.rate; ask[a.to] == 0 || paid < ask[a.to] {
					ask[a.to] = paid
				}
			}
			rest = rest[len(rays[t]):]
		}
		for t := range rays {
			if bid[t] > 0 && ask[t] > 0 {
				g.Worth[t] = math.Sqrt(g.Worth[t] * math.Sqrt(bid[t]*ask[t]))
			}
		}
	}
}
