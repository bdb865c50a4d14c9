package market

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
)

// layout is which directions there are and in which order. Graphs share it until a pool or
// a token comes or goes. Directions are ordered by the token they leave, and then by pool.
type layout struct {
	sources []*venue.Source // in the order of their first pools
	source  []uint16        // by pool
	first   []int32         // by pool: the first of its slots
	slots   []slot
	row     []int32 // by token: the first of the directions that leave it
	back    []int32 // by direction: the one the other way
}

// slot is which direction is one of a pool. Slots are in the order of the pools, and in a
// pool by In and Out.
type slot struct {
	from, to  int32
	back      int32 // how many slots on the other direction is
	direction int32
}

// of are the slots of a pool.
func (g *layout) of(pool int) []slot { return g.slots[g.first[pool]:g.first[pool+1]] }

// newLayout orders the directions of a market. Those of pools that have not changed are
// taken over from an older graph. It gives by direction its number there, or -1.
func (g *Graph) newLayout(s *Snapshot, old *Graph, changed []int32) (from []int32) {
	g.layout = &layout{source: make([]uint16, len(s.pools)), first: make([]int32, len(s.pools)+1), row: make([]int32, len(s.tokens.all)+2)}
	for i, p := range s.pools {
		var source *venue.Source
		if len(changed) > 0 && int(changed[0]) == i {
			changed, source = changed[1:], p.Info().Source
			g.slots = s.appendSlots(g.slots, p.Info().Tokens)
		} else {
			source = old.sources[old.source[i]]
			g.slots = append(g.slots, old.of(i)...)
		}
		no := slices.Index(g.sources, source)
		if no < 0 {
			no, g.sources = len(g.sources), append(g.sources, source)
		}
		g.source[i], g.first[i+1] = uint16(no), int32(len(g.slots))
	}
	return g.place(old)
}

// vacant is the direction of a slot that has none yet.
const vacant = -1

func (s *Snapshot) appendSlots(slots []slot, tokens []common.Address) []slot {
	n := len(tokens)
	at := func(in, out int) int { // among the slots of the pool
		if out > in {
			out--
		}
		return in*(n-1) + out
	}
	for in, a := range tokens {
		from, _ := s.tokenNo.of(a)
		for out, b := range tokens {
			if in != out {
				to, _ := s.tokenNo.of(b)
				slots = append(slots, slot{int32(from), int32(to), int32(at(out, in) - at(in, out)), vacant})
			}
		}
	}
	return slots
}

// place sorts the directions by the tokens they leave.
func (g *Graph) place(old *Graph) (from []int32) {
	for k := range g.slots {
		g.row[g.slots[k].from+2]++
	}
	for t := range g.row[1:] {
		g.row[t+1] += g.row[t]
	}
	n := len(g.slots)
	g.directions, g.votes, g.back, from = make([]Direction, n), make([]vote, n), make([]int32, n), make([]int32, n)
	for pool := range g.source {
		slots := g.of(pool)
		for k := range slots {
			p := &slots[k]
			next := &g.row[p.from+1]
			if from[*next] = p.direction; p.direction != vacant {
				g.directions[*next], g.votes[*next] = old.directions[p.direction], old.votes[p.direction]
				g.directions[*next].Source = g.source[pool]
			}
			p.direction = *next
			*next++
		}
	}
	for k := range g.slots {
		p := &g.slots[k]
		g.back[p.direction] = g.slots[k+int(p.back)].direction
	}
	return from
}
