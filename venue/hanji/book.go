package hanji

import (
	"braid/sequence"
	"braid/u256"
)

// side is one side of a book: its levels, best price first. It never changes.
type side struct {
	sequence.List[level]
	sums *sums
}

// level is the orders of one price.
type level struct {
	price  u256.Int // units of Y for a unit of X
	shares u256.Int
}

// newSide is the side of these levels.
func newSide(levels sequence.List[level]) side { return side{levels, &sums{}} }

// with is the side after shares were placed at a price; asks rise and bids
// fall from the best.
func (s side) with(price, shares u256.Int, rising bool) side {
	i, found := s.find(price, rising)
	if found {
		return s.change(i, i+1, level{price, s.At(i).shares.Add(shares)})
	}
	return s.change(i, i, level{price, shares})
}

// less is the side after shares were taken off a price; false if they did not
// stand there.
func (s side) less(price, shares u256.Int, rising bool) (side, bool) {
	i, found := s.find(price, rising)
	if !found || s.At(i).shares.Lt(shares) {
		return side{}, false
	}
	return s.change(i, i+1, level{price, s.At(i).shares.Sub(shares)}), true
}

// take is the side after so many shares were taken from the best levels, and
// what they are worth; false if there are not so many.
func (s side) take(shares u256.Int) (rest side, value u256.Int, ok bool) {
	for i := 0; i < s.Len(); i++ {
		l := s.At(i)
		if shares.Lt(l.shares) {
			return s.change(0, i+1, level{l.price, l.shares.Sub(shares)}), value.Add(shares.Mul(l.price)), true
		}
		shares, value = shares.Sub(l.shares), value.Add(l.shares.Mul(l.price))
	}
	return side{}, value, shares.IsZero()
}

// change puts a level, if it has shares, in the place of those from i up to j.
func (s side) change(i, j int, l level) side {
	if l.shares.IsZero() {
		return newSide(s.Splice(i, j))
	}
	return newSide(s.Splice(i, j, l))
}

// find is the place of a price, and whether there is a level.
func (s side) find(price u256.Int, rising bool) (i int, found bool) {
	i = s.Search(func(l *level) bool {
		if rising {
			return !l.price.Lt(price)
		}
		return !l.price.Gt(price)
	})
	return i, i < s.Len() && s.At(i).price == price
}
