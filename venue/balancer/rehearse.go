package balancer

import (
	"braid/gas"
	"braid/u256"
)

// What a swap burns in the vault, its pool and around them, whatever it
// touches: by the curve, for each token, and for each that goes at a rate.
const (
	burntWeighted = 47_500
	burntStable   = 57_000
	burntToken    = 3_750
	burntRate     = 1_000
)

// What the vault keeps.
const (
	keptReserve = iota
	keptConfig
	keptTokens
	keptInfo
	keptBalance
	keptFees
	keptState
)

// Rehearse counts the slot of the vault's part of fees as empty: nobody hears
// of it when they are collected.
func (p *Pool) Rehearse(in, out int, amount u256.Int, s *gas.Script) {
	load := func(slot u256.Int) { s.Load(p.vault, slot) }
	write := func(slot u256.Int, fresh bool) { load(slot); s.Write(p.vault, slot, fresh) }
	s.Pay(p.vault)
	s.Call(p.vault)
	write(gas.Kept(keptReserve, p.info.Tokens[in], 0), false)
	load(gas.Kept(keptState, p.vault, 0))
	load(gas.Kept(keptConfig, p.address, 0))
	load(gas.Kept(keptTokens, p.address, 0))
	for i := range uint32(p.form.n) {
		s.Burn(burntToken)
		load(gas.Kept(keptTokens, p.address, 1).Add(u256.From(uint64(i))))
		load(gas.Kept(keptInfo, p.address, i))
		write(gas.Kept(keptBalance, p.address, i), false)
		if p.form.rate[i] != one {
			s.Burn(burntRate)
			s.Call(FixedRate)
		}
	}
	s.Call(p.address)
	if p.curve == stable {
		s.Burn(burntStable)
		s.Load(p.address, u256.Zero)
	} else {
		s.Burn(burntWeighted)
	}
	if !p.aggregate.IsZero() && !p.recovery {
		write(gas.Kept(keptFees, p.address, uint32(in)), true)
	}
	write(gas.Kept(keptReserve, p.info.Tokens[out], 0), false)
	s.Deliver(p.vault)
}
