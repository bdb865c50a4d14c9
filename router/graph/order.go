package graph

import (
	"math"
	"math/bits"
	"slices"

	"braid/market"
)

// span is where a token's links stand: those to hubs, those to others from which one can
// go on, those to dead ends.
type span struct{ start, others, ends, end int32 }

// Kinds of tokens, in the order of a span.
const (
	hub = iota
	other
	deadEnd
)

// exit is what the best link out of a token pays, the token it leads to, from 1, and what
// the best to another token pays.
type exit struct {
	best, second float64
	to           int32
}

// sortTokens finds the exits and the kinds of all tokens.
func (g *Graph) sortTokens() []exit {
	exits := make([]exit, len(g.Ref))
	for t := range exits {
		e := &exits[t]
		row, first := g.market.Out(t)
		for i := range row {
			d := &row[i]
			if d.Supply == nil {
				continue
			}
			switch pays := d.Spot * g.Ref[d.To]; {
			case e.to == d.To+1:
				e.best = max(e.best, pays)
			case e.to == 0 || pays > e.best:
				e.best, e.second, e.to = pays, e.best, d.To+1
			default:
				e.second = max(e.second, pays)
			}
		}
		switch {
		case !g.leadsOn(e, row, first):
			g.kinds[t] = deadEnd
		case len(row) < hubLinks:
			g.kinds[t] = other
		}
	}
	return exits
}

// sortLinks gives every link its place.
func (g *Graph) sortLinks(exits []exit, scales []float32, old *Graph, from []int32) {
	g.Links, g.bounds = make([]Link, 0, len(from)), make([]LinkBound, 0, len(from))
	var keys []uint64
	for t := range g.spans {
		row, first := g.market.Out(t)
		var was span
		if t < len(old.spans) {
			was = old.spans[t]
		}
		var count [3]int32
		// Keys begin in the order of the older graph, which is nearly theirs.
		keys = keys[:0]
		for range was.end - was.start {
			keys = append(keys, math.MaxUint64) // the last, until a link has it
		}
		// The low bits of a key are the direction's place in the row: what is equal but for
		// them stays in the order of the pools.
		low := uint64(1)<<bits.Len(uint(len(row))) - 1
		for i := range row {
			d := &row[i]
			if d.Supply == nil {
				continue
			}
			kind := g.kinds[d.To]
			count[kind]++
			falling := 1<<62 - 1 - math.Float64bits(d.Spot*g.behind(d, t, exits)/g.Ref[t])>>1
			key := uint64(kind)<<62 | falling&^low | uint64(i)
			if k := from[first+i]; k >= 0 {
				keys[old.link[k]-1-was.start] = key
			} else {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		start := int32(len(g.Links))
		others := start + count[hub]
		ends := others + count[other]
		g.spans[t] = span{start, others, ends, ends + count[deadEnd]}
		for _, key := range keys[:g.spans[t].end-start] {
			g.add(t, first+int(key&low), &row[key&low], exits, scales)
		}
	}
}

// add appends the link of a direction.
func (g *Graph) add(t, no int, d *market.Direction, exits []exit, scales []float32) {
	value, to, r := g.Ref[t], g.Ref[d.To], &g.rates[no]
	l := Link{Direction: *d, Ratio: min(d.Spot*to/value, MaxRatio), Onward: min(d.Spot*g.behind(d, t, exits)/value, MaxRatio)}
	if g.market.Contradicts(no) {
		l.Source += uint16(len(g.Sources))
	}
	g.Links = append(g.Links, l)
	g.link[no] = int32(len(g.Links))
	g.bounds = append(g.bounds, LinkBound{
		To: d.To, Rank: g.Core.Rank[d.To], Ratio: float32(l.Onward), Impact: r.impact * scales[t],
		Back: float32(min(r.backSpot*value/to, MaxRatio)), BackImpact: r.backImpact * scales[d.To],
	})
}

// behind is what a unit is worth at the end of a direction out of t, or behind the best
// link to follow, if the token there is no hub.
func (g *Graph) behind(d *market.Direction, t int, exits []exit) float64 {
	if g.kinds[d.To] == hub {
		return g.Ref[d.To]
	}
	return exits[d.To].but(t)
}

// leadsOn says whether one can come to the token of these directions from another token
// than one goes on to.
func (g *Graph) leadsOn(e *exit, row []market.Direction, first int) bool {
	for i := range row {
		if g.rates[first+i].backSpot > 0 && e.but(int(row[i].To)) > 0 {
			return true
		}
	}
	return false
}

// but is what the best link pays that does not lead to t.
func (e *exit) but(t int) float64 {
	if e.to == int32(t)+1 {
		return e.second
	}
	return e.best
}
