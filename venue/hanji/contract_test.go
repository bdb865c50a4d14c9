package hanji

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

// TestDifferential holds our arithmetic to the market of the local chain.
func TestDifferential(t *testing.T) {
	venuetest.Differential(t, Name, newContract(t))
}

var (
	maker, taker = venuetest.Owner, venuetest.Taker

	factoryAt = common.HexToAddress("0x00000000000000000000000000000000000000a0")
	wrapped   = common.HexToAddress("0x00000000000000000000000000000000000000a2")

	most    = u256.Max.Rsh(128).Big()
	forever = u256.Max.Big()
)

const highest = 999_999 // the mantissa of a price

// contract is Hanji in a machine, and the market it is at.
type contract struct {
	*venuetest.Rig
	family   *Family
	tokens   []common.Address // the first is wrapped native
	pool     *Pool
	orders   []uint64
	mid      uint64 // the mantissa around which orders are placed
	exponent int
}

func newContract(t testing.TB) *contract {
	c := &contract{Rig: venuetest.NewRig(t), tokens: []common.Address{wrapped}}
	c.Put(wrapped, "WETH9")
	c.Put(factoryAt, "HanjiFactory")
	half := u256.One.Lsh(254)
	for range 2 {
		token := c.Token(18)
		c.Must(maker, token, u256.Zero, "Token", "transfer", taker, half.Big())
		c.tokens = append(c.tokens, token)
	}
	for _, who := range []common.Address{maker, taker} {
		c.Fund(who, half)
		c.Must(who, wrapped, half.Rsh(1), "WETH9", "deposit")
	}
	c.family = New([]venue.Source{{ID: "Hanji", Type: venue.CLOB, Family: Name, Factory: factoryAt}}, wrapped)
	return c
}

// open opens a market of any terms that everyone has approved.
func (c *contract) open(r *rand.Rand) error {
	i := r.IntN(len(c.tokens))
	j := (i + 1 + r.IntN(len(c.tokens)-1)) % len(c.tokens)
	power := func(up int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(r.Int64N(int64(up))), nil) }
	terms := struct {
		TokenX, TokenY                  common.Address
		SupportsNative, IsTokenXWrapped bool
		ScalingX, ScalingY              *big.Int
		AggressiveRate                  uint64
	}{
		TokenX: c.tokens[i], TokenY: c.tokens[j], SupportsNative: i*j == 0, IsTokenXWrapped: i == 0,
		ScalingX: power(18), ScalingY: power(13), AggressiveRate: r.Uint64N(3) * r.Uint64N(1e17),
	}
	c.pool, c.orders = nil, nil
	c.mid, c.exponent = 100+r.Uint64N(highest-100), r.IntN(12)
	if err := c.do(factoryAt, "HanjiFactory", "create", terms); err != nil {
		return err
	}
	for _, token := range c.pool.info.Tokens {
		c.Approve(token, c.pool.market, maker, taker)
	}
	return nil
}

// Next lets a maker without a plan loose on the market. What was heard must be
// what the market says.
func (c *contract) Next(r *rand.Rand) (venue.Pool, error) {
	if c.pool == nil || r.IntN(20) == 0 {
		if err := c.open(r); err != nil {
			return nil, err
		}
	}
	for range 1 + r.IntN(15) {
		if err := c.act(r); err != nil {
			return nil, err
		}
	}
	return c.pool, c.verify()
}

func (c *contract) act(r *rand.Rand) error {
	switch r.IntN(16) {
	case 0:
		return c.do(c.pool.market, "HanjiMarket", []string{"pause", "unpause", "unpause", "unpause", "unpause", "unpause"}[r.IntN(6)])
	case 1:
		return c.do(c.pool.market, "HanjiMarket", "setTraderFilterEnabled", r.IntN(8) == 0)
	case 2, 3, 4:
		if len(c.orders) == 0 {
			return nil
		}
		id := c.orders[r.IntN(len(c.orders))]
		return c.do(c.pool.market, "HanjiMarket", "claimOrder", maker, id, r.IntN(3) == 0, true, true, forever)
	}
	isAsk := r.IntN(2) == 0
	shares := upTo(r, u256.One.Lsh(uint(8+r.IntN(56)))).Big()
	kind := r.IntN(8)
	return c.do(c.pool.market, "HanjiMarket", "placeOrder", isAsk, shares, c.price(r, isAsk), most, kind == 0, kind > 5, true, forever)
}

