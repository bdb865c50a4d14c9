package router

import (
	"fmt"
	"sync"

	"braid/market"
	"braid/venue"
)

// finder is the memory of one search. Tokens and pools go by the snapshot's
// numbers.
type finder struct {
	s        *market.Snapshot
	pools    []venue.Pool
	in, out  int
	hops     int
	maxSteps int

	banned []bool // pools of excluded sources; empty when there are none
	arcs   []arc  // edges worth trying, token by token
	fans   []span // where a token's arcs stand

	layers []layer
	floor  float64 // what a path must pay to be of interest
	net    net

	tooSmall, tooLarge bool // what pools said in the last search
}

// arc is an edge and its price before the trade: no amount gets a better one.
type arc struct {
	*market.Edge
	spot float64
	rate float64 // what is left of spot under the flow
}

type span struct{ start, end int }

var finders = sync.Pool{New: func() any { return new(finder) }}

func newFinder(s *market.Snapshot, o Order) (*finder, error) {
	in, ok := s.Token(o.TokenIn)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownToken, o.TokenIn)
	}
	out, ok := s.Token(o.TokenOut)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownToken, o.TokenOut)
	}
	if in == out {
		return nil, ErrNoRoute
	}
	f := finders.Get().(*finder)
	f.s, f.pools, f.in, f.out = s, s.Pools(), in, out
	f.maxSteps = o.MaxSteps
	if f.maxSteps <= 0 {
		f.maxSteps = DefaultMaxSteps
	}
	f.hops = o.MaxHops
	if f.hops <= 0 {
		f.hops = DefaultMaxHops
	}
	f.hops = min(f.hops, f.maxSteps)
	f.ban(o.Exclude)
	f.look()
	f.net.reset(f, o.AmountIn)
	return f, nil
}

func (f *finder) release() {
	f.forget()
	f.net.forget()
	clear(f.arcs)
	f.s, f.pools = nil, nil
	finders.Put(f)
}

// grown is the slice with n elements; those it had keep their values.
func grown[T any](a []T, n int) []T {
	if n <= cap(a) {
		return a[:n]
	}
	return append(a[:cap(a)], make([]T, n-cap(a))...)
}

func (f *finder) ban(exclude map[string]bool) {
	f.banned = f.banned[:0]
	if len(exclude) == 0 {
		return
	}
	for _, p := range f.pools {
		f.banned = append(f.banned, exclude[p.Info().Source.ID])
	}
}

func (f *finder) usable(pool int) bool { return len(f.banned) == 0 || !f.banned[pool] }

// look lists the edges that may lie on a path.
func (f *finder) look() {
	tokens := len(f.s.Tokens())
	f.arcs, f.fans = f.arcs[:0], grown(f.fans, tokens)
	for t := range tokens {
		start := len(f.arcs)
		edges := f.s.Edges(t)
		for i := range edges {
			e := &edges[i]
			if t == f.out || e.To == f.in || !f.usable(e.Pool) || (e.To != f.out && !f.leadsOn(e.To)) {
				continue
			}
			if spot := f.pools[e.Pool].Spot(e.In, e.Out); spot > 0 {
				f.arcs = append(f.arcs, arc{Edge: e, spot: spot})
			}
		}
		f.fans[t] = span{start, len(f.arcs)}
	}
	for len(f.layers) <= f.hops {
		f.layers = append(f.layers, layer{})
	}
	for k := range f.layers {
		l := &f.layers[k]
		l.at, l.best = grown(l.at, tokens), grown(l.best, tokens)
	}
}

// bound walks back from the last token and sees what a unit of each token can
// bring at most, given the flow.
func (f *finder) bound() {
	for i := range f.arcs {
		e := &f.arcs[i]
		e.rate = f.net.rate(e)
	}
	for k := range f.hops {
		best := f.layers[k].best
		clear(best)
		best[f.out] = 1
		for t := 0; t < len(f.fans) && k > 0; t++ {
			fan, before := f.fan(t), f.layers[k-1].best
			for i := range fan {
				if b := fan[i].rate * before[fan[i].To]; b > best[t] {
					best[t] = b
				}
			}
		}
	}
}

func (f *finder) fan(t int) []arc { return f.arcs[f.fans[t].start:f.fans[t].end] }

// leadsOn says whether a token has more than one neighbour: others only end
// a path.
func (f *finder) leadsOn(token int) bool {
	first := -1
	for i := range f.s.Edges(token) {
		e := &f.s.Edges(token)[i]
		if !f.usable(e.Pool) {
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
