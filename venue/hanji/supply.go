package hanji

import "braid/venue"

// Pieces of a supply: one for each of the best levels, and at most so many for
// all behind them. Half as many of the latter double how far the supply is below
// the truth there.
const (
	nearPieces = 128
	farPieces  = 64
)

// Supply has a flat piece for each of the best levels. Behind them a piece stands
// for several levels, at their mean price: it pays what they pay together, and
// less than they do for a part of it, as the best of them would come first.
func (p *Pool) Supply(in, out int) *venue.Supply {
	if p.stops != 0 {
		return nil
	}
	side := p.book[in]
	n := side.reach()
	s := &venue.Supply{Pieces: make([]venue.Piece, 0, min(n, nearPieces+farPieces))}
	group := max(1, (n-nearPieces+farPieces-1)/farPieces) // levels of a piece
	for i := 0; i < n; {
		end := i + 1
		if i >= nearPieces {
			end = min(i+group, n)
		}
		var all sum
		for ; i < end; i++ {
			l := side.At(i)
			all = all.with(&l)
		}
		p.add(s, in, all, end)
	}
	return s
}

// add appends the piece of levels that end behind so many.
func (p *Pool) add(s *venue.Supply, in int, all sum, levels int) {
	size, price := all.shares.Float()*p.unit[x].Float(), p.price(all.value.Float()/all.shares.Float())
	rate, gas := p.rate.Float()/wad.Float(), float64(p.gas(in, levels))
	if in == x {
		s.Add(price*(1-rate), 0, size, gas)
	} else {
		s.Add(1/(price*(1+rate)), 0, size*price*(1+rate), gas)
	}
}