// price is near the middle, mostly on its side of it.
func (c *contract) price(r *rand.Rand, isAsk bool) *big.Int {
	away := c.mid * uint64(r.IntN(60)) / 1000
	mantissa := max(c.mid-min(away, c.mid), 1)
	if isAsk != (r.IntN(10) == 0) {
		mantissa = min(c.mid+away, highest)
	}
	p := u256.From(mantissa)
	for range c.exponent {
		p = p.Mul(u256.From(10))
	}
	return p.Big()
}

// do makes a call of the maker, which may be refused, and applies its logs.
func (c *contract) do(to common.Address, name, method string, args ...any) error {
	r, err := c.Try(maker, to, u256.Zero, name, method, args...)
	if evm.IsReverted(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if method == "placeOrder" {
		if id := u256.FromBytes(r.Return[:32]); !id.IsZero() {
			c.orders = append(c.orders, id.Uint64())
		}
	}
	c.pool, err = venuetest.Applied(c.family, c.pool, r.Logs)
	return err
}

// verify holds the book to what the market says of it.
func (c *contract) verify() error {
	if c.pool.stops&inconsistent != 0 {
		return fmt.Errorf("market %s: %s", c.pool.market, c.pool.Idle())
	}
	for i, ours := range c.pool.book {
		r := c.Must(maker, c.pool.market, u256.Zero, "HanjiMarket", "book", i == y)
		said, err := c.Artifact("HanjiMarket").ABI.Unpack("book", r.Return)
		if err != nil {
			return err
		}
		prices, sizes := said[0].([]*big.Int), said[1].([]*big.Int)
		var theirs []level
		for k := range prices {
			theirs = append(theirs, level{price: u256.FromBig(prices[k]), shares: u256.FromBig(sizes[k])})
		}
		if !slices.Equal(ours.Slice(), theirs) {
			return fmt.Errorf("side %d: heard %v, the market says %v", i, ours.Slice(), theirs)
		}
	}
	return nil
}

// Swap is a take as the Executor makes it: it is refused where the market
// refuses, pays nothing, or leaves more than dust.
func (c *contract) Swap(in, out int, amount u256.Int) (paid u256.Int, ok bool, err error) {
	if amount.BitLen() > 128 {
		return u256.Zero, false, nil // there is less of any currency
	}
	units := amount.Div(c.pool.unit[in])
	tokenIn := c.pool.info.Tokens[in]
	c.Undo(func() {
		hadIn, hadOut := c.Holds(tokenIn, taker), c.balance(out)
		var r evm.Result
		if r, err = c.take(in, units); err != nil {
			return
		}
		spent := hadIn.Sub(c.Holds(tokenIn, taker))
		paid = c.balance(out).Sub(hadOut)
		dust := amount.Sub(spent)
		if in == x {
			ok = dust.Lt(c.pool.unit[x])
		} else {
			ok = dust.Mul(paid.Div(c.pool.unit[x])).Lt(spent.Lsh(1))
		}
		if ok = ok && !paid.IsZero(); ok {
			err = c.same(in, out, amount, r.Logs)
		}
	})
	return paid, ok, err
}

func (c *contract) take(in int, units u256.Int) (evm.Result, error) {
	if in == x {
		return c.Try(taker, c.pool.market, u256.Zero, "HanjiMarket", "placeOrder", true, units.Big(), big.NewInt(1), most, true, false, true, forever)
	}
	limit, _ := new(big.Int).SetString("999999000000000000000", 10)
	return c.Try(taker, c.pool.market, u256.Zero, "HanjiMarket", "placeMarketOrderWithTargetValue", false, units.Big(), limit, most, true, forever)
}

// same: the successor of a swap is what its logs make of the pool.
func (c *contract) same(in, out int, amount u256.Int, logs []*types.Log) error {
	ours, err := c.pool.Swap(in, out, amount)
	if err != nil {
		return nil // which the amounts will show
	}
	theirs, err := venuetest.Applied(c.family, c.pool, logs)
	if err != nil {
		return err
	}
	a, b := ours.(*Pool), theirs
	if a.stops != b.stops || !slices.Equal(a.book[x].Slice(), b.book[x].Slice()) || !slices.Equal(a.book[y].Slice(), b.book[y].Slice()) {
		return fmt.Errorf("the successor is %v %v, heard was %v %v", a.book[x].Slice(), a.book[y].Slice(), b.book[x].Slice(), b.book[y].Slice())
	}
	return nil
}

func (c *contract) balance(token int) u256.Int {
	if c.pool.native[token] {
		return c.Balance(taker)
	}
	return c.Holds(c.pool.info.Tokens[token], taker)
}

func upTo(r *rand.Rand, n u256.Int) u256.Int { return venuetest.Word(r).Mod(n).Add(u256.One) }
