package kuru

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/evm"
	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

// TestDifferential holds the market's arithmetic to Kuru's own bytecode.
func TestDifferential(t *testing.T) {
	venuetest.Differential(t, Name, &wild{market: &market{exchange: newExchange(t)}})
}

// wild is a maker without a plan, in one market after the other.
type wild struct {
	*market
	mid   int64 // where it quotes, times pricePrecision
	scale int64 // what it quotes at most, times sizePrecision
}

// statesPerMarket is how long a market is traded on before another is opened.
const statesPerMarket = 20

func (c *wild) Next(r *rand.Rand) (venue.Pool, error) {
	if c.pool == nil || r.IntN(statesPerMarket) == 0 {
		if err := c.enter(r); err != nil {
			return nil, err
		}
	}
	for range 1 + r.IntN(20) {
		if err := c.act(r); err != nil {
			return nil, err
		}
	}
	return c.pool, c.verify()
}

// enter opens a market of any precisions, fees and tokens.
func (c *wild) enter(r *rand.Rand) error {
	assets := []common.Address{{}, c.tokens[6], c.tokens[8], c.tokens[18]}
	i := r.IntN(len(assets))
	j := (i + 1 + r.IntN(len(assets)-1)) % len(assets)
	power := func(low, high int) int64 {
		n := int64(1)
		for range low + r.IntN(high-low+1) {
			n *= 10
		}
		return n
	}
	fee := r.Int64N(100)
	terms := conditions{
		Base: assets[i], Quote: assets[j],
		SizePrecision: big.NewInt(power(1, 12)), PricePrecision: uint32(power(1, 9)),
		TickSize: uint32(power(0, 2)), MinSize: upTo(r, 1<<62), MaxSize: big.NewInt(1 << 62),
		TakerFeeBps: big.NewInt(fee), MakerFeeBps: big.NewInt(r.Int64N(fee/2 + 1)), Spread: big.NewInt(10 * (1 + r.Int64N(49))),
	}
	terms.MinSize = upTo(r, 1000)
	m, err := c.open(terms)
	if err != nil {
		return err
	}
	c.market, c.mid, c.scale = m, power(3, 9)*(1+r.Int64N(4)), power(3, 15)
	for _, token := range []common.Address{terms.Base, terms.Quote} {
		c.deposit(m.vault, token, 140)
	}
	return nil
}

