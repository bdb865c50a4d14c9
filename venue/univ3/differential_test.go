package univ3_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/contracts"
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
	c, err := newContract()
	if err != nil {
		t.Fatalf("%v: run make artifacts", err)
	}
	venuetest.Differential(t, univ3.Name, c)
}

var owner = common.HexToAddress("0x00000000000000000000000000000000000000fe")

// contract is one pool after the other, of real factories, with tokens of
// ours.
type contract struct {
	machine   *evm.Machine
	family    *univ3.Family
	factories []common.Address
	abi       map[string]contracts.Contract
	actor     common.Address

	pool      venue.Pool
	address   common.Address
	spacing   int32
	at        ticks.Point
	positions []position
}

type position struct {
	lower, upper int32
	liquidity    u256.Int
}

func newContract() (*contract, error) {
	c := &contract{machine: evm.New(evm.Rules(143)), abi: map[string]contracts.Contract{"Token": contracts.Token}}
	for _, name := range []string{
		"UniswapV3Factory", "UniswapV3Factory-capricornCLSwapCallback", "UniswapV3Pool",
		"PancakeV3Factory", "PancakeV3Pool", "PancakeV3Deployer", "V3Actor",
	} {
		artifact, err := contracts.Read("../../build/artifacts/" + name + ".json")
		if err != nil {
			return nil, err
		}
		c.abi[name] = artifact
	}
	plain, err := c.create("UniswapV3Factory")
	renamed, err2 := c.create("UniswapV3Factory-capricornCLSwapCallback")
	pancake, err3 := c.createPancake()
	actor, err4 := c.create("V3Actor")
	if err := errors.Join(err, err2, err3, err4); err != nil {
		return nil, err
	}
	c.factories, c.actor = []common.Address{plain, renamed, pancake}, actor
	var rows []venue.Source
	for _, at := range c.factories {
		rows = append(rows, venue.Source{ID: "Fork", Type: venue.V3, Family: univ3.Name, Factory: at})
		if at != pancake {
			if _, err := c.call(at, "UniswapV3Factory", "enableFeeAmount", big.NewInt(100), big.NewInt(1)); err != nil {
				return nil, err
			}
		}
	}
	c.family = univ3.New(rows)
	return c, nil
}

func (c *contract) create(name string, args ...any) (common.Address, error) {
	return c.machine.Create(owner, c.abi[name].Init(args...))
}

// createPancake makes a factory and its deployer, each of which has to know
// the other: one of them is told where the other will stand.
func (c *contract) createPancake() (common.Address, error) {
	deployer := common.HexToAddress("0x41ff9AA7e16B8B1a8a8dc4f0eFacd93D02d071c9")
	factory, err := c.create("PancakeV3Factory", deployer)
	if err == nil {
		_, err = c.machine.Etch(owner, deployer, c.abi["PancakeV3Deployer"].Init(factory, c.abi["PancakeV3Pool"].Code))
	}
	return factory, err
}

// call makes a call that must succeed and lets the family hear its logs.
func (c *contract) call(to common.Address, name, method string, args ...any) ([]byte, error) {
	r, err := c.machine.Call(owner, to, u256.Zero, pack(c.abi[name], method, args...))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return r.Return, c.hear(r.Logs)
}

func (c *contract) hear(logs []*types.Log) error {
	if c.family == nil {
		return nil
	}
	for _, log := range logs {
		e, err := c.family.Decode(log)
		if err != nil {
			return err
		}
		if e == nil {
			continue
		}
		if c.pool, err = c.family.Apply(c.pool, e); err != nil {
			return err
		}
	}
	return nil
}

