package kuru

import "braid/venue"

// Supply has a flat piece for each price level of book and vault.
func (p *Pool) Supply(in, out int) *venue.Supply {
	levels := p.levels(in)
	s := &venue.Supply{Pieces: make([]venue.Piece, 0, len(levels))}
	kept := 1 - p.takerFeeBps.Float()/one.Float()
	for i := range levels {
		l := &levels[i]
		size, rate := l.fillable().Float()*p.lot[base].raw(), p.rate(l)
		gas := gasOrder + float64(l.before.gas)
		if in == base {
			s.Add(kept*rate, 0, size, gas)
		} else {
			s.Add(kept/rate, 0, size*rate, gas)
		}
	}
	return s
}
