package market

import (
	"cmp"
	"math"
	"slices"

	"braid/venue"
)

// Graph is the market as a search wants it: every direction of every pool that
// takes anything, with its supply, the best first. It is a function of the
// snapshot, made when first asked for; supplies of pools that did not change
// are those of the snapshot before.
type Graph struct {
	Arcs    []Arc
	Worth   []float64 // of a raw unit of each token, to compare; never 0
	Sources []*venue.Source
	Rise    float64 // the greatest lift, at least 1

	fans     []fan // by token, as leadsOn
	leadsOn  []bool
	pools    []venue.Pool
	edges    [][]Edge
	supplies [][]*venue.Supply // by pool and direction
	sources  []uint16          // by pool
}

// Arc leads through a pool to a token. The first piece of its supply stands in
// it, so that most looks need nothing else.
type Arc struct {
	Pool, To int32
	In, Out  uint8  // positions in the pool
	Source   uint16 // in Sources
	gas      uint32
	spot     float64
	bend     float64
	width    float64 // of the first piece
	Lift     float64
	Onward   float64 // lift of this arc and the best one to follow
	Supply   *venue.Supply
}

// Pay is what x brings, and the gas; negative when x is too much.
func (a *Arc) Pay(x float64) (y, gas float64) {
	if x <= a.width {
		return a.spot * x / (1 + a.bend*x), float64(a.gas)
	}
	y, _, gas = a.Supply.Pay(x)
	return y, gas
}

// fan is where a token's arcs stand: those to well connected tokens, those to
// others from which one can go on, those to dead ends.
type fan struct{ start, others, ends, end int32 }

// Fan are the arcs out of a token to well connected ones, the highest lift
// first. Lift is what is left of a unit's worth behind the arc.
func (g *Graph) Fan(token int) []Arc { f := g.fans[token]; return g.Arcs[f.start:f.others] }

// Others are the arcs to tokens that are not well connected but lead on, the
// highest Onward first.
func (g *Graph) Others(token int) []Arc { f := g.fans[token]; return g.Arcs[f.others:f.ends] }

// LeadsOn says whether a token has more than one neighbour: others only end
// a path.
func (g *Graph) LeadsOn(token int) bool { return g.leadsOn[token] }

// All are the arcs out of a token, also those to dead ends.
func (g *Graph) All(token int) []Arc { f := g.fans[token]; return g.Arcs[f.start:f.end] }

// Graph is the same for all callers.
func (s *Snapshot) Graph() *Graph {
	s.graphOnce.Do(func() { s.graph.Store(s.newGraph()) })
	return s.graph.Load()
}

func (s *Snapshot) newGraph() *Graph {
	g := &Graph{
		Worth: make([]float64, len(s.tokens)), fans: make([]fan, len(s.tokens)),
		pools: s.pools, edges: s.edges, supplies: make([][]*venue.Supply, len(s.pools)), sources: make([]uint16, len(s.pools)),
	}
	arcs, numbers := 0, map[*venue.Source]uint16{}
	for i, p := range s.pools {
		g.supplies[i] = g.supply(i, p, s.before)
		arcs += len(g.supplies[i])
		row := p.Info().Source
		if _, known := numbers[row]; !known {
			numbers[row] = uint16(len(g.Sources))
			g.Sources = append(g.Sources, row)
		}
		g.sources[i] = numbers[row]
	}
	s.appraise(g)
	g.leadsOn = make([]bool, len(s.tokens))
	for t := range s.tokens {
		g.leadsOn[t] = s.leadsOn(g, t)
	}
	g.Arcs = make([]Arc, 0, arcs)
	for t := range s.tokens {
		g.fans[t] = s.fan(g, t)
	}
	g.Rise = 1
	for i := range g.Arcs {
		g.Rise = max(g.Rise, g.Arcs[i].Lift)
	}
	return g
}

func (g *Graph) supply(i int, p venue.Pool, before *Graph) []*venue.Supply {
	if before != nil && i < len(before.pools) && before.pools[i] == p {
		return before.supplies[i]
	}
	n := len(p.Info().Tokens)
	list := make([]*venue.Supply, n*n)
	for in := range n {
		for out := range n {
			if in != out {
				list[in*n+out] = venue.SupplyOf(p, in, out)
			}
		}
	}
	return list
}

// of is the supply of an edge.
func (g *Graph) of(e *Edge) *venue.Supply {
	return g.supplies[e.Pool][e.In*len(g.pools[e.Pool].Info().Tokens)+e.Out]
}

