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
	burnt      = 24_000
	burntOrder = 21_801
	burntMore  = 1_200 // each order burns that for every one before it
	burntVault = 15_081
	burntStep  = 5_371
	burntFlip  = 30_000
)

// What a market and the margin account keep beside the words at their start.
const (
	keptTree = iota
	keptEdge // of the tree, where a search for the best price begins
	keptPrice
	keptOrder
	keptMoney
	keptBack
)

const (
	reads    = 17 // of its first that a take reads
	fees     = 18
	memory   = 5 // words, times the square of the orders: the list of payments is copied for each
	heights  = 3 // of the tree of prices, below its root
	newWords = 8 // that an order takes which is offered back
)

// Rehearse counts the money of makers as none until they are seen to be paid.
// Whether fees were collected is not heard either: they count as such, but not
// both on a side that has traded.
func (p *Pool) Rehearse(in, out int, amount u256.Int, s *gas.Script) {
	t, err := p.take(in, amount)
	if err != nil {
		return
	}
	s.Burn(burnt)
	if p.native[in] {
		s.PayNative()
	} else {
		s.Lend(p.market, p.margin)
	}
	s.Call(p.market)
	s.Call(common.Address{19: Kind}) // the code that all markets share
	s.Call(p.margin)
	s.Load(p.margin, gas.Kept(keptMoney, p.market, 0))
	for i := range uint64(reads) {
		s.Load(p.market, u256.From(i))
	}
	for height := range heights {
		s.Load(p.market, gas.Kept(keptEdge, p.market, uint32(height)<<8|uint32(in)))
	}
	s.Load(p.market, u256.From(fees))
	unseen := p.fillAll(in, &t, s)
	s.Write(p.market, u256.From(fees), !unseen || !p.traded[in])
	if p.native[out] {
		s.DeliverNative()
	} else {
		s.DeliverHere(p.margin)
	}
	if p.lot[in].amount(p.lot[in].units(amount)) != amount {
		s.Dust()
	}
}

// fillAll tells of every order and step that a take meets, and whether it meets
// makers who were not seen to be paid.
func (p *Pool) fillAll(in int, t *taken, s *gas.Script) (unseen bool) {
	vault, rest, filled := false, p.book[in], int64(0)
	for i, l := range p.levels(in)[:t.last+1] {
		size := l.size
		if i == t.last {
			size = t.rest
		}
		if l.orders == nil {
			if !vault {
				vault = true
				p.openVault(in, s)
			}
			p.step(in, size == l.size, s)
			continue
		}
		p.climb(l.orders[0].price, size == l.size, s)
		if size == l.size {
			rest = rest[len(l.orders):]
		}
		for _, o := range l.orders {
			part := u256.Min(size, o.size)
			if part.IsZero() {
				break
			}
			size = size.Sub(part)
			s.Burn(burntOrder + burntMore*filled)
			filled++
			p.fillOne(&o, s)
			unseen = unseen || !p.paid[o.maker]
		}
	}
	if len(rest) > 0 { // what is best now
		p.climb(rest[0].price, false, s)
	}
	s.Memory(memory * filled * filled)
	return unseen
}

// climb reads the tree down to a price, and takes the price out of it if
// nothing is left there.
func (p *Pool) climb(price uint32, whole bool, s *gas.Script) {
	for height := range heights {
		slot := gas.Kept(keptTree, p.market, price>>(8+8*height)).Add(u256.From(uint64(height) << 8))
		s.Load(p.market, slot)
		if whole {
			s.Write(p.market, slot, false)
		}
	}
}

func (p *Pool) fillOne(o *order, s *gas.Script) {
	price := gas.Kept(keptPrice, p.market, o.price)
	s.Load(p.market, price)
	s.Write(p.market, price, false)
	slot := gas.Kept(keptOrder, p.market, uint32(o.id))
	s.Load(p.market, slot)
	s.Load(p.market, slot.Add(u256.One))
	s.Write(p.market, slot.Add(u256.One), false)
	for _, token := range p.info.Tokens {
		money := gas.Kept(keptMoney, o.maker, uint32(token[0])<<24|uint32(token[1])<<16|uint32(token[2])<<8|uint32(token[3]))
		s.Load(p.margin, money)
		s.Write(p.margin, money, !p.paid[o.maker])
	}
	if o.flip != 0 {
		s.Burn(burntFlip)
		for i := range uint64(newWords) {
			s.Write(p.market, gas.Kept(keptBack, p.market, uint32(o.id)).Add(u256.From(i<<8)), o.partner == 0)
		}
	}
}

// Words of the vault, by the side of the book.
var slotFilled = [2]u256.Int{bids: u256.From(4), asks: u256.From(2)}

// step takes of a step of the vault. When it is used up, prices and sizes of
// both sides move.
func (p *Pool) step(in int, whole bool, s *gas.Script) {
	s.Burn(burntStep)
	s.Write(p.market, slotFilled[in], p.vault.filled[in].IsZero())
	if whole {
		for _, slot := range [...]uint64{0, 1, 3, 5} {
			s.Write(p.market, u256.From(slot), false)
		}
	}
}

// openVault tells of the vault's money, and of what is filled of its other side,
// which may come to be something.
func (p *Pool) openVault(in int, s *gas.Script) {
	s.Burn(burntVault)
	s.Write(p.market, slotFilled[1-in], true)
	for _, token := range p.info.Tokens {
		money := gas.Kept(keptMoney, token, 2)
		s.Load(p.margin, money)
		s.Write(p.margin, money, false)
	}
}
