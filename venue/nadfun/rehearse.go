package nadfun

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/u256"
)

// What a trade burns in the router, the curve and around them, whatever it
// touches.
const (
	burntBuy  = 20_000
	burntSell = 25_000
	burntLast = 5_000
)

// What the contract of the curves keeps, beside a curve's own eight words.
const (
	keptTerms = iota
	keptTotal
	keptLocked
	keptCurve

	words = 8
)

// collector stands for who gets the fees: whether it holds any is not known.
var collector = common.Address{0: 0xfe, 19: 0xe5}

func (p *Pool) Rehearse(in, out int, amount u256.Int, s *gas.Script) {
	router, curve := routerOf(p.info.Source), p.info.Source.Factory
	first := in == mon && p.virtual[token] == p.terms.first
	s.Hollow(router)
	s.Hollow(collector)
	if in == mon {
		s.Burn(burntBuy)
		s.PayNative()
		s.Call(router)
		s.Call(curve)
		s.Deposit(router)
		s.Transfer(s.WrappedNative, router, collector, false)
		s.Transfer(s.WrappedNative, router, curve, true)
		p.store(s, first)
		if p.terms.target == p.real.Sub(p.quoted(in, out, amount)) {
			s.Burn(burntLast)
			s.Write(curve, gas.Kept(keptLocked, p.address, 0), true)
		}
		s.Deliver(curve)
		return
	}
	s.Burn(burntSell)
	s.Lend(router, curve)
	s.Call(router)
	s.Call(curve)
	p.store(s, false)
	s.Transfer(s.WrappedNative, curve, router, false)
	s.Transfer(s.WrappedNative, router, collector, false)
	s.Withdraw(router)
	s.DeliverNative()
}

// quoted is what a trade pays, of an amount that it takes.
func (p *Pool) quoted(in, out int, amount u256.Int) u256.Int {
	q, _ := p.Quote(in, out, amount)
	return q.Out
}

// store tells what the curve reads and keeps of a trade.
func (p *Pool) store(s *gas.Script, first bool) {
	curve := p.info.Source.Factory
	s.Load(curve, gas.Kept(keptTerms, p.address, 0))
	s.Load(curve, gas.Kept(keptLocked, p.address, 0))
	s.Load(curve, gas.Kept(keptTotal, curve, 0))
	s.Write(curve, gas.Kept(keptTotal, curve, 0), first)
	for i := range uint64(words) {
		slot := gas.Kept(keptCurve, p.address, 0).Add(u256.From(i))
		s.Load(curve, slot)
		if i < words/2 {
			s.Write(curve, slot, first && i == 0)
		}
	}
}
