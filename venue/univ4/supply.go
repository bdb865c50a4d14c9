package univ4

import "braid/venue"

// Supply has a piece for each range between initialised ticks, as far as a
// transaction can go: at most ticks.MaxCrossed + 1.
func (p *Pool) Supply(in, out int) *venue.Supply {
	if p.idle != "" || p.curves[in] == nil {
		return nil
	}
	c := p.curves[in]
	s := &venue.Supply{Pieces: make([]venue.Piece, 0, c.MaxRanges(p.at))}
	burnt := float64(gasSwap)
	if p.key.native {
		burnt += gasNative
	}
	c.Ranges(p.at, func(price, bend, length float64) {
		s.Add(price, bend, length, burnt)
		burnt += gasTick
	})
	return s
}
