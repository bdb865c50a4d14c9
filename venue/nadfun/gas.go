package nadfun

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/u256"
)

// Gas of a trade beside what gas.Estimate adds for accounts and slots; that of
// the buy that reaches the target is more.
const (
	computeBuy  = 20_000
	computeSell = 25_000
	computeLast = 5_000
)

// Mappings of the contract of the curves, as gas.AnySlot numbers them, and the
// slots of a curve.
const (
	mapTerms = iota
	mapTotal
	mapLocked
	mapCurve

	curveSlots = 8
)

// collector stands for the account that gets the fees: whether it holds any is
// not known.
var collector = common.Address{0: 0xfe, 19: 0xe5}

// EstimateGas reports a trade by way of the router.
func (p *Pool) EstimateGas(in, out int, amount u256.Int, e *gas.Estimate) {
	router, curve := routerOf(p.info.Source), p.info.Source.Factory
	first := in == mon && p.virtual[token] == p.terms.first
	e.HoldsNone(router)
	e.HoldsNone(collector)
	if in == mon {
		e.Add(computeBuy)
		e.PayNative()
		e.Call(router)
		e.Call(curve)
		e.Deposit(router)
		e.Transfer(e.WrappedNative, router, collector, false)
		e.Transfer(e.WrappedNative, router, curve, true)
		p.store(e, first)
		if p.terms.target == p.real.Sub(p.quoted(in, out, amount)) {
			e.Add(computeLast)
			e.Store(curve, gas.AnySlot(mapLocked, p.address, 0), true)
		}
		e.Deliver(curve)
		return
	}
	e.Add(computeSell)
	e.PayByAllowance(router, curve)
	e.Call(router)
	e.Call(curve)
	p.store(e, false)
	e.Transfer(e.WrappedNative, curve, router, false)
	e.Transfer(e.WrappedNative, router, collector, false)
	e.Withdraw(router)
	e.DeliverNative()
}

// quoted is what a trade pays for an amount that Quote takes, in raw units.
func (p *Pool) quoted(in, out int, amount u256.Int) u256.Int {
	q, _ := p.Quote(in, out, amount)
	return q.Out
}

// store reports what the curve reads and writes in a trade.
func (p *Pool) store(e *gas.Estimate, first bool) {
	curve := p.info.Source.Factory
	e.Load(curve, gas.AnySlot(mapTerms, p.address, 0))
	e.Load(curve, gas.AnySlot(mapLocked, p.address, 0))
	e.Load(curve, gas.AnySlot(mapTotal, curve, 0))
	e.Store(curve, gas.AnySlot(mapTotal, curve, 0), first)
	for i := range uint64(curveSlots) {
		slot := gas.AnySlot(mapCurve, p.address, 0).Add(u256.From(i))
		e.Load(curve, slot)
		if i < curveSlots/2 {
			e.Store(curve, slot, first && i == 0)
		}
	}
}
