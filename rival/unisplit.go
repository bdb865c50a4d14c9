package rival

import (
	"cmp"
	"slices"

	"braid/u256"
)

// uniQuote is what a path pays for a part of the order.
type uniQuote struct {
	edges  []edge
	part   u256.Int
	answer Answer
	net    float64
}

// uniSplit is paths for a part of the order. The last one has the smallest part.
type uniSplit struct {
	quotes []*uniQuote
	last   int // part of the last path, in units of uniPercent
	left   int // what has no path yet, in the same units
}

// split combines paths, best first, one more at a time, as long as that pays more.
func (u *Uniswap) split(paths []uniPath, to int, amount u256.Int) (Answer, bool) {
	const units = 100 / uniPercent
	var quotes [units + 1][]uniQuote // by part; best first
	for k := 1; k <= units; k++ {
		part, _ := amount.MulDiv(u256.From(uint64(k)), u256.From(units))
		quotes[k] = u.quotes(paths, to, part)
	}
	var best []*uniQuote
	var open []uniSplit
	for k := units; k > 0; k-- {
		// Each search begins with the best and the second best path.
		for i := range min(2, len(quotes[k])) {
			open = append(open, uniSplit{[]*uniQuote{&quotes[k][i]}, k, units - k})
		}
	}
	if len(quotes[units]) > 0 {
		best = open[0].quotes
	}
	for size := 2; size <= uniSplits && (size == 2 || best == nil || len(best) == size-1); size++ {
		var next []uniSplit
		for _, s := range open {
			for k := min(s.last, s.left); k > 0; k-- {
				q := firstDisjoint(quotes[k], s.quotes)
				if q == nil {
					continue
				}
				more := append(slices.Clip(s.quotes), q)
				if k < s.left {
					next = append(next, uniSplit{more, k, s.left - k})
				} else if best == nil || netOf(more) > netOf(best) {
					best = more
				}
			}
		}
		open = next
	}
	return u.complete(best, to, amount)
}

// quotes is what the paths pay for a part, best first.
func (u *Uniswap) quotes(paths []uniPath, to int, part u256.Int) (list []uniQuote) {
	gas := u.s.GasIn(to)
	for _, path := range paths {
		if q, ok := u.quote(path.edges, part, gas); ok {
			list = append(list, q)
		}
	}
	slices.SortStableFunc(list, func(a, b uniQuote) int { return cmp.Compare(b.net, a.net) })
	return list
}

// quote is what a path pays, where gas is the price of a unit of gas in raw units.
func (u *Uniswap) quote(path []edge, part u256.Int, gas float64) (uniQuote, bool) {
	a := Answer{Out: part}
	for _, e := range path {
		p := u.s.Pools()[e.pool]
		q, err := p.Quote(e.in, e.out, a.Out)
		if err != nil {
			return uniQuote{}, false
		}
		a.add(p, e.in, e.out, a.Out, q)
	}
	return uniQuote{path, part, a, a.Out.Float() - gas*float64(a.Gas)}, true
}

func netOf(quotes []*uniQuote) (sum float64) {
	for _, q := range quotes {
		sum += q.net
	}
	return sum
}

// firstDisjoint is the best quote that uses no pool of others.
func firstDisjoint(quotes []uniQuote, others []*uniQuote) *uniQuote {
	for i := range quotes {
		if !slices.ContainsFunc(quotes[i].edges, func(e edge) bool {
			return slices.ContainsFunc(others, func(o *uniQuote) bool {
				return slices.ContainsFunc(o.edges, func(f edge) bool { return e.pool == f.pool })
			})
		}) {
			return &quotes[i]
		}
	}
	return nil
}

// complete adds what rounding left of the order to the last path.
func (u *Uniswap) complete(quotes []*uniQuote, to int, amount u256.Int) (sum Answer, ok bool) {
	for i, q := range quotes {
		part := *q
		if i+1 == len(quotes) && amount != q.part {
			if part, ok = u.quote(q.edges, amount, 0); !ok {
				return Answer{}, false
			}
		}
		amount = amount.Sub(q.part)
		sum = sum.and(part.answer)
	}
	return sum, len(quotes) > 0
}
