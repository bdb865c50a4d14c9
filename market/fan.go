package market

import (
	"math"
	"math/bits"
	"slices"
)

// fan is where a token's arcs stand: those to well connected tokens, those to
// others from which one can go on, those to dead ends.
type fan struct{ start, others, ends, end int32 }

// Kinds of tokens, in the order of a fan.
const (
	connected = iota
	other
	deadEnd
)

// wellConnected is how many lanes make a token one through which most routes
// may lead.
const wellConnected = 6

// exit is what the best arc out of a token pays, the token it leads to, from 1,
// and what the best to another token pays. A token is a dead end unless one can
// come to it from another token than one goes on to.
type exit struct {
	best, second float64
	to           int32
	leadsOn      bool // for one who did not come from there
}

// lift gives every lane its lift and every token its kind.
func (g *Graph) lift() []exit {
	exits := make([]exit, len(g.Worth))
	for k := range g.lanes {
		l := &g.lanes[k]
		if l.Supply == nil {
			continue
		}
		pays := l.Spot * g.Worth[l.To]
		l.Lift = pays / g.Worth[l.from]
		switch e := &exits[l.from]; {
		case e.to == l.To+1:
			e.best = max(e.best, pays)
		case e.to == 0 || pays > e.best:
			e.best, e.second, e.to = pays, e.best, l.To+1
		default:
			e.second = max(e.second, pays)
		}
	}
	for k := range g.lanes {
		l := &g.lanes[k]
		if e := &exits[l.To]; l.Supply != nil && e.but(int(l.from)) > 0 {
			e.leadsOn = true
		}
	}
	for t := range exits {
		switch {
		case !exits[t].leadsOn:
			g.kinds[t] = deadEnd
		case len(g.out(t)) < wellConnected:
			g.kinds[t] = other
		}
	}
	return exits
}

// fanOut gives every lane that takes anything its place.
func (g *Graph) fanOut(exits []exit) {
	g.arcs = make([]int32, len(g.lanes))
	g.Arcs, g.ways = make([]Arc, 0, len(g.lanes)), make([]Way, 0, len(g.lanes))
	var keys []uint64
	for t := range g.fans {
		row, start := g.out(t), int32(len(g.Arcs))
		var count [3]int32
		keys = keys[:0]
		// The low bits of a key are the lane's place in the row: what is
		// equal but for them stays in the order of the pools.
		low := uint64(1)<<bits.Len(uint(len(row))) - 1
		for i, k := range row {
			l := &g.lanes[k]
			if l.Supply == nil {
				continue
			}
			kind := g.kinds[l.To]
			if l.Onward = l.Lift; kind != connected {
				l.Onward *= exits[l.To].but(t) / g.Worth[l.To]
			}
			count[kind]++
			falling := 1<<62 - 1 - math.Float64bits(l.Onward)>>1
			keys = append(keys, uint64(kind)<<62|falling&^low|uint64(i))
		}
		slices.Sort(keys)
		for _, key := range keys {
			k := row[key&low]
			l := &g.lanes[k]
			b := &g.lanes[k+l.back]
			g.Arcs = append(g.Arcs, l.Arc)
			g.ways = append(g.ways, Way{
				To: l.To, Lift: float32(l.Onward), Bulk: float32(l.rate * g.Worth[l.To] / g.Worth[t]),
				Back: float32(b.Lift), BackBulk: float32(b.rate * g.Worth[t] / g.Worth[l.To]),
			})
			g.arcs[k] = int32(len(g.Arcs))
		}
		others := start + count[connected]
		g.fans[t] = fan{start, others, others + count[other], int32(len(g.Arcs))}
	}
}

// but is what the best arc pays that does not lead to t.
func (e *exit) but(t int) float64 {
	if e.to == int32(t)+1 {
		return e.second
	}
	return e.best
}
