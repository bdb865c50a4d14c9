package devchain

import (
	"cmp"
	"errors"
	"slices"

	"braid/u256"
	"braid/venue"
)

const (
	// tolerance is by how much a pool may pay more than when it opened before
	// it is arbitraged: above what most small trades move, so that prices still
	// move, and below what a user would call out of line.
	tolerance = 25e-4

	// maxArbitrage is how many pools one round trades on. A swap has at most 32
	// steps by default, so what one swap moved is traded back in two rounds.
	maxArbitrage = 16

	// bisections leave an amount that is right to a millionth.
	bisections = 20
)

// excess is by what part a pool pays more for in than when it opened. On a
// curve one direction has an excess when the price has moved. On an order book
// whose asks were taken neither has: it would only be traded further away.
func (p *tracked) excess(in, out int) float64 {
	return p.pool.Spot(in, out)/p.opened[in][out] - 1
}

// arbitrage is, of the pools that are most out of line, the swap that brings
// each back to where it opened.
func (t *trader) arbitrage() (orders []order) {
	for _, pools := range t.trading {
		for _, p := range pools {
			o := p.dearest()
			if p.excess(o.in, o.out) > tolerance {
				orders = append(orders, o)
			}
		}
	}
	slices.SortStableFunc(orders, func(a, b order) int { return cmp.Compare(b.excess(b.in, b.out), a.excess(a.in, a.out)) })
	orders = orders[:min(len(orders), maxArbitrage)]
	for i := range orders {
		orders[i].amount = orders[i].back()
	}
	return orders
}

// dearest is the direction with the largest excess.
func (p *tracked) dearest() order {
	best := order{tracked: p, in: 0, out: 1}
	for in := range p.opened {
		for out := range p.opened {
			if in != out && p.excess(in, out) > p.excess(best.in, best.out) {
				best.in, best.out = in, out
			}
		}
	}
	return best
}

// back is the least amount after which the pool pays no more than when it
// opened; where the pool cannot take that much, the most that it takes. Zero if
// it takes nothing.
func (o *order) back() u256.Int {
	var taken u256.Int // the most that the pool takes, and still pays more
	try := func(amount u256.Int) (enough, ok bool) {
		next, err := o.pool.Swap(o.in, o.out, amount)
		if errors.Is(err, venue.ErrTooSmall) {
			return false, true
		}
		if enough = err != nil || next.Spot(o.in, o.out) <= o.opened[o.in][o.out]; !enough {
			taken = amount
		}
		return enough, err == nil
	}
	low, high := u256.Zero, u256.FromFloat(o.pool.Depth(o.in)/1e6).Add(u256.One)
	enough, ok := try(high)
	for ; !enough && high.BitLen() < 255; enough, ok = try(high) {
		low, high = high, high.Lsh(1)
	}
	for range bisections {
		mid := low.Add(high.Sub(low).Rsh(1))
		if enough, took := try(mid); enough {
			high, ok = mid, took
		} else {
			low = mid
		}
	}
	if ok {
		return high
	}
	return taken
}
