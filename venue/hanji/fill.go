package hanji

import (
	"sort"
	"sync"

	"braid/u256"
)

// MaxLevels is how many levels a market order fills at most: at gasLevel each,
// more would cost more than the 30,000,000 gas that a transaction may have on
// Monad.
const MaxLevels = 1300

// stride is how many levels lie between two sums; a quote adds up the levels
// behind the last sum. With two, levels and sums take 96 bytes a level, as many
// as levels with a sum each.
const stride = 2

// sums are made at first use.
type sums struct {
	once sync.Once
	list []sum // before every stride-th level, and at last behind all that can be filled
}

// sum is over the first levels of a side.
type sum struct{ shares, value u256.Int }

// with is the sum with another level.
func (a sum) with(l *level) sum {
	return sum{a.shares.Add(l.shares), a.value.Add(l.shares.Mul(l.price))}
}

// filled is what leaves a side.
type filled struct {
	sum
	levels int  // touched
	whole  bool // the last of these is left empty
}

// reach is how many levels a market order can fill.
func (s side) reach() int { return min(s.Len(), MaxLevels) }

// totals are the sums over the levels that a market order can fill. The side has
// levels.
func (s side) totals() []sum {
	s.sums.once.Do(func() {
		var total sum
		list := make([]sum, 0, s.reach()/stride+2)
		for i := 0; i < s.reach(); {
			run := s.Run(i)
			for j := range run[:min(len(run), s.reach()-i)] {
				if i%stride == 0 {
					list = append(list, total)
				}
				total = total.with(&run[j])
				i++
			}
		}
		s.sums.list = append(list, total)
	})
	return s.sums.list
}

// first is the sum over the first n levels, all of which can be filled.
func (s side) first(n int) sum {
	total := s.totals()[n/stride]
	for i := n - n%stride; i < n; i++ {
		l := s.At(i)
		total = total.with(&l)
	}
	return total
}

// fill takes that many shares, above zero; false if there are not so many.
func (s side) fill(shares u256.Int) (filled, bool) {
	totals := s.totals()
	k := sort.Search(len(totals), func(k int) bool { return !totals[k].shares.Lt(shares) }) - 1
	if k == len(totals)-1 {
		return filled{}, false
	}
	total := totals[k]
	for i := k * stride; ; {
		run := s.Run(i)
		for j := range run {
			l := &run[j]
			i++
			if left := shares.Sub(total.shares); !l.shares.Lt(left) {
				return filled{sum{shares, total.value.Add(left.Mul(l.price))}, i, l.shares == left}, true
			}
			total = total.with(l)
		}
	}
}

// spend takes as many shares as cost no more than the budget; false if the order
// would fill more than MaxLevels.
func (s side) spend(budget u256.Int) (filled, bool) {
	totals := s.totals()
	k := sort.Search(len(totals), func(k int) bool { return totals[k].value.Gt(budget) }) - 1
	total := totals[k]
	if k == len(totals)-1 {
		return filled{total, s.reach(), true}, s.reach() == s.Len()
	}
	for i := k * stride; ; {
		run := s.Run(i)
		for j := range run {
			i++
			next := total.with(&run[j])
			if next.value.Gt(budget) {
				part := level{run[j].price, budget.Sub(total.value).Div(run[j].price)}
				return filled{total.with(&part), i, false}, true
			}
			total = next
		}
	}
}
