package hanji

import "braid/venue"

// Supply has a flat piece for each level of the book.
func (p *Pool) Supply(in, out int) *venue.Supply {
	if p.stops != 0 {
		return nil
	}
	side := p.book[in]
	s := &venue.Supply{Pieces: make([]venue.Piece, 0, len(side))}
	rate := p.rate.Float() / wad.Float()
	for i := range side {
		size, price := side.size(i).Float()*p.unit[x].Float(), p.price(side[i])
		gas := float64(p.gas(in, i+1))
		if in == x {
			s.Add(price*(1-rate), 0, size, gas)
		} else {
			s.Add(1/(price*(1+rate)), 0, size*price*(1+rate), gas)
		}
	}
	return s
}
