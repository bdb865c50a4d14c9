package univ4

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/u256"
)

// What a swap burns in the manager and around it, whatever it touches: for a
// step, for each pool of it, for each word of the bitmap, and for each tick it
// crosses.
const (
	burntStep = 3_200
	burntPool = 22_500
	burntWord = 4_150
	burntTick = 7_000
	burntTake = 10_500 // of native
)

// Slots of the manager, and of a pool behind its own, beside those it is read
// by.
const (
	slotProtocolFees = 1

	slotPrice  = 0
	slotGrowth = 1
)

func (p *Pool) Rehearse(in, out int, amount u256.Int, s *gas.Script) {
	manager := p.info.Source.Factory
	id := common.HexToHash(string(p.info.ID))
	base := gas.Mapped(u256.FromBytes(id[:]), u256.From(slotPools))
	slot := func(n int) u256.Int { return base.Add(u256.From(uint64(n))) }
	write := func(slot u256.Int, fresh bool) { s.Load(manager, slot); s.Write(manager, slot, fresh) }

	s.Call(manager)
	if !s.Joined {
		s.Burn(burntStep)
	}
	s.Burn(burntPool)
	write(slot(slotPrice), false)
	s.Load(manager, slot(slotLiquidity))
	write(slot(slotGrowth+in), !p.growth.NonZero[in])
	if p.protocol>>(12*in)&0xfff != 0 {
		write(gas.Mapped(u256.FromBytes(p.info.Tokens[in][:]), u256.From(slotProtocolFees)), true)
	}
	f := p.curves[in].Quote(p.at, amount)
	crossed := false
	p.curves[in].Path(p.at, f.Point, &p.growth, func(word int32) {
		s.Burn(burntWord)
		s.Load(manager, gas.Mapped(gas.Signed(word), slot(slotBitmap)))
	}, func(tick int32, holds [2]bool) {
		crossed = true
		s.Burn(burntTick)
		at := gas.Mapped(gas.Signed(tick), slot(slotTicks))
		s.Load(manager, at)
		for token, held := range holds {
			slot := at.Add(u256.From(1 + uint64(token)))
			s.Load(manager, slot)
			if token == in || !p.growth.Zero[token] {
				s.Write(manager, slot, !held)
			}
		}
	})
	if crossed {
		s.Load(manager, slot(slotGrowth+out))
		write(slot(slotLiquidity), p.book.Liquidity(p.at.Tick).IsZero())
	}
	p.settle(in, out, s)
}

// settle pays both ends, unless the hops beside this one do. Where the pool
// has native, the route has wrapped native.
func (p *Pool) settle(in, out int, s *gas.Script) {
	manager := p.info.Source.Factory
	if p.key.native && in == 0 {
		s.PayNative()
	} else {
		s.Pay(manager)
	}
	if p.key.native && out == 0 {
		s.Burn(burntTake)
		s.DeliverNative()
	} else {
		s.Deliver(manager)
	}
}
