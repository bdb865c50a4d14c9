package graph

import "braid/venue"

// impact is the bend of the lowest hyperbola that begins with the price of a supply and is
// nowhere below it up to an amount: the least that spot/y - 1/x becomes where x brings y.
// That is at an end of a piece, or once within it, where both pay the same for a little
// more.
func impact(s *venue.Supply, most float64) float64 {
	spot, least := s.Spot(), s.Pieces[0].Bend()
	for i := 1; i < len(s.Pieces) && s.Pieces[i].In < most; i++ {
		p, end := &s.Pieces[i], most
		if i+1 < len(s.Pieces) {
			end = min(end, s.Pieces[i+1].In)
		}
		if root := s.Pieces[0].Root * p.Root; p.Out < root*p.In {
			if d := (p.Out - root*p.In) / (root - p.Out/p.Give - p.Price()); d > 0 {
				end = min(end, p.In+d)
			}
		}
		d := end - p.In
		y := p.Out + p.Price()*d*(p.Give/(p.Give+d))
		if lost := spot*end - y; lost < least*end*y {
			least = lost / (end * y)
		}
	}
	return max(0, least)
}
