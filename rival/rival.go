// Package rival routes as others do, in integers, for the router to be measured against.
//
// Each rival has an advantage over its model: every pool of the market, exact
// quotes, and gas only for the first use of a pool.
package rival

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/u256"
	"braid/venue"
)

// Answer is what a rival pays, in raw units of the output token, and the gas of its
// pools.
type Answer struct {
	Out u256.Int
	Gas uint64
}

const (
	maxHops  = 5
	parts    = 20 // of an order, 5% each
	maxPaths = 8  // of a grid
)

// Single routes the whole order along the one path that pays most, net of gas. It
// gives false if there is no path.
func Single(s *market.Snapshot, in, out common.Address, amount u256.Int) (Answer, bool) {
	t, ok := newSearch(s, in, out)
	if !ok {
		return Answer{}, false
	}
	return t.quote(t.best(amount), amount)
}

// Chunks routes the order in 20 equal parts, one after the other, each along the
// path that pays most for it after the parts before (greedy).
func Chunks(s *market.Snapshot, in, out common.Address, amount u256.Int) (Answer, bool) {
	t, ok := newSearch(s, in, out)
	if !ok {
		return Answer{}, false
	}
	var sum Answer
	for k := range parts {
		part := share(amount, k+1).Sub(share(amount, k))
		path := t.best(part)
		if path == nil {
			return Answer{}, false
		}
		for _, e := range path {
			q, err := t.pools[e.Pool].Quote(e.In, e.Out, part)
			if err != nil {
				return Answer{}, false
			}
			if t.pools[e.Pool], err = t.pools[e.Pool].Swap(e.In, e.Out, part); err != nil {
				return Answer{}, false
			}
			sum.Gas += t.gas(e.Pool, q)
			t.used[e.Pool] = true
			part = q.Out
		}
		sum.Out = sum.Out.Add(part)
	}
	return sum, true
}

// Grid splits the order between up to 8 paths that have no pool in common, in the
// best way that multiples of 5 % allow (dynamic programming).
func Grid(s *market.Snapshot, in, out common.Address, amount u256.Int) (Answer, bool) {
	t, ok := newSearch(s, in, out)
	if !ok {
		return Answer{}, false
	}
	t.disjoint = true
	// best[k] is the most that the paths so far pay for k parts.
	best, known := make([]Answer, parts+1), make([]bool, parts+1)
	known[0] = true
	size := amount
	for range maxPaths {
		path := t.best(size)
		if size = share(amount, 1); path == nil {
			continue
		}
		next, reached := append([]Answer(nil), best...), append([]bool(nil), known...)
		for k := 1; k <= parts; k++ {
			a, ok := t.quote(path, share(amount, k))
			for rest := 0; ok && rest+k <= parts; rest++ {
				sum := Answer{best[rest].Out.Add(a.Out), best[rest].Gas + a.Gas}
				if at := rest + k; known[rest] && (!reached[at] || t.net(t.out, sum.Out, sum.Gas) > t.net(t.out, next[at].Out, next[at].Gas)) {
					next[at], reached[at] = sum, true
				}
			}
		}
		best, known = next, reached
		for _, e := range path {
			t.used[e.Pool] = true
		}
	}
	return best[parts], known[parts]
}

func share(amount u256.Int, k int) u256.Int {
	part, _ := amount.MulDiv(u256.From(uint64(k)), u256.From(parts))
	return part
}

// Net is the output less the cost of the gas, in raw units of the output token.
func (a Answer) Net(s *market.Snapshot, token common.Address) float64 {
	no, _ := s.Token(token)
	return a.Out.Float() - float64(a.Gas)*s.GasIn(no)
}

// search looks for paths from one token to another by labels per hop.
type search struct {
	s        *market.Snapshot
	pools    []venue.Pool // as the order has left them
	used     []bool
	disjoint bool // paths may not share pools
	in, out  int
	gasCost  []float64 // of a unit of gas, by token
	seen     [maxHops + 1][]label
}

// label is the best known path to a token with a given number of hops.
type label struct {
	amount u256.Int
	gas    uint64
	from   int
	edge   market.Edge
}

func newSearch(s *market.Snapshot, in, out common.Address) (*search, bool) {
	i, known := s.Token(in)
	o, knownToo := s.Token(out)
	if !known || !knownToo || i == o {
		return nil, false
	}
	t := &search{s: s, pools: append([]venue.Pool(nil), s.Pools()...), used: make([]bool, len(s.Pools())), in: i, out: o}
	for n := range s.Tokens() {
		t.gasCost = append(t.gasCost, s.GasIn(n))
	}
	for k := range t.seen {
		t.seen[k] = make([]label, len(s.Tokens()))
	}
	return t, true
}

func (t *search) net(token int, amount u256.Int, gas uint64) float64 {
	return amount.Float() - float64(gas)*t.gasCost[token]
}

// gas of a pool's first use.
func (t *search) gas(pool int, q venue.Quote) uint64 {
	if t.used[pool] {
		return 0
	}
	return q.Gas
}

// best is the path that pays most for an amount; nil if there is none.
func (t *search) best(amount u256.Int) []market.Edge {
	for k := range t.seen {
		clear(t.seen[k])
	}
	t.seen[0][t.in] = label{amount: amount}
	end, hops := label{}, 0
	for k := range maxHops {
		for from := range t.seen[k] {
			if l := &t.seen[k][from]; !l.amount.IsZero() && from != t.out {
				t.extend(k, from, l)
			}
		}
		if l := t.seen[k+1][t.out]; !l.amount.IsZero() && (hops == 0 || t.net(t.out, l.amount, l.gas) > t.net(t.out, end.amount, end.gas)) {
			end, hops = l, k+1
		}
	}
	if hops == 0 {
		return nil
	}
	path := make([]market.Edge, hops)
	for k, l := hops, end; k > 0; k-- {
		path[k-1] = l.edge
		l = t.seen[k-1][l.from]
	}
	return path
}

func (t *search) extend(k, from int, l *label) {
	for e := range t.s.Edges(from) {
		if t.disjoint && t.used[e.Pool] || t.crosses(k, from, e) {
			continue
		}
		q, err := t.pools[e.Pool].Quote(e.In, e.Out, l.amount)
		if err != nil {
			continue
		}
		gas, there := l.gas+t.gas(e.Pool, q), &t.seen[k+1][e.To]
		if there.amount.IsZero() || t.net(e.To, q.Out, gas) > t.net(e.To, there.amount, there.gas) {
			*there = label{amount: q.Out, gas: gas, from: from, edge: e}
		}
	}
}

// crosses says whether an edge leads to a token, or uses a pool, that the path
// already has.
func (t *search) crosses(k, from int, e market.Edge) bool {
	for {
		if from == e.To {
			return true
		}
		if k == 0 {
			return false
		}
		l := &t.seen[k][from]
		if l.edge.Pool == e.Pool {
			return true
		}
		k, from = k-1, l.from
	}
}

// quote is what a path pays for an amount.
func (t *search) quote(path []market.Edge, amount u256.Int) (Answer, bool) {
	a := Answer{Out: amount}
	for _, e := range path {
		q, err := t.pools[e.Pool].Quote(e.In, e.Out, a.Out)
		if err != nil {
			return Answer{}, false
		}
		a.Out, a.Gas = q.Out, a.Gas+q.Gas
	}
	return a, path != nil
}
