package market

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
)

// ground is which lanes there are and where they stand. Graphs share it until
// a pool or a token comes or goes.
type ground struct {
	sources []*venue.Source // in the order of their first pools
	source  []uint16        // by pool
	first   []int32         // by pool: the first of its plots
	plots   []plot
	row     []int32 // by token: the first of the lanes that leave it
}

// plot is where a lane stands. Plots are in the order of the pools, and in a
// pool by In and Out; lanes by the token they leave, and then as plots.
type plot struct {
	from, to int32
	back     int32 // how many plots on the other direction is
	lane     int32
}

// of are the plots of a pool.
func (g *ground) of(pool int) []plot { return g.plots[g.first[pool]:g.first[pool+1]] }

// newGround gives the lanes of a market their places. Those of pools that have
// not changed are taken over from an older graph.
func (g *Graph) newGround(s *Snapshot, old *Graph, changed []int32) {
	g.ground = &ground{source: make([]uint16, len(s.pools)), first: make([]int32, len(s.pools)+1), row: make([]int32, len(s.tokens.all)+2)}
	for i, p := range s.pools {
		var source *venue.Source
		if len(changed) > 0 && int(changed[0]) == i {
			changed, source = changed[1:], p.Info().Source
			g.plots = s.appendPlots(g.plots, p.Info().Tokens)
		} else {
			source = old.sources[old.source[i]]
			g.plots = append(g.plots, old.of(i)...)
		}
		no := slices.Index(g.sources, source)
		if no < 0 {
			no, g.sources = len(g.sources), append(g.sources, source)
		}
		g.source[i], g.first[i+1] = uint16(no), int32(len(g.plots))
	}
	g.place(old)
}

// vacant is the lane of a plot that has none yet.
const vacant = -1

func (s *Snapshot) appendPlots(plots []plot, tokens []common.Address) []plot {
	n := len(tokens)
	at := func(in, out int) int { // among the plots of the pool
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
				plots = append(plots, plot{int32(from), int32(to), int32(at(out, in) - at(in, out)), vacant})
			}
		}
	}
	return plots
}

// place sorts the lanes by the tokens they leave.
func (g *Graph) place(old *Graph) {
	for k := range g.plots {
		g.row[g.plots[k].from+2]++
	}
	for t := range g.row[1:] {
		g.row[t+1] += g.row[t]
	}
	g.lanes, g.rates, g.votes = make([]lane, len(g.plots)), make([]rate, len(g.plots)), make([]vote, len(g.plots))
	for k := range g.plots {
		p := &g.plots[k]
		next := &g.row[p.from+1]
		if p.lane != vacant {
			g.lanes[*next], g.rates[*next], g.votes[*next] = old.lanes[p.lane], old.rates[p.lane], old.votes[p.lane]
		}
		p.lane = *next
		*next++
	}
	for k := range g.plots {
		p := &g.plots[k]
		g.lanes[p.lane].back = g.plots[k+int(p.back)].lane
	}
}
