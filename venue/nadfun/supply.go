package nadfun

import "braid/venue"

// Supply is a constant product that ends where the curve does: when it has
// sold down to its target, or taken back all it sold.
func (p *Pool) Supply(in, out int) *venue.Supply {
	if p.idle != "" {
		return nil
	}
	keep := 1 - p.terms.fee.Float()/million.Float()
	vIn, vOut := p.virtual[in].Float(), p.virtual[out].Float()
	s := &venue.Supply{Pieces: make([]venue.Piece, 0, 1)}
	if in == token {
		s.Add(p.Spot(in, out), 1/vIn, p.terms.first.Sub(p.virtual[token]).Float(), gasSell)
		return s
	}
	if left := p.real.Float() - p.terms.target.Float(); left > 0 && left < vOut {
		s.Add(p.Spot(in, out), keep/vIn, left*vIn/(vOut-left)/keep, gasBuy)
	}
	return s
}
