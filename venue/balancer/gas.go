package balancer

import (
	"braid/gas"
	"braid/u256"
)

// Gas of a swap in the vault and its pool beside what gas.Estimate adds for
// accounts and slots: by the pool's mathematics, for each token of the pool, and
// for each that has a rate provider.
const (
	computeWeighted = 47_500
	computeStable   = 57_000
	computeToken    = 3_750
	computeRate     = 1_000
)

// Mappings of the vault, as gas.AnySlot numbers them.
const (
	mapReserve = iota
	mapConfig
	mapTokens
	mapInfo
	mapBalance
	mapFees
	mapState
)

// EstimateGas counts the slot of the aggregate fees as empty: no log tells when
// they are collected.
func (p *Pool) EstimateGas(in, out int, amount u256.Int, e *gas.Estimate) {
	load := func(slot u256.Int) { e.Load(p.vault, slot) }
	write := func(slot u256.Int, wasZero bool) { load(slot); e.Store(p.vault, slot, wasZero) }
	e.Pay(p.vault)
	e.Call(p.vault)
	write(gas.AnySlot(mapReserve, p.info.Tokens[in], 0), false)
	load(gas.AnySlot(mapState, p.vault, 0))
	load(gas.AnySlot(mapConfig, p.address, 0))
	load(gas.AnySlot(mapTokens, p.address, 0))
	for i := range uint32(p.form.n) {
		e.Add(computeToken)
		load(gas.AnySlot(mapTokens, p.address, 1).Add(u256.From(uint64(i))))
		load(gas.AnySlot(mapInfo, p.address, i))
		write(gas.AnySlot(mapBalance, p.address, i), false)
		if p.form.rate[i] != one {
			e.Add(computeRate)
			e.Call(FixedRate)
		}
	}
	e.Call(p.address)
	if p.curve == stable {
		e.Add(computeStable)
		e.Load(p.address, u256.Zero)
	} else {
		e.Add(computeWeighted)
	}
	if !p.aggregate.IsZero() && !p.recovery {
		write(gas.AnySlot(mapFees, p.address, uint32(in)), true)
	}
	write(gas.AnySlot(mapReserve, p.info.Tokens[out], 0), false)
	e.Deliver(p.vault)
}
