package hanji

import (
	"fmt"

	"braid/u256"
	"braid/venue"
)

// Gas limits of the transactions of Open.
const (
	createGas  = 4_000_000
	approveGas = 100_000
	orderGas   = 400_000
)

// stageRate is the fee of a taker on the local chain: five basis points.
const stageRate = 500_000_000_000_000

// offsets are how far from the middle price the orders of a market are placed,
// in basis points. Order i on a side has i+1 parts of the amount.
var offsets = []uint64{3, 8, 15, 30, 60, 120, 250, 500}

// Etch places the factories.
func (f *Family) Etch(site venue.Site) error {
	for _, source := range f.sources {
		if err := venue.Etch(site, source.Factory, "HanjiFactory"); err != nil {
			return fmt.Errorf("hanji: factory of %s: %w", source.ID, err)
		}
	}
	return nil
}

// Open creates all markets, reads their addresses from the logs, then places the
// orders.
func (f *Family) Open(site venue.Site, listings []venue.Listing) error {
	var own []venue.Listing
	var create, place []venue.Tx
	for _, l := range listings {
		if f.sources[l.Source.Factory] == nil {
			continue
		}
		own = append(own, l)
		create = append(create, venue.Tx{To: l.Source.Factory, Data: f.createCall(l), Gas: createGas})
	}
	logs, err := site.Send(create)
	if err != nil {
		return fmt.Errorf("hanji: create markets: %w", err)
	}
	for i, l := range own {
		made, err := venue.EventIn[created](f, logs[i])
		if err != nil {
			return fmt.Errorf("hanji: create markets: %w", err)
		}
		place = append(place, made.pool.orders(l)...)
	}
	if _, err := site.Send(place); err != nil {
		return fmt.Errorf("hanji: place orders: %w", err)
	}
	return nil
}

func (f *Family) createCall(l venue.Listing) []byte {
	unit := units(l.Amounts)
	wrapped := func(i int) bool { return l.Tokens[i] == f.wrappedNative }
	return venue.Calldata("create((address,address,bool,bool,uint256,uint256,uint64))",
		l.Tokens[x][:], l.Tokens[y][:], flag(wrapped(x) || wrapped(y)), flag(wrapped(x)),
		venue.Word(unit[x]), venue.Word(unit[y]), venue.Signed(stageRate))
}

// units are powers of ten, in raw units of both tokens, in which the price has
// five digits and the amount of X, if possible, ten: smaller units leave less
// dust.
func units(amounts []u256.Int) [2]u256.Int {
	ten, low, high := u256.From(10), u256.From(20_000), u256.From(200_000)
	unit := [2]u256.Int{u256.One, u256.One}
	price := func() u256.Int { return amounts[y].Mul(unit[x]).Div(amounts[x].Mul(unit[y])) }
	for amounts[x].Div(unit[x]).Gt(u256.From(10_000_000_000)) || price().Lt(low) {
		unit[x] = unit[x].Mul(ten)
	}
	for !price().Lt(high) {
		unit[y] = unit[y].Mul(ten)
	}
	return unit
}

// orders are the transactions that place the amounts of a listing around its
// price.
func (p *Pool) orders(l venue.Listing) []venue.Tx {
	var txs []venue.Tx
	for _, token := range l.Tokens {
		txs = append(txs, venue.Tx{To: token, Data: venue.Calldata("approve(address,uint256)", p.market[:], venue.Word(u256.Max)), Gas: approveGas})
	}
	order := func(isAsk bool, shares, price u256.Int) {
		data := venue.Calldata("placeOrder(bool,uint128,uint72,uint128,bool,bool,bool,uint256)",
			flag(isAsk), venue.Word(shares), venue.Word(price), nil, flag(false), flag(true), flag(true), venue.Word(u256.Max))
		txs = append(txs, venue.Tx{To: p.market, Data: data, Gas: orderGas})
	}
	const bps = 10_000
	mid := func(n uint64) u256.Int { // times n/10000
		return l.Amounts[y].Mul(p.unit[x]).Mul(u256.From(n)).Div(l.Amounts[x].Mul(p.unit[y]).Mul(u256.From(bps)))
	}
	parts := u256.From(uint64(len(offsets) * (len(offsets) + 1) / 2))
	for i, away := range offsets {
		share := func(token int) u256.Int {
			return l.Amounts[token].Div(p.unit[token]).Mul(u256.From(uint64(i + 1))).Div(parts)
		}
		ask, bid := mid(bps+away).Add(u256.One), mid(bps-away)
		order(true, share(x), ask)
		order(false, share(y).Div(bid), bid)
	}
	return txs
}

func flag(b bool) []byte {
	if b {
		return []byte{1}
	}
	return nil
}
