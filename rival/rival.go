// Package rival routes as others do, in integers, for the router to be measured against.
//
// Single, Grid and Fill are idealised: every pool of the market, exact quotes. Chunks,
// Tines and Uniswap follow their models, and pay what those pay.
package rival

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

// Answer is what a rival pays, in raw units of the output token, the gas of its
// pools, and its swaps in order. A pool may occur again, in the state after the swaps
// before; its gas counts once.
type Answer struct {
	Out   u256.Int
	Gas   uint64
	Steps []plan.Step
}

// Net is the output less the cost of the gas, in raw units of the output token.
func (a Answer) Net(s *market.Snapshot, token common.Address) float64 {
	no, _ := s.Token(token)
	return a.Out.Float() - float64(a.Gas)*s.GasIn(no)
}

const (
	singleHops = 5
	gridHops   = 5
	chunkHops  = 3
	fillHops   = 5
	parts      = 20 // of an order, 5% each
	fillParts  = 50 // of an order that Fill routes
	maxPaths   = 8  // of a grid
)

// Single routes the whole order along the one path that pays most, net of gas. It
// gives false if there is no path.
func Single(s *market.Snapshot, in, out common.Address, amount u256.Int) (Answer, bool) {
	t, ok := newSearch(s, in, out, singleHops)
	if !ok {
		return Answer{}, false
	}
	return t.take(t.best(amount), amount)
}

// Chunks routes the order in 20 equal parts, one after the other, each along the
// path of up to 3 hops that pays most for it after the parts before, whatever the
// gas. So does a greedy search over Kyber's simulators.
func Chunks(s *market.Snapshot, in, out common.Address, amount u256.Int) (Answer, bool) {
	t, ok := newSearch(s, in, out, chunkHops)
	if !ok {
		return Answer{}, false
	}
	clear(t.gasCost)
	return t.fill(amount, parts)
}

// Fill routes the order in 50 equal parts, one after the other, each along the path of up
// to 5 hops that pays most for it after the parts before, net of the gas of pools that
// they did not use: water-filling by marginal price.
func Fill(s *market.Snapshot, in, out common.Address, amount u256.Int) (Answer, bool) {
	t, ok := newSearch(s, in, out, fillHops)
	if !ok {
		return Answer{}, false
	}
	return t.fill(amount, fillParts)
}

// fill routes equal parts one after the other, each along its best path.
func (t *search) fill(amount u256.Int, parts int) (sum Answer, ok bool) {
	for k := range parts {
		part := partOf(amount, k+1, parts).Sub(partOf(amount, k, parts))
		if part.IsZero() {
			continue
		}
		a, ok := t.take(t.best(part), part)
		if !ok {
			return Answer{}, false
		}
		sum = sum.and(a)
	}
	return sum, true
}

// Grid splits the order between up to 8 paths that have no pool in common, in the
// best way that multiples of 5 % allow (dynamic programming).
func Grid(s *market.Snapshot, in, out common.Address, amount u256.Int) (Answer, bool) {
	t, ok := newSearch(s, in, out, gridHops)
	if !ok {
		return Answer{}, false
	}
	t.disjoint = true
	var paths [][]edge
	for size := amount; len(paths) < maxPaths; size = share(amount, 1) {
		path := t.best(size)
		if path == nil {
			break
		}
		paths = append(paths, path)
		for _, e := range path {
			t.used[e.pool] = true
		}
	}
	clear(t.used)
	var sum Answer
	done := 0
	for i, k := range t.grid(paths, amount) {
		if k == 0 {
			continue
		}
		part := share(amount, done+k).Sub(share(amount, done))
		a, ok := t.take(paths[i], part)
		if !ok {
			return Answer{}, false
		}
		sum, done = sum.and(a), done+k
	}
	return sum, done == parts
}

// grid is how many parts each path gets; nil if the paths cannot take the order.
func (t *search) grid(paths [][]edge, amount u256.Int) []int {
	// best[k] is the split of k parts between the paths so far that pays most.
	type split struct {
		net    float64
		counts []int
	}
	best := make([]*split, parts+1)
	best[0] = &split{}
	for _, path := range paths {
		next := make([]*split, parts+1)
		for k := range parts + 1 {
			net := 0.0
			if k > 0 {
				a, ok := t.quote(path, share(amount, k))
				if !ok {
					continue
				}
				net = t.net(t.out, a.Out, a.Gas)
			}
			for rest := range parts + 1 - k {
				from, at := best[rest], &next[rest+k]
				if from != nil && (*at == nil || from.net+net > (*at).net) {
					*at = &split{from.net + net, append(slices.Clip(from.counts), k)}
				}
			}
		}
		best = next
	}
	if best[parts] == nil {
		return nil
	}
	return best[parts].counts
}

// and is two answers one after the other.
func (a Answer) and(b Answer) Answer {
	return Answer{Out: a.Out.Add(b.Out), Gas: a.Gas + b.Gas, Steps: append(a.Steps[:len(a.Steps):len(a.Steps)], b.Steps...)}
}

func share(amount u256.Int, k int) u256.Int { return partOf(amount, k, parts) }

// partOf is k of so many equal parts.
func partOf(amount u256.Int, k, of int) u256.Int {
	part, _ := amount.MulDiv(u256.From(uint64(k)), u256.From(uint64(of)))
	return part
}

// execution is the pools as swaps leave them, one after the other.
type execution struct {
	s     *market.Snapshot
	pools []venue.Pool
	used  []bool
}

func newExecution(s *market.Snapshot) execution {
	return execution{s: s, pools: append([]venue.Pool(nil), s.Pools()...), used: make([]bool, len(s.Pools()))}
}

// quote is what a swap pays, and its gas if it is the first in the pool.
func (x *execution) quote(pool, in, out int, amount u256.Int) (venue.Quote, error) {
	q, err := x.pools[pool].Quote(in, out, amount)
	if x.used[pool] {
		q.Gas = 0
	}
	return q, err
}

// swap appends a swap to an answer, whose output becomes that of the swap.
func (x *execution) swap(a *Answer, pool, in, out int, amount u256.Int) error {
	q, err := x.quote(pool, in, out, amount)
	if err != nil {
		return err
	}
	a.add(x.s.Pools()[pool], in, out, amount, q)
	x.used[pool] = true
	x.pools[pool], err = x.pools[pool].Swap(in, out, amount)
	return err
}

func (a *Answer) add(p venue.Pool, in, out int, amount u256.Int, q venue.Quote) {
	a.Steps = append(a.Steps, plan.Step{Pool: p, In: in, Out: out, AmountIn: amount, AmountOut: q.Out})
	a.Out, a.Gas = q.Out, a.Gas+q.Gas
}
