package univ3_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/evm"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ3"
	"braid/venuetest"
)

// TestDifferential holds the arithmetic to the pools' own bytecode: Uniswap's,
// Pancake's, and that of a fork with a callback of its own.
func TestDifferential(t *testing.T) {
	venuetest.Differential(t, univ3.Name, newContract(t))
}

var owner = venuetest.Owner

// contract is one pool after the other, of real factories, with tokens of
// ours.
type contract struct {
	*venuetest.Rig
	venuetest.Ranges
	family    *univ3.Family
	factories []common.Address // the last is Pancake's
	actor     common.Address

	pool    venue.Pool
	address common.Address
}

func newContract(t testing.TB) *contract {
	c := &contract{Rig: venuetest.NewRig(t)}
	c.factories = []common.Address{c.Deploy("UniswapV3Factory"), c.Deploy("UniswapV3Factory-capricornCLSwapCallback")}
	for _, at := range c.factories {
		c.Must(owner, at, u256.Zero, "UniswapV3Factory", "enableFeeAmount", big.NewInt(100), big.NewInt(1))
	}
	// Pancake's factory and its deployer have to know each other: one of them
	// is told where the other will stand.
	deployer := common.HexToAddress("0x41ff9AA7e16B8B1a8a8dc4f0eFacd93D02d071c9")
	pancake := c.Deploy("PancakeV3Factory", deployer)
	c.Put(deployer, "PancakeV3Deployer", pancake, c.Artifact("PancakeV3Pool").Code)
	c.factories, c.actor = append(c.factories, pancake), c.Deploy("V3Actor")
	var rows []venue.Source
	for _, at := range c.factories {
		rows = append(rows, venue.Source{ID: "Fork", Type: venue.V3, Family: univ3.Name, Factory: at})
	}
	c.family = univ3.New(rows)
	return c
}

// call makes a call and applies its logs.
func (c *contract) call(to common.Address, name, method string, args ...any) error {
	r, err := c.Try(owner, to, u256.Zero, name, method, args...)
	if err != nil {
		return err
	}
	return c.apply(r.Logs)
}

func (c *contract) apply(logs []*types.Log) (err error) {
	c.pool, err = venuetest.Applied(c.family, c.pool, logs)
	return err
}

// ask makes a call that only reads the pool.
func (c *contract) ask(method string) []byte {
	return c.Must(owner, c.address, u256.Zero, "UniswapV3Pool", method).Return
}

// Next is now and then a new pool, else the old one after more liquidity, less
// of it, and swaps, some of which stop exactly at a tick.
func (c *contract) Next(r *rand.Rand) (venue.Pool, error) {
	if c.pool == nil || r.IntN(12) == 0 {
		if _, err := c.Open(r); err != nil {
			return nil, err
		}
	}
	for range 1 + r.IntN(3) {
		var err error
		switch k := r.IntN(10); {
		case k < 4 || len(c.List) == 0:
			err = c.mint(r)
		case k < 6:
			err = c.burn(r)
		default:
			err = c.move(r)
		}
		if err != nil {
			return nil, err
		}
	}
	return c.pool, c.read()
}

func (c *contract) Open(r *rand.Rand) (venue.Pool, error) {
	var tokens [2]common.Address
	for i := range tokens {
		tokens[i] = c.Deploy("Token", "T", "T", uint8(18), owner, u256.Max.Rsh(1).Big())
		c.Approve(tokens[i], c.actor, owner)
	}
	at := c.factories[r.IntN(len(c.factories))]
	fee := []int64{100, 500, 3000, 10_000}[r.IntN(4)]
	if at == c.factories[2] && fee == 3000 {
		fee = 2500
	}
	c.pool, c.List = nil, nil
	if err := c.call(at, "UniswapV3Factory", "createPool", tokens[0], tokens[1], big.NewInt(fee)); err != nil {
		return nil, err
	}
	c.address = common.HexToAddress(string(c.pool.Info().ID))
	c.Spacing = int32(u256.FromBytes(c.ask("tickSpacing")).Uint64())
	if err := c.call(c.address, "UniswapV3Pool", "initialize", venuetest.Start(r).Big()); err != nil {
		return nil, err
	}
	return c.pool, c.read()
}

func (c *contract) mint(r *rand.Rand) error {
	p := c.Another(r)
	err := c.call(c.actor, "V3Actor", "mint", c.address, big.NewInt(int64(p.Lower)), big.NewInt(int64(p.Upper)), p.Liquidity.Big())
	if err == nil {
		c.List = append(c.List, p)
	}
	if evm.IsReverted(err) { // more than a tick may hold
		return nil
	}
	return err
}

func (c *contract) burn(r *rand.Rand) error {
	i, part := c.Part(r)
	p := c.List[i]
	c.Remove(i, part)
	return c.call(c.address, "UniswapV3Pool", "burn", big.NewInt(int64(p.Lower)), big.NewInt(int64(p.Upper)), part.Big())
}

// move swaps to a price.
func (c *contract) move(r *rand.Rand) error {
	target, ok := c.Target(r)
	if !ok {
		return nil
	}
	return c.swap(target.Lt(c.At.Price), u256.One.Lsh(200), target)
}

func (c *contract) swap(down bool, amount, limit u256.Int) error {
	if err := c.call(c.actor, "V3Actor", "swap", c.address, down, amount.Big(), limit.Big()); err != nil {
		return err
	}
	return c.read()
}

// read asks the pool where it stands: our pool must have heard the same.
func (c *contract) read() error {
	b := c.ask("slot0")
	c.At = ticks.Point{Price: u256.FromBytes(b[:32]), Tick: int32(uint32(u256.FromBytes(b[32:64]).Uint64()))}
	if idle := c.pool.(*univ3.Pool).Idle(); idle != "" {
		return errors.New(idle)
	}
	return nil
}

// Swap is what the pool pays for all of the amount, at any price.
func (c *contract) Swap(in, out int, amount u256.Int) (paid u256.Int, ok bool, err error) {
	if amount.BitLen() > 255 { // an exact output, to the pool
		return u256.Zero, false, nil
	}
	c.Undo(func() {
		var r evm.Result
		r, err = c.Try(owner, c.actor, u256.Zero, "V3Actor", "swap", c.address, in == 0, amount.Big(), c.Limit(in).Big())
		if err != nil {
			return
		}
		taken, given := u256.FromBytes(r.Return[32*in:32*in+32]), u256.FromBytes(r.Return[32*out:32*out+32])
		paid = u256.Zero.Sub(given)
		ok = taken == amount && !paid.IsZero()
	})
	return paid, ok, err
}

func (c *contract) Trade(in int, amount u256.Int) (venue.Pool, error) {
	err := c.swap(in == 0, amount, c.Limit(in))
	return c.pool, err
}
