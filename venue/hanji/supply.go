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
	pieces := pieces{Supply: s, in: in, pool: p, unit: [2]float64{p.unit[x].Float(), p.unit[y].Float()}, rate: p.rate.Float() / wad.Float()}
	group := max(1, (n-nearPieces+farPieces-1)/farPieces) // levels of a piece
	for i := 0; i < n; {
		run := side.Run(i)
		for j := range run[:min(len(run), n-i)] {
			i++
			pieces.level(&run[j], i, i <= nearPieces || (i-nearPieces)%group == 0 || i == n)
		}
	}
	return s
}

// pieces are a supply that is being made.
type pieces struct {
	*venue.Supply
	pool       *Pool
	in         int
	unit       [2]float64 // of the pool
	rate       float64    // taker fee, as a part of the value
	size, paid float64    // shares and value of the levels of the next piece
}

// level adds level number n, counted from 1, with which a piece may end.
func (s *pieces) level(l *level, n int, ends bool) {
	price, size := l.price.Float(), l.shares.Float()
	s.size, s.paid = s.size+size, s.paid+size*price
	if !ends {
		return
	}
	if s.size > size {
		price = s.paid / s.size
	}
	size, price = s.size*s.unit[x], price*s.unit[y]/s.unit[x]
	s.size, s.paid = 0, 0
	if gas := float64(s.pool.gas(s.in, n)); s.in == x {
		s.Add(price*(1-s.rate), 0, size, gas)
	} else {
		s.Add(1/(price*(1+s.rate)), 0, size*price*(1+s.rate), gas)
	}
}
