package market

import (
	"slices"

	"braid/venue"
)

// lane is one direction of a pool. But for the numbers of lanes and arcs it is
// true of the pool alone, so that a graph takes it over from an older one.
type lane struct {
	Pool, To       int32
	In, Out        uint8
	back           int32   // the lane the other way
	arc            int32   // from 1; 0 if the lane is shut
	fade           float32 // h handfuls, as far as asked, are paid at no more than spot/(1+fade*h)
	backFade       float32 // of the lane the other way
	spot, backSpot float64 // price of the first unit, there and back; 0 if shut
}

// rate is the price of a handful, there and back; 0 if a lane is shut.
type rate struct {
	to          int32
	asked       int16 // what is a handful
	outOfLine   bool  // the pool contradicts the prices of its tokens
	there, back float64
}

// stock are the arcs that lanes have until all get their places: those of an
// older graph, and fresh ones, which lanes number from -1 down.
type stock struct {
	old, fresh []Arc
	fans       []fan // of old
}

func (s *stock) of(l *lane) *Arc {
	if l.arc < 0 {
		return &s.fresh[-l.arc-1]
	}
	return &s.old[l.arc-1]
}

// fan is where the arcs of a token stand in old.
func (s *stock) fan(token int) fan {
	if token < len(s.fans) {
		return s.fans[token]
	}
	return fan{}
}

// lay notes the lanes of all pools. Those of an older graph stay, unless the
// pool is another value, or a token of it has another number.
func (g *Graph) lay(s *Snapshot, old *Graph) *stock {
	g.tokens, g.pools = s.tokens.all, s.pools
	was := old.pools
	if strange := old.lanes[old.row[agree(g.tokens, old.tokens)]:]; len(strange) > 0 {
		was = slices.Clone(was)
		for i := range strange {
			was[strange[i].Pool] = nil
		}
	}
	var changed []int32
	same := len(g.pools) == len(was) && len(g.tokens) == len(old.tokens)
	for i, p := range g.pools {
		if i >= len(was) || was[i] != p {
			changed = append(changed, int32(i))
			same = same && was[i] != nil && was[i].Info() == p.Info()
		}
	}
	if same {
		g.ground, g.lanes, g.rates, g.votes = old.ground, slices.Clone(old.lanes), slices.Clone(old.rates), slices.Clone(old.votes)
	} else {
		g.newGround(s, old, changed)
	}
	g.Sources = g.sources
	arcs := &stock{old: old.Arcs, fans: old.fans, fresh: make([]Arc, 0, 2*len(changed))}
	for _, i := range changed {
		g.model(int(i), arcs)
	}
	return arcs
}

// agree is how many tokens have the same numbers in both lists.
func agree(a, b []Token) int {
	n := min(len(a), len(b))
	if n == 0 || &a[0] == &b[0] { // of one memory: one goes on where the other ends
		return n
	}
	for i := range n {
		if a[i].Address != b[i].Address {
			return i
		}
	}
	return n
}

// model makes the lanes of a pool.
func (g *Graph) model(pool int, arcs *stock) {
	p, plots := g.pools[pool], g.of(pool)
	tokens := p.Info().Tokens
	for in := range tokens {
		for out := range tokens {
			if in == out {
				continue
			}
			l := &g.lanes[plots[0].lane]
			*l = lane{Pool: int32(pool), To: plots[0].to, In: uint8(in), Out: uint8(out), back: l.back}
			g.rates[plots[0].lane] = rate{to: l.To, asked: never}
			if s := venue.SupplyOf(p, in, out); s != nil {
				arcs.fresh = append(arcs.fresh, newArc(l, s))
				l.arc, l.spot = -int32(len(arcs.fresh)), s.Spot()
			}
			plots = plots[1:]
		}
	}
	for _, plot := range g.of(pool) {
		if l := &g.lanes[plot.lane]; l.In < l.Out {
			b := &g.lanes[l.back]
			l.backSpot, b.backSpot = b.spot, l.spot
			g.setVotes(plot.lane, l.back, arcs)
		}
	}
}

func newArc(l *lane, s *venue.Supply) Arc {
	first := &s.Pieces[0]
	a := Arc{
		Pool: l.Pool, To: l.To, In: l.In, Out: l.Out, gas: uint32(first.Gas),
		Spot: first.Price(), bend: first.Bend(), width: s.Max, Supply: s,
	}
	if len(s.Pieces) > 1 {
		a.width = s.Pieces[1].In
	}
	return a
}

// out are the lanes that leave a token, in the order of their pools.
func (g *Graph) out(token int) []lane { return g.lanes[g.row[token]:g.row[token+1]] }
