package market

import (
	"math"
	"slices"

	"braid/venue"
)

// lane is one direction of a pool, an arc that has no place yet. All of it but
// Source, Lift and Onward is true of the pool alone, so that a graph takes it
// over from an older one while the pool is the same value.
type lane struct {
	Arc
	from  int32
	back  int32   // how many lanes on the other direction is
	mid   float64 // price free of the fee; 0 if a direction is shut
	depth float64 // of the token that comes in
	asked float64 // an amount, and the price paid for it
	rate  float64
}

// lay notes the lanes of all pools, in the order of the pools, and in a pool
// by In and Out.
func (g *Graph) lay(s *Snapshot, old *Graph) {
	if old == nil {
		old = &Graph{}
	}
	g.pools, g.first = s.pools, make([]int32, len(s.pools)+1)
	g.lanes = make([]lane, 0, len(old.lanes)+2*max(len(s.pools)-len(old.pools), 0))
	sources := slices.Clip(old.Sources)
	same, known := 0, min(len(s.pools), len(old.pools)) // the pools from same on are to be taken over
	takeOver := func(end int) {
		g.lanes = append(g.lanes, old.lanes[old.first[same]:old.first[end]]...)
	}
	for i, p := range s.pools {
		if i < known && old.pools[i] == p {
			g.first[i+1] = g.first[i] + old.first[i+1] - old.first[i]
			continue
		}
		if i <= known && same < i {
			takeOver(i)
		}
		same = i + 1
		source := slices.Index(sources, p.Info().Source)
		if source < 0 {
			source, sources = len(sources), append(sources, p.Info().Source)
		}
		g.lanes = s.appendLanes(g.lanes, i, uint16(source))
		g.first[i+1] = int32(len(g.lanes))
	}
	if same < known {
		takeOver(known)
	}
	g.number(sources)
}

// number gives the sources their numbers, in the order of their first pools:
// until then lanes have those of a list of any order.
func (g *Graph) number(list []*venue.Source) {
	numbers := make([]uint16, len(list)) // from 1
	for k := range g.lanes {
		l := &g.lanes[k]
		if numbers[l.Source] == 0 {
			g.Sources = append(g.Sources, list[l.Source])
			numbers[l.Source] = uint16(len(g.Sources))
		}
		l.Source = numbers[l.Source] - 1
	}
}

func (s *Snapshot) appendLanes(lanes []lane, pool int, source uint16) []lane {
	p := s.pools[pool]
	tokens := p.Info().Tokens
	n := len(tokens)
	at := func(in, out int) int { // among the lanes of the pool
		if out > in {
			out--
		}
		return in*(n-1) + out
	}
	first := len(lanes)
	numbers := make([]int32, n)
	for i, a := range tokens {
		no, _ := s.tokenNo.of(a)
		numbers[i] = int32(no)
	}
	for in := range tokens {
		depth := p.Depth(in)
		for out := range tokens {
			if in == out {
				continue
			}
			l := lane{
				Arc:  Arc{Pool: int32(pool), To: numbers[out], In: uint8(in), Out: uint8(out), Source: source},
				from: numbers[in], back: int32(at(out, in) - at(in, out)), mid: p.Spot(in, out), depth: depth,
			}
			l.take(venue.SupplyOf(p, in, out))
			lanes = append(lanes, l)
		}
	}
	for k := first; k < len(lanes); k++ {
		if l := &lanes[k]; l.back > 0 {
			// Both spots are net of the same fee; their ratio is free of it.
			there, back := &l.mid, &lanes[k+int(l.back)].mid
			if *there > 0 && *back > 0 {
				*there, *back = math.Sqrt(*there / *back), math.Sqrt(*back / *there)
			} else {
				*there, *back = 0, 0
			}
		}
	}
	return lanes
}

// take gives the lane its supply; without one it is shut.
func (l *lane) take(s *venue.Supply) {
	if s == nil {
		return
	}
	first := &s.Pieces[0]
	l.Supply, l.Spot, l.bend, l.width, l.gas = s, first.Price, first.Bend, s.Max, uint32(first.Gas)
	if len(s.Pieces) > 1 {
		l.width = s.Pieces[1].In
	}
}

// list sorts the lanes by the tokens they leave.
func (g *Graph) list() {
	g.row, g.rows = make([]int32, len(g.Worth)+2), make([]int32, len(g.lanes))
	for k := range g.lanes {
		g.row[g.lanes[k].from+2]++
	}
	for t := range g.Worth {
		g.row[t+1] += g.row[t]
	}
	for k := range g.lanes {
		next := &g.row[g.lanes[k].from+1]
		g.rows[*next] = int32(k)
		*next++
	}
}

// out are the lanes that leave a token, in the order of their pools.
func (g *Graph) out(token int) []int32 { return g.rows[g.row[token]:g.row[token+1]] }
