package router

import (
	"fmt"
	"sync"

	"braid/market"
	"braid/u256"
	"braid/venue"
)

// finder is the memory of one search. Tokens and pools go by the snapshot's
// numbers.
type finder struct {
	s        *market.Snapshot
	g        *market.Graph
	pools    []venue.Pool
	in, out  int
	hops     int
	maxSteps int

	banned  []bool  // by source
	entries []entry // arcs into the last token, if it has not too many
	layers  []layer
	columns []column
	net     net

	tooSmall, tooLarge bool // what pools said in the last search
}

// entry is an arc with the token it leaves.
type entry struct {
	from int
	arc  market.Arc
}

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
	f.s, f.g, f.pools, f.in, f.out = s, s.Graph(), s.Pools(), in, out
	f.maxSteps = o.MaxSteps
	if f.maxSteps <= 0 {
		f.maxSteps = DefaultMaxSteps
	}
	f.hops = o.MaxHops
	if f.hops <= 0 {
		f.hops = DefaultMaxHops
	}
	f.hops = min(f.hops, f.maxSteps, maxHops)
	f.ban(o.Exclude)
	f.look()
	f.net.reset(f)
	return f, nil
}

func (f *finder) release() {
	f.forget()
	f.net.forget()
	clear(f.entries)
	clear(f.columns)
	f.s, f.g, f.pools = nil, nil, nil
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
	for _, row := range f.g.Sources {
		f.banned = append(f.banned, exclude[row.ID])
	}
}

// narrow is how many arcs a token may have for those into it to be gathered.
const narrow = 128

// look gathers the ways into a last token that no fan may show, and makes room
// for labels.
func (f *finder) look() {
	f.entries = f.entries[:0]
	if !f.g.LeadsOn(f.out) || len(f.g.All(f.out)) <= narrow {
		f.g.Into(f.out, func(from int, a market.Arc) { f.entries = append(f.entries, entry{from, a}) })
	}
	for len(f.layers) <= f.hops {
		f.layers = append(f.layers, layer{})
	}
	for k := range f.layers {
		f.layers[k].slot = grown(f.layers[k].slot, len(f.s.Tokens()))
	}
}

// gasCost of a unit of gas in the last token; 0 when unknown.
func (f *finder) gasCost() float64 {
	native, out := f.s.USD(f.s.Chain().WrappedNative), f.s.Price(f.out).USD
	if native == 0 || out == 0 {
		return 0
	}
	return f.s.GasPrice().Float() * native / out
}

// cost of gas in the last token, rounded down.
func (n *net) cost(gas uint64) u256.Int { return u256.FromFloat(n.gasCost * float64(gas)) }

// beats compares two outputs net of their gas.
func (n *net) beats(out u256.Int, gas uint64, other u256.Int, otherGas uint64) bool {
	a, aOver := out.AddOver(n.cost(otherGas))
	b, bOver := other.AddOver(n.cost(gas))
	if aOver != bOver {
		return aOver
	}
	return a.Gt(b)
}
