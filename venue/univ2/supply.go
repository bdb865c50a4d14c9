package univ2

import "braid/venue"

// Supply is the constant product itself.
func (p *Pool) Supply(in, out int) *venue.Supply {
	rIn := p.reserve[in].Float()
	s := &venue.Supply{Pieces: make([]venue.Piece, 0, 1)}
	s.Add(p.Spot(in, out), p.kept()/rIn, maxReserve.Float()-rIn, gasSwap)
	return s
}