// act does something to the market, which may refuse.
func (c *wild) act(r *rand.Rand) error {
	size := func() *big.Int { return upTo(r, c.scale) }
	switch r.IntN(12) {
	case 0, 1, 2:
		return c.do(c.at, "KuruOrderBook", "addBuyOrder", c.price(r, -1), size(), false)
	case 3, 4, 5:
		return c.do(c.at, "KuruOrderBook", "addSellOrder", c.price(r, 1), size(), false)
	case 6:
		return c.do(c.at, "KuruOrderBook", "addFlipBuyOrder", c.price(r, -1), c.price(r, 1), size(), false)
	case 7:
		return c.do(c.at, "KuruOrderBook", "addFlipSellOrder", c.price(r, 1), c.price(r, -1), size(), false)
	case 8:
		return c.do(c.at, "KuruOrderBook", "addPairedLiquidity", c.price(r, -1), c.price(r, 1), size(), size())
	case 9:
		return c.cancel(r)
	case 10:
		return c.provide(r)
	}
	in := r.IntN(2)
	amount := u256.FromFloat(c.pool.Depth(in) * r.Float64() * 2)
	_, done, err := c.take(in, u256.Min(c.pool.lot[in].units(amount), max96).Big())
	if evm.IsReverted(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.apply(done.Logs)
}

// price is near the middle, mostly on its side of it.
func (c *wild) price(r *rand.Rand, side int64) uint32 {
	tick := int64(c.terms.TickSize)
	p := c.mid + side*c.mid*(r.Int64N(60)-3)/1000
	return uint32(max(p/tick*tick, tick))
}

func (c *wild) cancel(r *rand.Rand) error {
	side := r.IntN(2)
	orders := c.pool.book[side].Slice()
	if len(orders) == 0 {
		return nil
	}
	o, method := orders[r.IntN(len(orders))], "batchCancelOrders"
	if o.flip != 0 {
		method = "batchCancelFlipOrders"
	}
	if c.stale(side, o.id) || c.stale(1-side, o.partner) {
		return nil
	}
	return c.do(c.at, "KuruOrderBook", method, []*big.Int{new(big.Int).SetUint64(o.id)})
}

// stale tells whether an order follows one that was filled. If it is canceled
// this build loses the next order placed at its price; the published source
// has that mended.
func (c *wild) stale(side int, id uint64) bool {
	if id == 0 {
		return false
	}
	previous := c.ask("s_orders", new(big.Int).SetUint64(id)).Uint64(2)
	_, found := c.pool.find(side, previous)
	return previous != 0 && !found
}

// provide sets the vault's ladder.
func (c *wild) provide(r *rand.Rand) error {
	size, spread := u256.FromBig(upTo(r, c.scale)), c.pool.spread
	price := u256.From(uint64(c.mid)).Mul(c.pool.toWad).Add(u256.From(r.Uint64N(1000)))
	bid, _ := mulDivRound(price, one, one.Add(spread))
	bidSize := size.Mul(double.Add(spread)).Div(double)
	return c.do(c.vault, "KuruVault", "offer", size.Big(), bidSize.Big(), price.Big(), bid.Big())
}

// Swap is refused where the market refuses, pays nothing, or fills more than
// we let it.
func (c *wild) Swap(in, out int, amount u256.Int) (paid u256.Int, ok bool, err error) {
	units := c.pool.lot[in].units(amount)
	if amount.BitLen() > 128 || !units.Lt(max96) {
		return u256.Zero, false, nil
	}
	// The vault's ladder has no end: a take too large climbs it until the gas
	// is used up, so it gets no more than it may need.
	all := c.Gas
	c.Gas = 1_000_000 + 250_000*uint64(c.pool.book[in].Len()) + 10_000*MaxFills
	defer func() { c.Gas = all }()
	c.Undo(func() {
		got, done, refused := c.take(in, units.Big())
		if err = refused; err != nil {
			return
		}
		trades := 0
		for _, log := range done.Logs {
			if log.Topics[0] == topicTraded {
				trades++
			}
		}
		if paid, ok = got, !got.IsZero() && trades <= MaxFills; ok {
			err = c.same(in, out, amount, done)
		}
	})
	return paid, ok, err
}

// same: the successor of a swap is what its logs make of the pool, and the gas
// that was quoted is enough.
func (c *wild) same(in, out int, amount u256.Int, done evm.Result) error {
	after, err := venuetest.Applied(c.family, c.pool, done.Logs)
	if err != nil {
		return err
	}
	q, err := c.pool.Quote(in, out, amount)
	if err != nil {
		return nil // Differential will say so
	}
	if q.Gas < done.Gas {
		return fmt.Errorf("a swap of %v from %d burns %d gas, not %d", amount, in, done.Gas, q.Gas)
	}
	p, err := c.pool.Swap(in, out, amount)
	if err != nil {
		return err
	}
	next := p.(*Pool)
	// This build rounds the other side of the vault anew; the proxy says so.
	if slices.ContainsFunc(done.Logs, func(l *types.Log) bool { return l.Topics[0] == topicVault }) {
		next.vault.price[out], next.vault.size[out] = after.vault.price[out], after.vault.size[out]
	}
	if !slices.Equal(after.book[bids].Slice(), next.book[bids].Slice()) || !slices.Equal(after.book[asks].Slice(), next.book[asks].Slice()) ||
		after.vault != next.vault || after.last != next.last {
		return fmt.Errorf("after a swap of %v from %d: heard %v %v %v, foretold %v %v %v", amount, in,
			after.book[bids].Slice(), after.book[asks].Slice(), after.vault, next.book[bids].Slice(), next.book[asks].Slice(), next.vault)
	}
	return nil
}
