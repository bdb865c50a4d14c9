package univ3

import (
	"braid/gas"
	"braid/ticks"
	"braid/u256"
)

// Gas of a swap beside what gas.Estimate adds for accounts and slots: of the
// swap itself, what PancakeSwap's code adds, for each word of the tick bitmap,
// and for each tick it crosses.
const (
	computeSwap    = 17_800
	computePancake = 3_700
	computeWord    = 5_850
	computeTick    = 8_900
)

// Storage slots of a pool. In PancakeSwap's code all but the first are one
// higher.
const (
	slotPrice = iota
	slotGrowth
	_
	slotProtocol
	slotLiquidity
	slotTicks
	slotBitmap
	_
	slotObservations
)

// slotFarm holds, in PancakeSwap's pools, the address of the farm they report
// to.
const slotFarm = slotObservations + 1 + 65_535

// history is what logs told that only the gas of a swap depends on. Its zero
// value knows nothing.
type history struct {
	growth            ticks.FeeGrowth
	noProtocolFee     bool // the protocol takes no share of the fees
	protocolFees      bool // the protocol is sure to have earned some
	singleObservation bool // the oracle keeps one observation
}

// newHistory is that of a pool that was just created.
func newHistory() history {
	return history{growth: ticks.NewFeeGrowth(), noProtocolFee: true, singleObservation: true}
}

// EstimateGas reports a swap that moves the tick in a later second than the one
// before it: then the oracle writes. Others may trade the pool first: of the swaps
// that may follow it reports the dearest.
func (p *Pool) EstimateGas(in, out int, amount u256.Int, e *gas.Estimate) {
	var shift uint64
	load := func(slot uint64) { e.Load(p.address, u256.From(slot+shift)) }
	write := func(slot uint64, wasZero bool) { load(slot); e.Store(p.address, u256.From(slot+shift), wasZero) }
	e.Add(computeSwap)
	e.Call(p.address)
	write(slotPrice, false)
	if p.pancake {
		e.Add(computePancake)
		shift = 1
		write(slotPrice, false)
		e.Load(p.address, u256.From(slotFarm))
	}
	load(slotLiquidity)
	write(slotGrowth+uint64(in), !p.history.growth.NonZero[in])
	if p.protocolShare() {
		write(slotProtocol, !p.history.protocolFees)
	}
	write(slotObservations, false)
	if !p.history.singleObservation {
		e.Store(p.address, u256.From(1<<16), false) // on a page that nothing else uses
	}
	behind, ahead := ticks.Reach(p.curves, in, p.at, e.TradedBefore(amount))
	from, to, growth := p.curves[in].Dearest(p.at, behind, ahead, amount, p.history.growth)
	earned := [2]bool{!growth.Zero[0], !growth.Zero[1]}
	earned[in] = true
	crossed := false
	p.curves[in].Path(from, to, &growth, func(word int32) {
		e.Add(computeWord)
		e.Load(p.address, gas.MappingSlot(gas.SignedKey(word), u256.From(slotBitmap+shift)))
	}, func(tick int32, nonZero [2]bool) {
		crossed = true
		e.Add(computeTick)
		p.cross(e, gas.MappingSlot(gas.SignedKey(tick), u256.From(slotTicks+shift)), earned, nonZero)
	})
	if crossed {
		load(slotGrowth + uint64(out))
		write(slotLiquidity, p.book.Liquidity(from.Tick).IsZero())
	}
	e.Deliver(p.address)
	e.Pay(p.address)
}

// cross reports what crossing a tick flips: feeGrowthOutside of the tokens of which
// fees were earned, and the times outside it.
func (p *Pool) cross(e *gas.Estimate, at u256.Int, earned, nonZero [2]bool) {
	e.Load(p.address, at)
	for token, set := range nonZero {
		slot := at.Add(u256.From(1 + uint64(token)))
		e.Load(p.address, slot)
		if earned[token] {
			e.Store(p.address, slot, !set)
		}
	}
	slot := at.Add(u256.From(3))
	e.Load(p.address, slot)
	e.Store(p.address, slot, false)
}

// protocolShare tells that the protocol takes a share of the fees.
func (p *Pool) protocolShare() bool { return p.pancake || !p.history.noProtocolFee }

// earnsProtocol tells that the protocol's share of the fee on an input, in raw
// units, is sure not to round to zero.
func (p *Pool) earnsProtocol(in u256.Int) bool {
	const enough = 100 * 1_000_000 // pips times raw units: a fee of 100 raw units
	return p.protocolShare() && p.fee != 0 && in.Gt(u256.From(enough/p.fee))
}
