package kuru

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/gas"
	"braid/u256"
)

// What a take burns in the market, the margin account and around them,
// whatever it touches: as such, for each order, for each step of the vault,
// and for an order that is offered back.
const (
	computeSwap  = 24_000
	computeOrder = 21_801
	computeMore  = 1_200 // each order burns that for every one before it
	computeVault = 15_081
	computeStep  = 5_371
	computeFlip  = 30_000
)

// What a market and the margin account keep beside the words at their start.
const (
	mapTree = iota
	mapEdge // of the tree, where a search for the best price begins
	mapPrice
	mapOrder
	mapMoney
	mapBack
)

const (
	reads    = 17 // of its first that a take reads
	fees     = 18
	memory   = 5 // words, times the square of the orders: the list of payments is copied for each
	heights  = 3 // of the tree of prices, below its root
	newWords = 8 // that an order takes which is offered back
)

// EstimateGas counts the money of makers as none until they are seen to be paid.
// Whether fees were collected is not heard either: they count as such, but not
// both on a side that has traded.
func (p *Pool) EstimateGas(in, out int, amount u256.Int, e *gas.Estimate) {
	t, err := p.take(in, amount)
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
	e.Load(p.margin, gas.AnySlot(mapMoney, p.market, 0))
	for i := range uint64(reads) {
		e.Load(p.market, u256.From(i))
	}
	for height := range heights {
		e.Load(p.market, gas.AnySlot(mapEdge, p.market, uint32(height)<<8|uint32(in)))
	}
	e.Load(p.market, u256.From(fees))
	unseen := p.fillAll(in, &t, e)
	e.Store(p.market, u256.From(fees), !unseen || !p.traded[in])
	if p.native[out] {
		e.DeliverNative()
	} else {
		e.DeliverByExecutor(p.margin)
	}
	if p.lot[in].amount(p.lot[in].units(amount)) != amount {
		e.Dust()
	}
}

// fillAll tells of every order and step that a take meets, and whether it meets
// makers who were not seen to be paid.
func (p *Pool) fillAll(in int, t *taken, e *gas.Estimate) (unseen bool) {
	vault, rest, filled := false, p.book[in], int64(0)
	for i, l := range p.levels(in)[:t.last+1] {
		size := l.size
		if i == t.last {
			size = t.rest
		}
		if l.orders == nil {
			if !vault {
				vault = true
				p.openVault(in, e)
			}
			p.step(in, size == l.size, e)
			continue
		}
		p.climb(l.orders[0].price, size == l.size, e)
		if size == l.size {
			rest = rest[len(l.orders):]
		}
		for _, o := range l.orders {
			part := u256.Min(size, o.size)
			if part.IsZero() {
				break
			}
			size = size.Sub(part)
			e.Add(computeOrder + computeMore*filled)
			filled++
			p.fillOne(&o, e)
			unseen = unseen || !p.paid[o.maker]
		}
	}
	if len(rest) > 0 { // what is best now
		p.climb(rest[0].price, false, e)
	}
	e.Memory(memory * filled * filled)
	return unseen
}

// climb reads the tree down to a price, and takes the price out of it if
// nothing is left there.
func (p *Pool) climb(price uint32, whole bool, e *gas.Estimate) {
	for height := range heights {
		slot := gas.AnySlot(mapTree, p.market, price>>(8+8*height)).Add(u256.From(uint64(height) << 8))
		e.Load(p.market, slot)
		if whole {
			e.Store(p.market, slot, false)
		}
	}
}

func (p *Pool) fillOne(o *order, e *gas.Estimate) {
	price := gas.AnySlot(mapPrice, p.market, o.price)
	e.Load(p.market, price)
	e.Store(p.market, price, false)
	slot := gas.AnySlot(mapOrder, p.market, uint32(o.id))
	e.Load(p.market, slot)
	e.Load(p.market, slot.Add(u256.One))
	e.Store(p.market, slot.Add(u256.One), false)
	for _, token := range p.info.Tokens {
		money := gas.AnySlot(mapMoney, o.maker, uint32(token[0])<<24|uint32(token[1])<<16|uint32(token[2])<<8|uint32(token[3]))
		e.Load(p.margin, money)
		e.Store(p.margin, money, !p.paid[o.maker])
	}
	if o.flip != 0 {
		e.Add(computeFlip)
		for i := range uint64(newWords) {
			e.Store(p.market, gas.AnySlot(mapBack, p.market, uint32(o.id)).Add(u256.From(i<<8)), o.partner == 0)
		}
	}
}

// Words of the vault, by the side of the book.
var slotFilled = [2]u256.Int{bids: u256.From(4), asks: u256.From(2)}

// step takes of a step of the vault. When it is used up, prices and sizes of
// both sides move.
func (p *Pool) step(in int, whole bool, e *gas.Estimate) {
	e.Add(computeStep)
	e.Store(p.market, slotFilled[in], p.vault.filled[in].IsZero())
	if whole {
		for _, slot := range [...]uint64{0, 1, 3, 5} {
			e.Store(p.market, u256.From(slot), false)
		}
	}
}

// openVault tells of the vault's money, and of what is filled of its other side,
// which may come to be something.
func (p *Pool) openVault(in int, e *gas.Estimate) {
	e.Add(computeVault)
	e.Store(p.market, slotFilled[1-in], true)
	for _, token := range p.info.Tokens {
		money := gas.AnySlot(mapMoney, token, 2)
		e.Load(p.margin, money)
		e.Store(p.margin, money, false)
	}
}
