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

// MostLift is the most that an arc is said to lift. Pools out of line may say
// any number; those of a whole path multiplied must not overflow a float32.
const MostLift = 1e6

// exit is what the best arc out of a token pays, the token it leads to, from 1,
// and what the best to another token pays.
type exit struct {
	best, second float64
	to           int32
}

// lift finds the exits and the kinds of all tokens.
func (g *Graph) lift() []exit {
	exits := make([]exit, len(g.Worth))
	for t := range exits {
		e, row := &exits[t], g.out(t)
		for i := range row {
			l := &row[i]
			if l.arc == 0 {
				continue
			}
			switch pays := l.spot * g.Worth[l.To]; {
			case e.to == l.To+1:
				e.best = max(e.best, pays)
			case e.to == 0 || pays > e.best:
				e.best, e.second, e.to = pays, e.best, l.To+1
			default:
				e.second = max(e.second, pays)
			}
		}
		switch {
		case !e.leadsOn(row):
			g.kinds[t] = deadEnd
		case len(row) < wellConnected:
			g.kinds[t] = other
		}
	}
	return exits
}

// fanOut gives every arc its place.
func (g *Graph) fanOut(exits []exit, scales []float32, arcs *stock) {
	g.Arcs, g.ways = make([]Arc, 0, len(g.lanes)), make([]Way, 0, len(g.lanes))
	var keys []uint64
	for t := range g.fans {
		row, was, worth := g.out(t), arcs.fan(t), g.Worth[t]
		var count [3]int32
		// Keys begin in the order of the older graph, which is nearly theirs.
		keys = keys[:0]
		for range was.end - was.start {
			keys = append(keys, math.MaxUint64) // the last, until a lane has it
		}
		// The low bits of a key are the lane's place in the row: what is
		// equal but for them stays in the order of the pools.
		low := uint64(1)<<bits.Len(uint(len(row))) - 1
		for i := range row {
			l := &row[i]
			if l.arc == 0 {
				continue
			}
			kind := g.kinds[l.To]
			count[kind]++
			falling := 1<<62 - 1 - math.Float64bits(l.spot*g.behind(l, t, exits)/worth)>>1
			key := uint64(kind)<<62 | falling&^low | uint64(i)
			if l.arc > 0 {
				keys[l.arc-1-was.start] = key
			} else {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		start := int32(len(g.Arcs))
		others := start + count[connected]
		ends := others + count[other]
		end := ends + count[deadEnd]
		g.fans[t] = fan{start, others, ends, end}
		for _, key := range keys[:end-start] {
			l := &row[key&low]
			g.Arcs = append(g.Arcs, *arcs.of(l))
			l.arc = int32(len(g.Arcs))
			a := &g.Arcs[l.arc-1]
			to := g.Worth[l.To]
			if a.Source = g.source[l.Pool]; g.rates[int(g.row[t])+int(key&low)].outOfLine {
				a.Source += uint16(len(g.Sources))
			}
			a.Lift, a.Onward = min(l.spot*to/worth, MostLift), min(l.spot*g.behind(l, t, exits)/worth, MostLift)
			g.ways = append(g.ways, Way{
				To: l.To, Rank: g.Core.Rank[l.To], Lift: float32(a.Onward), Fade: l.fade * scales[t],
				Back: float32(min(l.backSpot*worth/to, MostLift)), BackFade: l.backFade * scales[l.To],
			})
		}
	}
}

// behind is what a unit is worth at the end of a lane out of t, or behind the
// best arc to follow, if the token there is not well connected.
func (g *Graph) behind(l *lane, t int, exits []exit) float64 {
	if g.kinds[l.To] == connected {
		return g.Worth[l.To]
	}
	return exits[l.To].but(t)
}

// leadsOn says whether one can come to the token of these lanes from another
// token than one goes on to.
func (e *exit) leadsOn(row []lane) bool {
	for i := range row {
		if l := &row[i]; l.backSpot > 0 && e.but(int(l.To)) > 0 {
			return true
		}
	}
	return false
}

// but is what the best arc pays that does not lead to t.
func (e *exit) but(t int) float64 {
	if e.to == int32(t)+1 {
		return e.second
	}
	return e.best
}
