package univ3

import (
	"braid/gas"
	"braid/ticks"
	"braid/u256"
)

// What a swap burns in the pool and around it, whatever it touches: as such,
// where PancakeSwap does more, for each word of the bitmap, and for each tick
// it crosses.
const (
	burnt        = 17_800
	burntPancake = 3_700
	burntWord    = 5_850
	burntTick    = 8_900
)

// Slots of a pool, which PancakeSwap has one further on but for the first.
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

// slotFarm is where PancakeSwap's pools keep the farm they report to.
const slotFarm = slotObservations + 1 + 65_535

// past is what logs told that bears on the gas of a swap alone. Its zero value
// knows nothing.
type past struct {
	growth  ticks.FeeGrowth
	untaxed bool // the protocol takes no share of the fees
	tithed  bool // it is sure to have had some
	narrow  bool // the oracle keeps one observation
}

// Rehearse tells of a swap that moves the tick in a later second than the one
// before it: the oracle writes.
func (p *Pool) Rehearse(in, out int, amount u256.Int, s *gas.Script) {
	var shift uint64
	load := func(slot uint64) { s.Load(p.address, u256.From(slot+shift)) }
	write := func(slot uint64, fresh bool) { load(slot); s.Write(p.address, u256.From(slot+shift), fresh) }
	s.Burn(burnt)
	s.Call(p.address)
	write(slotPrice, false)
	if p.pancake {
		s.Burn(burntPancake)
		shift = 1
		write(slotPrice, false)
		s.Load(p.address, u256.From(slotFarm))
	}
	load(slotLiquidity)
	write(slotGrowth+uint64(in), !p.past.growth.NonZero[in])
	if p.taxed() {
		write(slotProtocol, !p.past.tithed)
	}
	write(slotObservations, false)
	if !p.past.narrow {
		s.Write(p.address, u256.From(1<<16), false) // some page of its own
	}
	f := p.curves[in].Quote(p.at, amount)
	crossed := false
	p.curves[in].Path(p.at, f.Point, &p.past.growth, func(word int32) {
		s.Burn(burntWord)
		s.Load(p.address, gas.Mapped(gas.Signed(word), u256.From(slotBitmap+shift)))
	}, func(tick int32, holds [2]bool) {
		crossed = true
		s.Burn(burntTick)
		p.cross(s, gas.Mapped(gas.Signed(tick), u256.From(slotTicks+shift)), in, holds)
	})
	if crossed {
		load(slotGrowth + uint64(out))
		write(slotLiquidity, p.book.Liquidity(p.at.Tick).IsZero())
	}
	s.Deliver(p.address)
	s.Pay(p.address)
}

// cross turns what a tick keeps around: fees of both tokens, and time.
func (p *Pool) cross(s *gas.Script, at u256.Int, in int, holds [2]bool) {
	s.Load(p.address, at)
	for token, held := range holds {
		slot := at.Add(u256.From(1 + uint64(token)))
		s.Load(p.address, slot)
		if token == in || !p.past.growth.Zero[token] {
			s.Write(p.address, slot, !held)
		}
	}
	slot := at.Add(u256.From(3))
	s.Load(p.address, slot)
	s.Write(p.address, slot, false)
}

func (p *Pool) taxed() bool { return p.pancake || !p.past.untaxed }

// tithes tells that the protocol's share of the fee on an amount is sure to
// be something.
func (p *Pool) tithes(in u256.Int) bool {
	const hundred = 100 * 1_000_000 // units of fee, of which the share is at least some
	return p.taxed() && p.fee != 0 && in.Gt(u256.From(hundred/p.fee))
}
