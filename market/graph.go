package market

import (
	"cmp"
	"slices"

	"braid/venue"
)

// Graph is the market as a search wants it: every direction of every pool that
// takes anything, with its supply, the best first. It is a function of the
// snapshot, made when first asked for; supplies of pools that did not change
// are those of the snapshot before.
type Graph struct {
	Arcs     []Arc
	Worth    []float64 // of a raw unit of each token, to compare; never 0
	Sources  []*venue.Source
	Unlisted []bool // by token: not on the token list

	ways    []Way // as Arcs
	fans    []fan // by token, as leadsOn
	leadsOn []bool
	edges   [][]Edge
	models  []*model
	sources []uint16 // by pool
	first   []int32  // the same: where its places begin
	places  []place  // by in*tokens+out of their pool
}

// Way is what a look at an arc needs in most cases.
type Way struct {
	To         int32
	Lift       float32
	Back, Bulk float32 // lift of the arc the other way; of an order of 100 dollars or more
}

// Arc leads through a pool to a token. The first piece of its supply stands in
// it, so that most looks need nothing else.
type Arc struct {
	Pool, To int32
	In, Out  uint8  // positions in the pool
	Source   uint16 // in Sources
	gas      uint32
	Spot     float64 // price of the first unit
	bend     float64
	width    float64 // of the first piece
	Lift     float64
	Onward   float64 // lift of this arc and the best one to follow
	Supply   *venue.Supply
}

