package hanji

import (
	"slices"
	"sort"

	"braid/u256"
)

// side is one side of a book, best price first. It is never changed.
type side []level

// level is the orders of one price, with all that stands before them: shares
// and value count from the best price to the end of the level.
type level struct {
	price  u256.Int // units of Y for a unit of X
	shares u256.Int
	value  u256.Int
}

// filled is what leaves a side.
type filled struct {
	shares, value u256.Int
	levels        int // touched
}

// before is what stands before a level.
func (s side) before(i int) (shares, value u256.Int) {
	if i == 0 {
		return u256.Zero, u256.Zero
	}
	return s[i-1].shares, s[i-1].value
}

// size is what stands at a level.
func (s side) size(i int) u256.Int {
	shares, _ := s.before(i)
	return s[i].shares.Sub(shares)
}

// fill takes that many shares; false if there are not so many.
func (s side) fill(shares u256.Int) (filled, bool) {
	i := sort.Search(len(s), func(i int) bool { return !s[i].shares.Lt(shares) })
	if i == len(s) {
		return filled{}, false
	}
	n, value := s.before(i)
	return filled{shares, value.Add(shares.Sub(n).Mul(s[i].price)), i + 1}, true
}

// spend takes as many shares as cost no more than the budget.
func (s side) spend(budget u256.Int) filled {
	i := sort.Search(len(s), func(i int) bool { return s[i].value.Gt(budget) })
	shares, value := s.before(i)
	if i == len(s) {
		return filled{shares, value, i}
	}
	more := budget.Sub(value).Div(s[i].price)
	return filled{shares.Add(more), value.Add(more.Mul(s[i].price)), i + 1}
}

// without is the side after so many shares, which it has, were taken.
func (s side) without(shares u256.Int) side {
	i := sort.Search(len(s), func(i int) bool { return s[i].shares.Gt(shares) })
	if i == len(s) {
		return nil
	}
	n, _ := s.before(i)
	return s.change(0, i+1, level{price: s[i].price, shares: s.size(i).Sub(shares.Sub(n))})
}

// change puts a level, if it has shares, in the place of those from i up to j.
// The shares it comes with are its own.
func (s side) change(i, j int, l level) side {
	next := make(side, 0, len(s)+1)
	next = append(next, s[:i]...)
	add := func(price, size u256.Int) {
		shares, value := next.before(len(next))
		next = append(next, level{price, shares.Add(size), value.Add(size.Mul(price))})
	}
	if !l.shares.IsZero() {
		add(l.price, l.shares)
	}
	for k := j; k < len(s); k++ {
		add(s[k].price, s.size(k))
	}
	return next
}

// with is the side after shares were placed at a price; asks rise and bids
// fall from the best.
func (s side) with(price, shares u256.Int, rising bool) side {
	i, found := s.find(price, rising)
	if found {
		return s.change(i, i+1, level{price: price, shares: s.size(i).Add(shares)})
	}
	return s.change(i, i, level{price: price, shares: shares})
}

// less is the side after shares were taken off a price; false if they did not
// stand there.
func (s side) less(price, shares u256.Int, rising bool) (side, bool) {
	i, found := s.find(price, rising)
	if !found || s.size(i).Lt(shares) {
		return nil, false
	}
	return s.change(i, i+1, level{price: price, shares: s.size(i).Sub(shares)}), true
}

func (s side) find(price u256.Int, rising bool) (int, bool) {
	return slices.BinarySearchFunc(s, price, func(l level, price u256.Int) int {
		if rising {
			return l.price.Cmp(price)
		}
		return price.Cmp(l.price)
	})
}
