package devchain

import (
	"cmp"
	"errors"
	"slices"

	"braid/u256"
	"braid/venue"
)

const (
	// maxExcess is the excess up to which a pool is left alone: more than most small
	// trades cause, so that prices still move, and less than users would notice.
	maxExcess = 25e-4

	// maxArbitrage is the largest number of pools of one round. A swap has at most
	// 32 steps by default, so two rounds undo what one swap did.
	maxArbitrage = 16

	// bisections of an interval that leave an error of a millionth of it.
	bisections = 20
)

// excess is the relative difference between what a pool pays for in now and what
// it paid at the opening. If the price of a curve has moved, one direction has a
// positive excess. An order book of which asks were filled has none in either
// direction: a swap would only move its price further.
func (p *tracked) excess(in, out int) float64 {
	return p.pool.Spot(in, out)/p.opened[in][out] - 1
}

// arbitrage is, for each of the pools with the largest excess, the swap that brings
// it back to its opening price.
func (t *trader) arbitrage() (orders []order) {
	for _, pools := range t.trading {
		for _, p := range pools {
			o := p.bestDirection()
			if p.excess(o.in, o.out) > maxExcess {
				orders = append(orders, o)
			}
		}
	}
	slices.SortStableFunc(orders, func(a, b order) int { return cmp.Compare(b.excess(b.in, b.out), a.excess(a.in, a.out)) })
	orders = orders[:min(len(orders), maxArbitrage)]
	for i := range orders {
		orders[i].amount = orders[i].restoringAmount()
	}
	return orders
}

// bestDirection is the direction with the largest excess.
func (p *tracked) bestDirection() order {
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

// restoringAmount is the least amount, in raw units, after which the pool pays no
// more than at the opening; if the pool cannot take that much, the most that it
// takes; 0 if it takes nothing.
func (o *order) restoringAmount() u256.Int {
	var taken u256.Int // the largest amount tried that the pool takes and after which it still pays more
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