// Pay is what x brings, and the gas; negative when x is too much.
func (a *Arc) Pay(x float64) (y, gas float64) {
	if x <= a.width {
		return a.Spot * x / (1 + a.bend*x), float64(a.gas)
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

// Ways are the arcs of Fan and Others in short, and where in Arcs they begin;
// of a token with more than limit those of Fan alone.
func (g *Graph) Ways(token, limit int) (ways []Way, fan, start int) {
	f := g.fans[token]
	end := f.ends
	if int(end-f.start) > limit {
		end = f.others
	}
	return g.ways[f.start:end], int(f.others - f.start), int(f.start)
}

// Connected says whether a token is well connected: if so, Fan has the arcs
// that lead to it.
func (g *Graph) Connected(token int) bool { return g.kind(token) == 0 }

// All are the arcs out of a token, also those to dead ends.
func (g *Graph) All(token int) []Arc { f := g.fans[token]; return g.Arcs[f.start:f.end] }

// Graph is the same for all callers.
func (s *Snapshot) Graph() *Graph {
	s.graphOnce.Do(func() { s.graph = s.newGraph() })
	return s.graph
}

// ray is an arc in the making.
type ray struct {
	edge   *Edge
	supply *venue.Supply
	onward float64
	rate   float64 // of a handful
	kind   int     // of fan
}

func (s *Snapshot) newGraph() *Graph {
	g := &Graph{
		Worth: make([]float64, len(s.tokens)), fans: make([]fan, len(s.tokens)), leadsOn: make([]bool, len(s.tokens)),
		edges: s.edges, models: s.modelled(), sources: make([]uint16, len(s.pools)), first: make([]int32, len(s.pools)),
		Unlisted: make([]bool, len(s.tokens)),
	}
	numbers := map[*venue.Source]uint16{}
	for i, m := range g.models {
		row := m.pool.Info().Source
		if _, known := numbers[row]; !known {
			numbers[row] = uint16(len(g.Sources))
			g.Sources = append(g.Sources, row)
		}
		g.sources[i] = numbers[row]
	}
	rays := g.rays()
	g.appraise(s, rays)
	for t := range rays {
		for i := range rays[t] {
			g.leadsOn[t] = g.leadsOn[t] || rays[t][i].edge.To != rays[t][0].edge.To
		}
	}
	for t := range rays {
		g.fans[t] = g.fan(t, rays)
	}
	g.shorten(rays)
	for t := range s.tokens {
		g.Unlisted[t] = !s.tokens[t].Verified
	}
	return g
}

// shorten notes the ways, now that every arc has its place.
func (g *Graph) shorten(rays [][]ray) {
	size := int32(0)
	for i, m := range g.models {
		g.first[i] = size
		size += int32(len(m.supply))
	}
	g.places = make([]place, size)
	k := int32(0)
	for t := range rays {
		for i := range rays[t] {
			r := &rays[t][i]
			bulk := r.rate * g.Worth[r.edge.To] / g.Worth[t]
			*g.place(r.edge.Pool, r.edge.In, r.edge.Out) = place{k + 1, float32(g.Arcs[k].Lift), float32(bulk)}
			k++
		}
	}
	g.ways = make([]Way, len(g.Arcs))
	for i := range g.Arcs {
		a := &g.Arcs[i]
		back := g.place(int(a.Pool), int(a.Out), int(a.In))
		g.ways[i] = Way{To: a.To, Lift: float32(a.Lift), Back: back.lift, Bulk: back.bulk}
	}
}

// place is where an arc stands in Arcs, from 1, and its lifts.
type place struct {
	arc        int32
	lift, bulk float32
}

func (g *Graph) place(pool, in, out int) *place {
	return &g.places[int(g.first[pool])+in*len(g.models[pool].tokens)+out]
}

// rays are the edges that take anything, by token.
func (g *Graph) rays() [][]ray {
	count := 0
	for t := range g.edges {
		count += len(g.edges[t])
	}
	all, rays := make([]ray, 0, count), make([][]ray, len(g.edges))
	for t := range g.edges {
		start := len(all)
		for i := range g.edges[t] {
			e := &g.edges[t][i]
			if supply := g.models[e.Pool].of(e); supply != nil {
				all = append(all, ray{edge: e, supply: supply})
			}
		}
		rays[t] = all[start:]
	}
	g.Arcs = make([]Arc, 0, len(all))
	return rays
}

// wellConnected is how many arcs make a token one through which most routes
// may lead.
const wellConnected = 6

func (g *Graph) fan(t int, rays [][]ray) fan {
	var count [3]int32
	for i := range rays[t] {
		r := &rays[t][i]
		to := r.edge.To
		r.kind = g.kind(to)
		if r.onward = r.supply.Spot() * g.Worth[to] / g.Worth[t]; r.kind > 0 {
			r.onward *= g.onward(t, to, rays[to])
		}
		count[r.kind]++
	}
	slices.SortFunc(rays[t], func(a, b ray) int {
		if a.kind != b.kind {
			return a.kind - b.kind
		}
		if a.onward != b.onward {
			return cmp.Compare(b.onward, a.onward)
		}
		return a.edge.Pool - b.edge.Pool
	})
	start := int32(len(g.Arcs))
	for i := range rays[t] {
		r := &rays[t][i]
		a := g.arc(t, r.edge, r.supply)
		a.Onward = r.onward
		g.Arcs = append(g.Arcs, a)
	}
	return fan{start, start + count[0], start + count[0] + count[1], int32(len(g.Arcs))}
}

// kind is the part of a fan to which an arc to the token belongs.
func (g *Graph) kind(token int) int {
	switch {
	case !g.leadsOn[token]:
		return 2
	case len(g.edges[token]) >= wellConnected:
		return 0
	}
	return 1
}

// Into are the arcs that lead to a token, with the tokens they leave.
func (g *Graph) Into(token int, do func(from int, a *Arc)) {
	for i := range g.edges[token] {
		e := &g.edges[token][i]
		if k := g.place(e.Pool, e.Out, e.In).arc; k > 0 {
			do(e.To, &g.Arcs[k-1])
		}
	}
}

func (g *Graph) arc(t int, e *Edge, supply *venue.Supply) Arc {
	first, width := &supply.Pieces[0], supply.Max
	if len(supply.Pieces) > 1 {
		width = supply.Pieces[1].In
	}
	return Arc{
		Pool: int32(e.Pool), To: int32(e.To), In: uint8(e.In), Out: uint8(e.Out), Source: g.sources[e.Pool],
		gas: uint32(first.Gas), Spot: first.Price, bend: first.Bend, width: width,
		Lift: first.Price * g.Worth[e.To] / g.Worth[t], Supply: supply,
	}
}

// onward is the best lift of an arc that follows one from t to a token.
func (g *Graph) onward(t, to int, rays []ray) float64 {
	best := 0.0
	for i := range rays {
		if r := &rays[i]; r.edge.To != t {
			best = max(best, r.supply.Spot()*g.Worth[r.edge.To])
		}
	}
	return best / g.Worth[to]
}
