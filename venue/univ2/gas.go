package univ2

import (
	"braid/gas"
	"braid/u256"
)

// computeSwap is the gas of a swap beside what gas.Estimate adds for accounts
// and slots.
const computeSwap = 12_400

// Storage slots of a pair.
const (
	slotToken0 = 6 + iota
	slotToken1
	slotReserves
	slotPrice0
	slotPrice1
	_
	slotUnlocked
)

// EstimateGas reports a swap in a later second than the one before: then the
// pair adds the prices to its oracle.
func (p *Pool) EstimateGas(in, out int, amount u256.Int, e *gas.Estimate) {
	e.Add(computeSwap)
	e.Pay(p.pair)
	e.Call(p.pair)
	for _, slot := range [...]uint64{slotToken0, slotToken1} {
		e.Load(p.pair, u256.From(slot))
	}
	for _, slot := range [...]uint64{slotReserves, slotUnlocked} {
		e.Load(p.pair, u256.From(slot))
		e.Store(p.pair, u256.From(slot), false)
	}
	for _, slot := range [...]uint64{slotPrice0, slotPrice1} {
		e.Load(p.pair, u256.From(slot))
		e.Store(p.pair, u256.From(slot), !p.oracle)
	}
	e.Deliver(p.pair)
}