// appraise gives every token a worth: its price, or what its neighbours'
// prices make of it, or 1.
func (s *Snapshot) appraise(g *Graph) {
	for t := range g.Worth {
		g.Worth[t] = s.Price(t).USD
	}
	for changed := true; changed; {
		changed = false
		for t := range s.edges {
			for i := range s.edges[t] {
				e := &s.edges[t][i]
				a := g.of(e)
				if a == nil || (g.Worth[t] == 0) == (g.Worth[e.To] == 0) {
					continue
				}
				if changed = true; g.Worth[t] == 0 {
					g.Worth[t] = a.Spot() * g.Worth[e.To]
				} else {
					g.Worth[e.To] = g.Worth[t] / a.Spot()
				}
			}
		}
	}
	for t := range g.Worth {
		if !(g.Worth[t] > 0) {
			g.Worth[t] = 1
		}
	}
	g.settle()
}

// An amount of this worth is moved to see what pools pay in earnest, and the
// worths are settled in so many rounds.
const (
	handful = 100
	rounds  = 6
)

// settle moves every worth to the middle between the best bid and the best
// ask of its neighbours, so that no arc lifts it by much.
func (g *Graph) settle() {
	type trade struct {
		to   int32
		rate float64
	}
	out := make([][]trade, len(g.Worth))
	bid, ask := make([]float64, len(g.Worth)), make([]float64, len(g.Worth))
	for t := range g.edges {
		for i := range g.edges[t] {
			e := &g.edges[t][i]
			if s := g.of(e); s != nil {
				x := min(handful/g.Worth[t], s.Max)
				y, _, _ := s.Pay(x)
				out[t] = append(out[t], trade{int32(e.To), y * g.Worth[t] / handful})
			}
		}
	}
	for range rounds {
		clear(bid)
		clear(ask)
		for t := range out {
			for _, a := range out[t] {
				bid[t] = max(bid[t], a.rate*g.Worth[a.to])
				if paid := g.Worth[t] / a.rate; ask[a.to] == 0 || paid < ask[a.to] {
					ask[a.to] = paid
				}
			}
		}
		for t := range out {
			if bid[t] > 0 && ask[t] > 0 {
				g.Worth[t] = math.Sqrt(g.Worth[t] * math.Sqrt(bid[t]*ask[t]))
			}
		}
	}
}

// wellConnected is how many arcs make a token one through which most routes
// may lead.
const wellConnected = 6

func (s *Snapshot) fan(g *Graph, t int) fan {
	marks := [4]int32{int32(len(g.Arcs))}
	for kind := range 3 {
		start := len(g.Arcs)
		for i := range s.edges[t] {
			e := &s.edges[t][i]
			if a := g.of(e); a != nil && s.kind(g, e.To) == kind {
				a := g.arc(t, e, a)
				if kind > 0 {
					a.Onward *= g.onward(t, e.To)
				}
				g.Arcs = append(g.Arcs, a)
			}
		}
		slices.SortStableFunc(g.Arcs[start:], func(a, b Arc) int { return cmp.Compare(b.Onward, a.Onward) })
		marks[kind+1] = int32(len(g.Arcs))
	}
	return fan{marks[0], marks[1], marks[2], marks[3]}
}

// kind is the part of a fan to which an arc to the token belongs.
func (s *Snapshot) kind(g *Graph, token int) int {
	switch {
	case !g.leadsOn[token]:
		return 2
	case len(s.edges[token]) >= wellConnected:
		return 0
	}
	return 1
}

// Into are the arcs that lead to a token, with the tokens they leave.
func (g *Graph) Into(token int, do func(from int, a Arc)) {
	for i := range g.edges[token] {
		e := &g.edges[token][i]
		back := Edge{Pool: e.Pool, To: token, In: e.Out, Out: e.In}
		if a := g.of(&back); a != nil {
			do(e.To, g.arc(e.To, &back, a))
		}
	}
}

func (g *Graph) arc(t int, e *Edge, supply *venue.Supply) Arc {
	first, width := &supply.Pieces[0], supply.Max
	if len(supply.Pieces) > 1 {
		width = supply.Pieces[1].In
	}
	a := Arc{
		Pool: int32(e.Pool), To: int32(e.To), In: uint8(e.In), Out: uint8(e.Out), Source: g.sources[e.Pool],
		gas: uint32(first.Gas), spot: first.Price, bend: first.Bend, width: width,
		Lift: first.Price * g.Worth[e.To] / g.Worth[t], Supply: supply,
	}
	a.Onward = a.Lift
	return a
}

// onward is the best lift of an arc that follows one from t to a token.
func (g *Graph) onward(t, to int) float64 {
	best := 0.0
	for i := range g.edges[to] {
		e := &g.edges[to][i]
		if s := g.of(e); s != nil && e.To != t {
			best = max(best, s.Spot()*g.Worth[e.To])
		}
	}
	return best / g.Worth[to]
}

func (s *Snapshot) leadsOn(g *Graph, token int) bool {
	first := -1
	for i := range s.edges[token] {
		e := &s.edges[token][i]
		if g.of(e) == nil {
			continue
		}
		if first < 0 {
			first = e.To
		} else if e.To != first {
			return true
		}
	}
	return false
}
