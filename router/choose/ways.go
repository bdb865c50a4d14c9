package choose

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"braid/router/flow"
)

// grow lets ways join a network, if what can still be gained is more than what is known.
func (s *search) grow(at *state) {
	free := s.K - bits.OnesCount64(at.links)
	tokens, leads, closed := s.shape(at.links)
	s.profits = s.profits[:0]
	for i := range s.links {
		if closed>>i&1 == 0 {
			if gain := s.profit(&s.links[i], at.prices); gain > 0 {
				s.profits = append(s.profits, gain)
			}
		}
	}
	slices.SortFunc(s.profits, func(a, b float64) int { return cmp.Compare(b, a) })
	most := func(links int) (sum float64) {
		for _, gain := range s.profits[:min(links, len(s.profits))] {
			sum += gain
		}
		return sum
	}
	floor := s.best.net * (1 + leastGain)
	if at.net+most(free) <= floor {
		return
	}
	s.ways = s.ways[:0]
	for t := range bitsOf(tokens &^ (1 << flow.Sink)) {
		s.walk(at, tokens, leads, closed, t, free)
	}
	slices.SortStableFunc(s.ways, func(a, b way) int { return cmp.Compare(b.gain, a.gain) })
	for _, w := range s.ways {
		if at.net+w.gain+most(free-bits.OnesCount64(w.links)) > s.floor() {
			s.add(at.links|w.links, w.prices)
		}
	}
}

// shape gives the tokens of a network, by token where its links lead, and the links that
// may not join because they or their pools are in use.
func (s *search) shape(links uint64) (tokens uint64, leads []uint64, closed uint64) {
	leads = make([]uint64, len(s.tokens))
	tokens = 1<<flow.Source | 1<<flow.Sink
	for i := range bitsOf(links) {
		tokens |= 1<<s.links[i].from | 1<<s.links[i].to
		closed |= s.rival[i]
	}
	for changed := true; changed; {
		changed = false
		for i := range bitsOf(links) {
			l := &s.links[i]
			if next := leads[l.from] | 1<<l.to | leads[l.to]; next != leads[l.from] {
				leads[l.from], changed = next, true
			}
		}
	}
	return tokens, leads, closed
}

// profit is what a link adds at most at some prices, less its gas.
func (s *search) profit(l *link, prices []float64) float64 {
	v, u := prices[l.from], prices[l.to]
	if !(l.spot*u > v) {
		return 0
	}
	s.n.Budget.Used++
	x, y, _, gas := l.Supply.Until(v / u)
	return max(0, y*u-x*v-s.n.GasPrice*gas)
}

// walk lists the ways that begin at a token and gain.
func (s *search) walk(at *state, tokens uint64, leads []uint64, closed uint64, first, most int) {
	var row [flow.MaxHops]int32
	var on func(t, length int, used, through uint64, spot float64)
	on = func(t, length int, used, through uint64, spot float64) {
		if length == min(most, s.MaxHops) {
			return
		}
		for _, i := range s.out[t] {
			l := &s.links[i]
			if (closed|used)>>i&1 == 1 || l.to == first || leads[l.to]>>first&1 == 1 || through>>l.to&1 == 1 {
				continue
			}
			row[length] = i
			paid := spot * l.spot
			if tokens>>l.to&1 == 0 {
				on(l.to, length+1, used|s.rival[i], through|1<<l.to, paid)
			} else if v := at.prices[first]; paid*at.prices[l.to] > v {
				s.list(at, row[:length+1], v/(paid*at.prices[l.to]))
			}
		}
	}
	on(first, 0, 0, 0, 1)
}

// list notes a way. Its links share what is between the price that they pay first and the
// one that they may pay, as a part.
func (s *search) list(at *state, row []int32, part float64) {
	w := way{prices: at.prices}
	if len(row) > 1 {
		w.prices = slices.Clone(at.prices)
		each := math.Pow(part, 1/float64(len(row)))
		for _, i := range row[:len(row)-1] {
			l := &s.links[i]
			w.prices[l.to] = w.prices[l.from] / (l.spot * each)
		}
	}
	for _, i := range row {
		w.links |= 1 << i
		w.gain += s.profit(&s.links[i], w.prices)
	}
	if w.gain > 0 {
		s.ways = append(s.ways, w)
	}
}
