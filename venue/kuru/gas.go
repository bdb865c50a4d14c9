package kuru

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/u256"
)

// Gas of a market order beside what gas.Estimate adds for accounts and slots: of
// the order itself, for each limit order it fills, for filling the vault at all,
// for each level of the vault, and for each flip order.
const (
	computeSwap   = 24_000
	computeFill   = 21_801
	computeMore   = 1_200 // each fill costs that much more than the one before it
	computeVault  = 15_081
	computeLevel  = 5_371
	computeFlip   = 30_000
	wordsPerFill2 = 5 // of memory, times the square of the fills: the list of payments is copied for each
)

// Mappings of a market and of the margin account, as gas.AnySlot numbers them.
const (
	mapTree     = iota // of prices
	mapTreeEdge        // where a search for the best price begins
	mapPrice
	mapOrder
	mapBalance // of an account in the margin account
	mapFlipped
)

// Storage of a market.
const (
	slotsRead  = 17 // the first slots, which every market order reads
	slotFees   = 18
	treeHeight = 3 // of the tree of prices, below its root
	orderSlots = 8 // that a new order fills
)

// EstimateGas counts the balances of makers in the margin account as zero until
// logs show that they were paid. Whether fees were collected is not logged: the
// slot of the fees counts as zero, unless the side has traded and a maker's
// balance counts as zero already. Others may trade first: of the orders that may
// follow it reports the dearest.
func (p *Pool) EstimateGas(in, out int, amount u256.Int, e *gas.Estimate) {
	then, m, err := p.dearest(in, amount, e.TradedBefore(amount))
	if err != nil {
		return
	}
	e.Add(computeSwap)
	if p.native[in] {
		e.PayNative()
	} else {
		e.PayByAllowance(p.market, p.margin)
	}
	e.Call(p.market)
	e.Call(common.Address{19: Kind}) // the code that all markets share
	e.Call(p.margin)
	e.Load(p.margin, gas.AnySlot(mapBalance, p.market, 0))
	for i := range uint64(slotsRead) {
		e.Load(p.market, u256.From(i))
	}
	for height := range treeHeight {
		e.Load(p.market, gas.AnySlot(mapTreeEdge, p.market, uint32(height)<<8|uint32(in)))
	}
	e.Load(p.market, u256.From(slotFees))
	unpaid := then.fillAll(in, &m, e)
	e.Store(p.market, u256.From(slotFees), !unpaid || !p.traded[in])
	if p.native[out] {
		e.DeliverNative()
	} else {
		e.DeliverByExecutor(p.margin)
	}
	if p.lot[in].amount(p.lot[in].units(amount)) != amount || p.lot[in].exponent > 0 && e.AmountVaries() {
		e.Dust()
	}
}

// dearest is the dearest order of an amount that may follow trades of others, and
// the market then. Up to an amount of its input, traded, they trade in its direction,
// so that it fills further levels, or in the other, which brings levels of the vault
// before it.
func (p *Pool) dearest(in int, amount, traded u256.Int) (then *Pool, m match, err error) {
	then = p
	if m, err = p.order(in, amount); err != nil || traded.IsZero() {
		return then, m, err
	}
	back, _ := m.paid.MulDiv(traded, amount)
	if next, err := p.Swap(1-in, in, back); err == nil {
		after := next.(*Pool)
		if n, err := after.order(in, amount); err == nil && n.gas > m.gas {
			then, m = after, n
		}
	}
	for ; !traded.IsZero(); traded = traded.Rsh(2) {
		if n, err := p.order(in, amount.Add(traded)); err == nil {
			if n.gas > m.gas {
				then, m = p, n
			}
			break
		}
	}
	return then, m, nil
}

// fillAll reports every limit order and vault level that a market order fills,
// and tells whether logs do not show some of the makers to have been paid.
func (p *Pool) fillAll(in int, m *match, e *gas.Estimate) (unpaid bool) {
	vault, best, filled := false, 0, int64(0) // best is the place of the best order after it
	for i, l := range p.levels(in)[:m.last+1] {
		size := l.size
		if i == m.last {
			size = m.lastSize
		}
		if l.orders == nil {
			if !vault {
				vault = true
				p.openVault(in, e)
			}
			p.fillVault(in, size == l.size, e)
			continue
		}
		p.descend(l.orders[0].price, size == l.size, e)
		if size == l.size {
			best += len(l.orders)
		}
		for _, o := range l.orders {
			part := u256.Min(size, o.size)
			if part.IsZero() {
				break
			}
			size = size.Sub(part)
			e.Add(computeFill + computeMore*filled)
			filled++
			p.fillOne(&o, e)
			unpaid = unpaid || !p.wasPaid(o.maker)
		}
	}
	if best < p.book[in].Len() {
		p.descend(p.book[in].At(best).price, false, e)
	}
	e.Memory(wordsPerFill2 * filled * filled)
	return unpaid
}

// descend reports a walk down the tree to a price, which is removed from the
// tree if the level is filled whole.
func (p *Pool) descend(price uint32, whole bool, e *gas.Estimate) {
	for height := range treeHeight {
		slot := gas.AnySlot(mapTree, p.market, price>>(8+8*height)).Add(u256.From(uint64(height) << 8))
		e.Load(p.market, slot)
		if whole {
			e.Store(p.market, slot, false)
		}
	}
}

// fillOne reports the fill of a limit order, and the payments of its maker.
func (p *Pool) fillOne(o *order, e *gas.Estimate) {
	price := gas.AnySlot(mapPrice, p.market, o.price)
	e.Load(p.market, price)
	e.Store(p.market, price, false)
	slot := gas.AnySlot(mapOrder, p.market, uint32(o.id))
	e.Load(p.market, slot)
	e.Load(p.market, slot.Add(u256.One))
	e.Store(p.market, slot.Add(u256.One), false)
	for _, token := range p.info.Tokens {
		balance := gas.AnySlot(mapBalance, o.maker, uint32(token[0])<<24|uint32(token[1])<<16|uint32(token[2])<<8|uint32(token[3]))
		e.Load(p.margin, balance)
		e.Store(p.margin, balance, !p.wasPaid(o.maker))
	}
	if o.flip != 0 {
		e.Add(computeFlip)
		for i := range uint64(orderSlots) {
			e.Store(p.market, gas.AnySlot(mapFlipped, p.market, uint32(o.id)).Add(u256.From(i<<8)), o.partner == 0)
		}
	}
}

// slotFilled holds what of the vault's best level was filled, by side.
var slotFilled = [2]u256.Int{bids: u256.From(4), asks: u256.From(2)}

// fillVault reports the fill of a level of the vault. When it is used up, prices
// and sizes of both sides move.
func (p *Pool) fillVault(in int, whole bool, e *gas.Estimate) {
	e.Add(computeLevel)
	e.Store(p.market, slotFilled[in], p.vault.filled[in].IsZero())
	if whole {
		for _, slot := range [...]uint64{0, 1, 3, 5} {
			e.Store(p.market, u256.From(slot), false)
		}
	}
}

// openVault reports the vault's balances, and what is filled of its other side,
// which may become non-zero.
func (p *Pool) openVault(in int, e *gas.Estimate) {
	e.Add(computeVault)
	e.Store(p.market, slotFilled[1-in], true)
	for _, token := range p.info.Tokens {
		balance := gas.AnySlot(mapBalance, token, 2)
		e.Load(p.margin, balance)
		e.Store(p.margin, balance, false)
	}
}
