package path

import (
	"math"

	"braid/market"
)

// maxValue is the most value that can come of an amount of the first token, from what its
// own links pay for all of it.
func (s *Search) maxValue(amount float64) (best float64) {
	o, value := s.bounds, amount*s.Graph.Worth[s.In]
	look := func(a *market.Arc, bound float64) {
		if a.Lift*value*bound > best && !s.Excluded[a.Source] {
			y, _ := a.Pay(amount)
			best = max(best, y*s.Graph.Worth[a.To]*bound)
		}
	}
	for i := range o.into {
		if e := &o.into[i]; e.from == s.In {
			look(e.arc, 1)
		}
	}
	ways, fan, start := s.Graph.Ways(s.In, math.MaxInt)
	left := o.reach - 1
	for i := 0; i < fan && float64(ways[i].Lift)*value*o.max[left] > best; i++ {
		look(&s.Graph.Arcs[start+i], s.ofHub(ways[i].Rank, left, best/(float64(ways[i].Lift)*value)))
	}
	if left == 0 {
		return best
	}
	for i := fan; i < min(len(ways), fan+maxOthers) && float64(ways[i].Lift)*value*o.max[left-1] > best; i++ {
		look(&s.Graph.Arcs[start+i], s.ofToken(int(ways[i].To), left))
	}
	return best
}

// afterFirst is the most value that a link of the first token leaves of an amount.
func (s *Search) afterFirst(amount float64) (best float64) {
	arcs := s.Graph.All(s.In)
	if len(arcs) > market.Wide {
		arcs = s.Graph.Fan(s.In)
	}
	for i := range arcs {
		if a := &arcs[i]; a.Lift*amount*s.Graph.Worth[s.In] > best {
			y, _ := a.Pay(amount)
			best = max(best, y*s.Graph.Worth[a.To])
		}
	}
	return best
}

// leastBefore is the least value of which a link into the last token can make so much; 0
// if there are too many to ask. As rates fall with the amount, it is approached from below.
func (s *Search) leastBefore(need float64) (least float64) {
	if need <= 0 || len(s.Graph.All(s.Out)) > market.Wide {
		return 0
	}
	for range approximations {
		rate := 0.0
		s.Graph.Into(s.Out, func(from int, a *market.Arc) {
			if s.Excluded[a.Source] || a.Lift <= rate {
				return
			}
			if least == 0 {
				rate = a.Lift
			} else {
				y, _ := a.Pay(least / s.Graph.Worth[from])
				rate = max(rate, y*s.Graph.Worth[s.Out]/least)
			}
		})
		if !(rate > 0) {
			break
		}
		least = need / rate * (1 - slack)
	}
	return max(0, least)
}

// leastIfImpact is leastBefore, or 0 where that is hardly more than without a price
// impact: bounds of all chunks are then the same.
func (s *Search) leastIfImpact(need float64) float64 {
	if least := s.leastBefore(need); least > need*(1+hardly) {
		return least
	}
	return 0
}
