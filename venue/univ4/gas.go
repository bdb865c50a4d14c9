package univ4

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/ticks"
	"braid/u256"
)

// Gas of a swap beside what gas.Estimate adds for accounts and slots: for a
// step, for each pool of it, for each word of the tick bitmap, for each tick it
// crosses, for the sync before native currency is paid, and for taking native
// currency from the manager.
const (
	computeStep = 3_200
	computePool = 22_500
	computeWord = 4_150
	computeTick = 7_000
	computeSync = 1_300
	computeTake = 10_500
)

// Storage slots of the manager, and of a pool relative to its first, beside
// those in load.go.
const (
	slotProtocolFees = 1

	slotPrice  = 0
	slotGrowth = 1
)

// EstimateGas reports a swap in the manager. Others may trade the pool first: of the
// swaps that may follow it reports the dearest.
func (p *Pool) EstimateGas(in, out int, amount u256.Int, e *gas.Estimate) {
	manager := p.info.Source.Factory
	id := common.HexToHash(string(p.info.ID))
	base := gas.MappingSlot(u256.FromBytes(id[:]), u256.From(slotPools))
	slot := func(n int) u256.Int { return base.Add(u256.From(uint64(n))) }
	write := func(slot u256.Int, wasZero bool) { e.Load(manager, slot); e.Store(manager, slot, wasZero) }

	e.Call(manager)
	if !e.NettedIn {
		e.Add(computeStep)
	}
	e.Add(computePool)
	write(slot(slotPrice), false)
	e.Load(manager, slot(slotLiquidity))
	write(slot(slotGrowth+in), !p.growth.NonZero[in])
	if p.protocol>>(12*in)&0xfff != 0 {
		write(gas.MappingSlot(u256.FromBytes(p.info.Tokens[in][:]), u256.From(slotProtocolFees)), true)
	}
	behind, ahead := ticks.Reach(p.curves, in, p.at, e.TradedBefore(amount))
	from, to, growth := p.curves[in].Dearest(p.at, behind, ahead, amount, p.growth)
	crossed := false
	p.curves[in].Path(from, to, &growth, func(word int32) {
		e.Add(computeWord)
		e.Load(manager, gas.MappingSlot(gas.SignedKey(word), slot(slotBitmap)))
	}, func(tick int32, nonZero [2]bool) {
		crossed = true
		e.Add(computeTick)
		at := gas.MappingSlot(gas.SignedKey(tick), slot(slotTicks))
		e.Load(manager, at)
		for token, set := range nonZero {
			slot := at.Add(u256.From(1 + uint64(token)))
			e.Load(manager, slot)
			if token == in || !growth.Zero[token] {
				e.Store(manager, slot, !set)
			}
		}
	})
	if crossed {
		e.Load(manager, slot(slotGrowth+out))
		write(slot(slotLiquidity), p.book.Liquidity(from.Tick).IsZero())
	}
	p.settle(in, out, e)
}

// settle reports the payments of both ends, unless the manager nets them with
// the hop beside this one. Where the pool has native currency, the route has
// wrapped native.
func (p *Pool) settle(in, out int, e *gas.Estimate) {
	manager := p.info.Source.Factory
	if p.key.native && in == 0 {
		if !e.NettedIn {
			e.Add(computeSync)
		}
		e.PayNative()
	} else {
		e.Pay(manager)
	}
	if p.key.native && out == 0 {
		e.Add(computeTake)
		e.DeliverNative()
	} else {
		e.Deliver(manager)
	}
}
