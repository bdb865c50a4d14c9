package hanji

import (
	"braid/gas"
	"braid/u256"
)

// What a take burns in the market and around it, whatever it touches: as such,
// with an order that it uses up before the last, for each level, and what a buy
// burns beside that, which looks before it takes.
const (
	burnt         = 15_000
	burntOrder    = 11_000
	burntLevel    = 6_900
	burntBuy      = 4_700
	burntBuyLevel = 1_690
	burntNative   = 3_200
)

// What a market keeps.
const (
	keptState = iota
	keptCount
	keptPrices
	keptLevel
	keptIDs
	keptOrder

	pricesPerSlot = 10
)

// Rehearse counts one order a level, and one more.
func (p *Pool) Rehearse(in, out int, amount u256.Int, s *gas.Script) {
	t, err := p.take(in, amount)
	if err != nil {
		return
	}
	s.Burn(burnt + burntOrder)
	if in == y {
		s.Burn(burntBuy)
	}
	s.Lend(p.market, p.market)
	s.Call(p.market)
	kept := func(what byte, n int) u256.Int { return gas.Kept(what, p.market, uint32(n)) }
	load := func(slot u256.Int) { s.Load(p.market, slot) }
	write := func(slot u256.Int) { load(slot); s.Write(p.market, slot, false) }
	load(u256.Zero)
	load(u256.From(uint64(1 + in)))
	for i := range t.levels {
		s.Burn(burntLevel)
		if in == y {
			s.Burn(burntBuyLevel)
		}
		load(kept(keptPrices, i/pricesPerSlot))
		write(kept(keptLevel, i))
		load(kept(keptLevel, i).Add(u256.One))
		load(kept(keptIDs, i))
		write(kept(keptOrder, i))
		if i+1 < t.levels || t.shares == p.book[in][i].shares { // it is used up
			s.Write(p.market, kept(keptPrices, i/pricesPerSlot), false)
			s.Write(p.market, u256.From(uint64(1+in)), false)
		}
	}
	if p.native[out] {
		s.Burn(burntNative)
		s.Withdraw(p.market)
		s.DeliverNative()
	} else {
		s.DeliverHere(p.market)
	}
	p.dust(in, amount, &t, s)
}

// dust goes back to the sender: of a buy out of what was brought here.
func (p *Pool) dust(in int, amount u256.Int, t *taken, s *gas.Script) {
	if in == y {
		s.Funds = gas.Here
		s.Dust()
	} else if amount.Div(p.unit[x]).Mul(p.unit[x]) != amount {
		s.Dust()
	}
}
