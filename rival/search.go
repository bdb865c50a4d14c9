package rival

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/u256"
)

// search looks for paths from one token to another by labels per hop.
type search struct {
	execution
	rows     [][]edge // by token
	disjoint bool     // paths may not share pools
	in, out  int
	gasCost  []float64 // of a unit of gas, by token
	seen     [][]label // by hops and token
}

// edge is a swap that a pool can make.
type edge struct {
	pool, to int
	in, out  int // positions in the pool
}

// label is the best known path to a token with a given number of hops.
type label struct {
	amount u256.Int
	gas    uint64
	from   int
	edge   edge
}

func newSearch(s *market.Snapshot, in, out common.Address, hops int) (*search, bool) {
	i, known := s.Token(in)
	o, knownToo := s.Token(out)
	if !known || !knownToo || i == o {
		return nil, false
	}
	t := &search{execution: newExecution(s), rows: make([][]edge, len(s.Tokens())), in: i, out: o, seen: make([][]label, hops+1)}
	for n, p := range s.Pools() {
		for in, a := range p.Info().Tokens {
			from, _ := s.Token(a)
			for out, b := range p.Info().Tokens {
				if to, _ := s.Token(b); in != out {
					t.rows[from] = append(t.rows[from], edge{n, to, in, out})
				}
			}
		}
	}
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

// best is the path that pays most for an amount; nil if there is none.
func (t *search) best(amount u256.Int) []edge {
	for k := range t.seen {
		clear(t.seen[k])
	}
	t.seen[0][t.in] = label{amount: amount}
	end, hops := label{}, 0
	for k := range len(t.seen) - 1 {
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
	path := make([]edge, hops)
	for k, l := hops, end; k > 0; k-- {
		path[k-1] = l.edge
		l = t.seen[k-1][l.from]
	}
	return path
}

func (t *search) extend(k, from int, l *label) {
	for _, e := range t.rows[from] {
		if t.disjoint && t.used[e.pool] || t.crosses(k, from, e) {
			continue
		}
		q, err := t.execution.quote(e.pool, e.in, e.out, l.amount)
		if err != nil {
			continue
		}
		gas, there := l.gas+q.Gas, &t.seen[k+1][e.to]
		if there.amount.IsZero() || t.net(e.to, q.Out, gas) > t.net(e.to, there.amount, there.gas) {
			*there = label{amount: q.Out, gas: gas, from: from, edge: e}
		}
	}
}

// crosses says whether an edge leads to a token, or uses a pool, that the path
// already has.
func (t *search) crosses(k, from int, e edge) bool {
	for {
		if from == e.to {
			return true
		}
		if k == 0 {
			return false
		}
		l := &t.seen[k][from]
		if l.edge.pool == e.pool {
			return true
		}
		k, from = k-1, l.from
	}
}

// quote is what a path pays for an amount.
func (t *search) quote(path []edge, amount u256.Int) (Answer, bool) {
	a := Answer{Out: amount}
	for _, e := range path {
		q, err := t.execution.quote(e.pool, e.in, e.out, a.Out)
		if err != nil {
			return Answer{}, false
		}
		a.add(t.s.Pools()[e.pool], e.in, e.out, a.Out, q)
	}
	return a, path != nil
}

// take swaps an amount along a path.
func (t *search) take(path []edge, amount u256.Int) (Answer, bool) {
	a := Answer{Out: amount}
	for _, e := range path {
		if err := t.swap(&a, e.pool, e.in, e.out, a.Out); err != nil {
			return Answer{}, false
		}
	}
	return a, path != nil
}
