package univ2

import (
	"braid/gas"
	"braid/u256"
)

// burnt is what a swap burns in the pair and around it, whatever it touches.
const burnt = 12_400

// Slots of a pair.
const (
	slotToken0 = 6 + iota
	slotToken1
	slotReserves
	slotPrice0
	slotPrice1
	_
	slotUnlocked
)

// Rehearse tells of a swap in a later second than the one before: it adds up
// prices.
func (p *Pool) Rehearse(in, out int, amount u256.Int, s *gas.Script) {
	s.Burn(burnt)
	s.Pay(p.pair)
	s.Call(p.pair)
	for _, slot := range [...]uint64{slotToken0, slotToken1} {
		s.Load(p.pair, u256.From(slot))
	}
	for _, slot := range [...]uint64{slotReserves, slotUnlocked} {
		s.Load(p.pair, u256.From(slot))
		s.Write(p.pair, u256.From(slot), false)
	}
	for _, slot := range [...]uint64{slotPrice0, slotPrice1} {
		s.Load(p.pair, u256.From(slot))
		s.Write(p.pair, u256.From(slot), !p.oracle)
	}
	s.Deliver(p.pair)
}
