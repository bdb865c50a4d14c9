package router

import (
	"fmt"
	"sync"

	"braid/market"
	"braid/plan"
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
	gasCost  float64 // of a unit of gas in the last token; 0 when unknown

	banned  []bool        // by source, and then by source of pools out of line
	inLine  bool          // pools out of line are left out
	strayed bool          // pools out of line made a difference
	far     bool          // paths of all hops may join
	closed  []*market.Arc // that are not to be used
	shutOut []bool        // by token: may not be in mid-route; nil if all may
	outlook *outlook      // in use
	ahead   outlook       // to the last token
	around  outlook       // to the nodes of the net
	layers  []layer
	columns []column
	net     net
	anew    bool  // the same, while legs are displaced
	whole   bool  // only such that begin at the first token
	mute    bool  // none that begin where circles were seen
	circles bool  // paths led back with a gain to where they began
	aside   draft // before legs were displaced
	barred  struct {
		gain float64
		path []hop
	}

	path plan.Plan // the best single path, if one carries the order

	tooSmall, tooLarge bool // what pools said in the last search

	// What makes a plan doubtful.
	full    bool    // pools could not carry all
	tangled bool    // paths were barred or led back
	lots    bool    // legs paid far less than their floats
	hoped   float64 // what floats pay, gas aside
}

var finders = sync.Pool{New: func() any { return new(finder) }}

// newFinder begins a search, with pools that contradict the prices of their
// tokens or without.
func newFinder(s *market.Snapshot, o Order, outOfLine bool) (*finder, error) {
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
	f.path, f.full, f.tangled, f.lots, f.hoped = plan.Plan{}, false, false, false, 0
	f.maxSteps = o.MaxSteps
	if f.maxSteps <= 0 {
		f.maxSteps = DefaultMaxSteps
	}
	f.hops = o.MaxHops
	if f.hops <= 0 {
		f.hops = DefaultMaxHops
	}
	f.hops = min(f.hops, f.maxSteps, maxHops)
	f.ban(o.Exclude, outOfLine)
	if f.shutOut = nil; o.VerifiedHops {
		f.shutOut = f.g.Unlisted
	}
	f.makeRoom()
	f.inLine = !outOfLine
	f.gasCost = f.gasIn(out)
	f.strayed = f.gasCost != s.GasInLine(out)
	f.net.reset(f)
	if f.net.effort, f.net.budget = 0, o.Budget; o.Budget <= 0 {
		f.net.budget = DefaultBudget * f.maxSteps
	}
	return f, nil
}

func (f *finder) release() {
	f.forget()
	f.ahead.forget()
	f.around.forget()
	f.net.forget()
	clear(f.aside.legs[:cap(f.aside.legs)])
	f.barred.gain, f.barred.path = 0, nil
	clear(f.columns)
	f.open()
	f.s, f.g, f.pools, f.shutOut, f.path = nil, nil, nil, nil, plan.Plan{}
	finders.Put(f)
}

// grown is the slice with n elements; those it had keep their values.
func grown[T any](a []T, n int) []T {
	if n <= cap(a) {
		return a[:n]
	}
	return append(a[:cap(a)], make([]T, n-cap(a))...)
}

func (f *finder) ban(exclude map[string]bool, outOfLine bool) {
	f.banned = f.banned[:0]
	for _, row := range f.g.Sources {
		f.banned = append(f.banned, exclude[row.ID])
	}
	for _, banned := range f.banned {
		f.banned = append(f.banned, banned || !outOfLine)
	}
}

// gasIn is the cost of a unit of gas in a token; 0 when unknown.
func (f *finder) gasIn(token int) float64 {
	if f.inLine {
		return f.s.GasInLine(token)
	}
	return f.s.GasIn(token)
}

// meet notes an arc that a path gains by, if its pool is out of line.
func (f *finder) meet(a *market.Arc) {
	f.strayed = f.strayed || int(a.Source) >= len(f.g.Sources)
}

// shut says whether paths may not lead through a token.
func (f *finder) shut(t int) bool { return f.shutOut != nil && f.shutOut[t] }

// makeRoom has labels and outlooks for every token.
func (f *finder) makeRoom() {
	for len(f.layers) <= f.hops {
		f.layers = append(f.layers, layer{})
	}
	for k := range f.layers {
		f.layers[k].slot = grown(f.layers[k].slot, len(f.s.Tokens()))
	}
	f.ahead.best = grown(f.ahead.best, len(f.s.Tokens()))
	f.around.best = grown(f.around.best, len(f.s.Tokens()))
}

// beats compares two outputs net of their gas, of which less than a unit
// counts too.
func (n *net) beats(out u256.Int, gas uint64, other u256.Int, otherGas uint64) bool {
	burns := n.gasCost * (float64(gas) - float64(otherGas))
	if out.Lt(other) {
		return -other.Sub(out).Float() > burns
	}
	return out.Sub(other).Float() > burns
}