// Next is now and then a new pool, else the old one after more liquidity, less
// of it, and swaps, some of which stop exactly at a tick.
func (c *contract) Next(r *rand.Rand) (venue.Pool, error) {
	if c.pool == nil || r.IntN(12) == 0 {
		if err := c.open(r); err != nil {
			return nil, err
		}
	}
	for range 1 + r.IntN(3) {
		var err error
		switch k := r.IntN(10); {
		case k < 4 || len(c.positions) == 0:
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

func (c *contract) open(r *rand.Rand) error {
	var tokens [2]common.Address
	for i := range tokens {
		var err error
		if tokens[i], err = c.create("Token", "T", "T", uint8(18), owner, u256.Max.Rsh(1).Big()); err != nil {
			return err
		}
		if _, err := c.call(tokens[i], "Token", "approve", c.actor, u256.Max.Big()); err != nil {
			return err
		}
	}
	at := c.factories[r.IntN(len(c.factories))]
	fee := []int64{100, 500, 3000, 10_000}[r.IntN(4)]
	if at == c.factories[2] && fee == 3000 {
		fee = 2500
	}
	c.pool, c.positions = nil, nil
	if _, err := c.call(at, "UniswapV3Factory", "createPool", tokens[0], tokens[1], big.NewInt(fee)); err != nil {
		return err
	}
	c.address = common.HexToAddress(string(c.pool.Info().ID))
	spacing, err := c.call(c.address, "UniswapV3Pool", "tickSpacing")
	if err != nil {
		return err
	}
	c.spacing = int32(u256.FromBytes(spacing).Uint64())
	tick := int32(r.IntN(2*ticks.MaxTick)) + ticks.MinTick
	if r.IntN(3) > 0 {
		tick = int32(r.NormFloat64() * 50_000)
	}
	price := between(r, tick)
	if _, err := c.call(c.address, "UniswapV3Pool", "initialize", price.Big()); err != nil {
		return err
	}
	return c.read()
}

// between is a price of the tick.
func between(r *rand.Rand, tick int32) u256.Int {
	tick = max(ticks.MinTick, min(ticks.MaxTick-1, tick))
	low, high := ticks.GetSqrtRatioAtTick(tick), ticks.GetSqrtRatioAtTick(tick+1)
	if r.IntN(3) == 0 {
		return low
	}
	return low.Add(u256.FromBytes(randomBytes(r)).Mod(high.Sub(low)))
}

func (c *contract) mint(r *rand.Rand) error {
	edge := ticks.MaxTick / c.spacing
	here := c.at.Tick / c.spacing
	reach := int32(1) << r.IntN(21)
	if c.spacing == 1 {
		reach = min(reach, 1<<17) // or a swap burns more than a transaction may
	}
	pick := func() int32 { return max(-edge, min(edge, here+r.Int32N(2*reach+1)-reach)) * c.spacing }
	p := position{lower: pick(), upper: pick(), liquidity: u256.FromBytes(randomBytes(r)).Rsh(uint(146 + r.IntN(110))).Add(u256.One)}
	if p.lower > p.upper {
		p.lower, p.upper = p.upper, p.lower
	}
	if len(c.positions) > 0 && r.IntN(4) == 0 { // one that ends where another begins
		p.upper = c.positions[r.IntN(len(c.positions))].lower
	}
	if p.lower >= p.upper {
		p.lower = max(here-reach, -edge) * c.spacing
		p.upper = min(here+reach, edge) * c.spacing
	}
	_, err := c.call(c.actor, "V3Actor", "mint", c.address, big.NewInt(int64(p.lower)), big.NewInt(int64(p.upper)), p.liquidity.Big())
	if err == nil {
		c.positions = append(c.positions, p)
	}
	if evm.IsReverted(errors.Unwrap(err)) { // more than a tick may hold
		return nil
	}
	return err
}

func (c *contract) burn(r *rand.Rand) error {
	i := r.IntN(len(c.positions))
	p := &c.positions[i]
	part := p.liquidity
	if r.IntN(2) == 0 {
		part = u256.FromBytes(randomBytes(r)).Mod(p.liquidity.Add(u256.One))
	}
	_, err := c.call(c.address, "UniswapV3Pool", "burn", big.NewInt(int64(p.lower)), big.NewInt(int64(p.upper)), part.Big())
	if p.liquidity = p.liquidity.Sub(part); p.liquidity.IsZero() {
		c.positions = append(c.positions[:i], c.positions[i+1:]...)
	}
	return err
}

// move swaps to a price near by, or to that of a position's end.
func (c *contract) move(r *rand.Rand) error {
	target := between(r, c.at.Tick+int32(r.NormFloat64()*float64(int32(1)<<r.IntN(17))))
	if r.IntN(2) == 0 && len(c.positions) > 0 {
		p := c.positions[r.IntN(len(c.positions))]
		target = ticks.GetSqrtRatioAtTick([]int32{p.lower, p.upper}[r.IntN(2)])
	}
	if target == c.at.Price || !target.Gt(ticks.MinSqrtRatio) || !target.Lt(ticks.MaxSqrtRatio) {
		return nil
	}
	_, err := c.call(c.actor, "V3Actor", "swap", c.address, target.Lt(c.at.Price), u256.One.Lsh(200).Big(), target.Big())
	if err != nil {
		return err
	}
	return c.read()
}

// read asks the pool where it stands: our pool must have heard the same.
func (c *contract) read() error {
	b, err := c.call(c.address, "UniswapV3Pool", "slot0")
	if err != nil {
		return err
	}
	c.at = ticks.Point{Price: u256.FromBytes(b[:32]), Tick: int32(uint32(u256.FromBytes(b[32:64]).Uint64()))}
	if idle := c.pool.(*univ3.Pool).Idle(); idle != "" {
		return errors.New(idle)
	}
	return nil
}

// limit is the price beyond which there is no liquidity, which spares the pool
// the way to the last of all prices.
func (c *contract) limit(in int) u256.Int {
	lowest, highest := int32(ticks.MaxTick), int32(ticks.MinTick)
	for _, p := range c.positions {
		lowest, highest = min(lowest, p.lower), max(highest, p.upper)
	}
	if low := ticks.GetSqrtRatioAtTick(lowest); in == 0 && low.Gt(ticks.Lowest) {
		return low
	}
	if in == 0 {
		return ticks.Lowest
	}
	return u256.Min(ticks.Highest, ticks.GetSqrtRatioAtTick(highest))
}

// Swap is what the pool pays for all of the amount, at any price.
func (c *contract) Swap(in, out int, amount u256.Int) (paid u256.Int, ok bool, err error) {
	if amount.BitLen() > 255 { // an exact output, to the pool
		return u256.Zero, false, nil
	}
	limit := c.limit(in)
	c.machine.Undo(func() {
		r, callErr := c.machine.Call(owner, c.actor, u256.Zero,
			pack(c.abi["V3Actor"], "swap", c.address, in == 0, amount.Big(), limit.Big()))
		if callErr != nil {
			if !evm.IsReverted(callErr) {
				err = callErr
			}
			return
		}
		taken, given := u256.FromBytes(r.Return[32*in:32*in+32]), u256.FromBytes(r.Return[32*out:32*out+32])
		paid = u256.Zero.Sub(given)
		ok = taken == amount && !paid.IsZero()
	})
	return paid, ok, err
}

// swap makes a swap that stays.
func (c *contract) swap(in int, amount u256.Int) error {
	_, err := c.call(c.actor, "V3Actor", "swap", c.address, in == 0, amount.Big(), c.limit(in).Big())
	if err != nil {
		return err
	}
	return c.read()
}

func pack(c contracts.Contract, method string, args ...any) []byte {
	data, err := c.ABI.Pack(method, args...)
	if err != nil {
		panic(err)
	}
	return data
}

func randomBytes(r *rand.Rand) []byte {
	b := make([]byte, 32)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
