package path

import (
	"math"

	"braid/router/graph"
)

// maxValue is the most value that can come of an amount of the first token, from what its
// own links pay for all of it.
func (s *Search) maxValue(amount float64) (best float64) {
	o, value := s.bounds, amount*s.Graph.Ref[s.In]
	look := func(a *graph.Link, bound float64) {
		if a.Ratio*value*bound > best && !s.Excluded[a.Source] {
			y, _ := a.Pay(amount)
			best = max(best, y*s.Graph.Ref[a.To]*bound)
		}
	}
	for i := range o.into {
		if e := &o.into[i]; e.from == s.In {
			look(e.link, 1)
		}
	}
	brief, hubs, start := s.Graph.Bounds(s.In, math.MaxInt)
	left := o.reach - 1
	for i := 0; i < hubs && float64(brief[i].Ratio)*value*o.max[left] > best; i++ {
		look(&s.Graph.Links[start+i], s.ofHub(brief[i].Rank, left, best/(float64(brief[i].Ratio)*value)))
	}
	if left == 0 {
		return best
	}
	for i := hubs; i < min(len(brief), hubs+maxOthers) && float64(brief[i].Ratio)*value*o.max[left-1] > best; i++ {
		look(&s.Graph.Links[start+i], s.ofToken(int(brief[i].To), left))
	}
	return best
}

// afterFirst is the most value that a link of the first token leaves of an amount.
func (s *Search) afterFirst(amount float64) (best float64) {
	links := s.Graph.All(s.In)
	if len(links) > graph.MaxBack {
		links = s.Graph.ToHubs(s.In)
	}
	for i := range links {
		if a := &links[i]; a.Ratio*amount*s.Graph.Ref[s.In] > best {
			y, _ := a.Pay(amount)
			best = max(best, y*s.Graph.Ref[a.To])
		}
	}
	return best
}

// leastBefore is the least value of which a link into the last token can make so much; 0
// if there are too many to ask. As rates fall with the amount, it is approached from below.
func (s *Search) leastBefore(need float64) (least float64) {
	if need <= 0 || len(s.Graph.All(s.Out)) > graph.MaxBack {
		return 0
	}
	for range approximations {
		rate := 0.0
		s.Graph.Into(s.Out, func(from int, a *graph.Link) {
			if s.Excluded[a.Source] || a.Ratio <= rate {
				return
			}
			if least == 0 {
				rate = a.Ratio
			} else {
				y, _ := a.Pay(least / s.Graph.Ref[from])
				rate = max(rate, y*s.Graph.Ref[s.Out]/least)
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
