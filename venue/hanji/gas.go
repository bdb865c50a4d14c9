package hanji

import (
	"braid/gas"
	"braid/u256"
)

// Gas of a market order beside what gas.Estimate adds for accounts and slots:
// of the order itself, with one maker's order that it fills beside the last, for
// each level, what a buy adds to both, as it reads the book before it fills, and
// for paying native currency out.
const (
	computeSwap     = 15_000
	computeOrder    = 11_000
	computeLevel    = 6_900
	computeBuy      = 4_700
	computeBuyLevel = 1_690
	computeNative   = 3_200
)

// Mappings of a market, as gas.AnySlot numbers them.
const (
	mapState = iota
	mapCount
	mapPrices
	mapLevel
	mapIDs
	mapOrder

	pricesPerSlot = 10
)

// EstimateGas counts one maker's order a level, and one more. Levels that others may
// fill first count too.
func (p *Pool) EstimateGas(in, out int, amount u256.Int, e *gas.Estimate) {
	t, err := p.order(in, amount)
	if err != nil {
		return
	}
	for before := e.TradedBefore(amount); !before.IsZero(); before = before.Rsh(2) {
		if more, err := p.order(in, amount.Add(before)); err == nil {
			t = more
			break
		}
	}
	e.Add(computeSwap + computeOrder)
	if in == y {
		e.Add(computeBuy)
	}
	e.PayByAllowance(p.market, p.market)
	e.Call(p.market)
	slot := func(mapping byte, n int) u256.Int { return gas.AnySlot(mapping, p.market, uint32(n)) }
	load := func(at u256.Int) { e.Load(p.market, at) }
	write := func(at u256.Int) { load(at); e.Store(p.market, at, false) }
	load(u256.Zero)
	load(u256.From(uint64(1 + in)))
	for i := range t.levels {
		e.Add(computeLevel)
		if in == y {
			e.Add(computeBuyLevel)
		}
		load(slot(mapPrices, i/pricesPerSlot))
		write(slot(mapLevel, i))
		load(slot(mapLevel, i).Add(u256.One))
		load(slot(mapIDs, i))
		write(slot(mapOrder, i))
		if i+1 < t.levels || t.whole { // the level is empty now
			e.Store(p.market, slot(mapPrices, i/pricesPerSlot), false)
			e.Store(p.market, u256.From(uint64(1+in)), false)
		}
	}
	if p.native[out] {
		e.Add(computeNative)
		e.Withdraw(p.market)
		e.DeliverNative()
	} else {
		e.DeliverByExecutor(p.market)
	}
	p.dust(in, amount, &t, e)
}

// dust goes back to the sender: that of a buy was paid to the Executor first.
func (p *Pool) dust(in int, amount u256.Int, t *match, e *gas.Estimate) {
	if in == y {
		e.Funds = gas.FromExecutor
		e.Dust()
	} else if amount.Div(p.unit[x]).Mul(p.unit[x]) != amount || p.unit[x] != u256.One && e.AmountVaries() {
		e.Dust()
	}
}
