package univ4_test

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
	"braid/venue/univ4"
	"braid/venuetest"
)

// TestDifferential holds the arithmetic to the manager's own bytecode.
func TestDifferential(t *testing.T) {
	c, err := newContract()
	if err != nil {
		t.Fatalf("%v: run make artifacts", err)
	}
	venuetest.Differential(t, univ4.Name, c)
}

var (
	owner         = common.HexToAddress("0x00000000000000000000000000000000000000fe")
	wrappedNative = common.HexToAddress("0x00000000000000000000000000000000000000ee")
)

// contract is one pool after the other in a real manager, with native and
// tokens of ours.
type contract struct {
	machine *evm.Machine
	family  *univ4.Family
	abi     map[string]contracts.Contract
	manager common.Address
	actor   common.Address

	pool      venue.Pool
	key       poolKey
	at        ticks.Point
	positions []position
}

type position struct {
	lower, upper int32
	liquidity    u256.Int
}

// The manager's structs, as the ABI wants them.
type (
	poolKey struct {
		Currency0, Currency1 common.Address
		Fee, TickSpacing     *big.Int
		Hooks                common.Address
	}
	modifyParams struct {
		TickLower, TickUpper, LiquidityDelta *big.Int
		Salt                                 [32]byte
	}
	swapParams struct {
		ZeroForOne                         bool
		AmountSpecified, SqrtPriceLimitX96 *big.Int
	}
)

func newContract() (*contract, error) {
	c := &contract{machine: evm.New(evm.Rules(143)), abi: map[string]contracts.Contract{"Token": contracts.Token}}
	for _, name := range []string{"UniswapV4PoolManager", "V4Actor"} {
		artifact, err := contracts.Read("../../build/artifacts/" + name + ".json")
		if err != nil {
			return nil, err
		}
		c.abi[name] = artifact
	}
	var err, err2 error
	c.manager, err = c.create("UniswapV4PoolManager", owner)
	c.actor, err2 = c.create("V4Actor", c.manager)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	c.machine.Fund(owner, u256.One.Lsh(200))
	c.family = univ4.New([]venue.Source{{ID: "V4", Type: venue.V4, Family: univ4.Name, Factory: c.manager}}, wrappedNative)
	return c, c.call(c.manager, u256.Zero, "UniswapV4PoolManager", "setProtocolFeeController", owner)
}

func (c *contract) create(name string, args ...any) (common.Address, error) {
	return c.machine.Create(owner, c.abi[name].Init(args...))
}

// call makes a call that must succeed and lets the family hear its logs.
func (c *contract) call(to common.Address, value u256.Int, name, method string, args ...any) error {
	r, err := c.machine.Call(owner, to, value, pack(c.abi[name], method, args...))
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return c.hear(r.Logs)
}

// hear follows the pool, and reads beside it where the manager says it stands.
func (c *contract) hear(logs []*types.Log) error {
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
		if len(log.Data) >= 5*32 { // Initialize and Swap have price and tick as words 3, 4 and 2, 4
			at := 3 - (len(log.Data)/32 - 5)
			c.at = ticks.Point{Price: u256.FromBytes(log.Data[32*at : 32*at+32]), Tick: int32(uint32(u256.FromBytes(log.Data[128:160]).Uint64()))}
		}
	}
	return nil
}

// Next is now and then a new pool, else the old one after more liquidity, less
// of it, another protocol fee, and swaps, some of which stop exactly at a tick.
func (c *contract) Next(r *rand.Rand) (venue.Pool, error) {
	if c.pool == nil || r.IntN(12) == 0 {
		if err := c.open(r); err != nil {
			return nil, err
		}
	}
	for range 1 + r.IntN(3) {
		var err error
		switch k := r.IntN(12); {
		case k < 5 || len(c.positions) == 0:
			err = c.add(r)
		case k < 7:
			err = c.remove(r)
		case k < 8:
			fee := r.IntN(1001) | r.IntN(1001)<<12
			err = c.call(c.manager, u256.Zero, "UniswapV4PoolManager", "setProtocolFee", c.key, big.NewInt(int64(fee)))
		default:
			err = c.move(r)
		}
		if err != nil {
			return nil, err
		}
	}
	if idle := c.pool.(*univ4.Pool).Idle(); idle != "" {
		return nil, errors.New(idle)
	}
	return c.pool, nil
}

func (c *contract) open(r *rand.Rand) error {
	var tokens [2]common.Address
	for i := range tokens {
		if i == 0 && r.IntN(3) == 0 {
			continue // native
		}
		var err error
		if tokens[i], err = c.create("Token", "T", "T", uint8(18), owner, u256.Max.Rsh(1).Big()); err != nil {
			return err
		}
		if err := c.call(tokens[i], u256.Zero, "Token", "approve", c.actor, u256.Max.Big()); err != nil {
			return err
		}
	}
	if tokens[0].Cmp(tokens[1]) > 0 {
		tokens[0], tokens[1] = tokens[1], tokens[0]
	}
	fee := []int64{0, 1, 100, 500, 3000, 10_000, 500_000, 999_999, 1_000_000}[r.IntN(9)]
	spacing := []int64{1, 10, 60, 200, 32_767}[r.IntN(5)]
	c.key = poolKey{tokens[0], tokens[1], big.NewInt(fee), big.NewInt(spacing), common.Address{}}
	tick := int32(r.IntN(2*ticks.MaxTick)) + ticks.MinTick
	if r.IntN(3) > 0 {
		tick = int32(r.NormFloat64() * 50_000)
	}
	c.pool, c.positions = nil, nil
	return c.call(c.manager, u256.Zero, "UniswapV4PoolManager", "initialize", c.key, between(r, tick).Big())
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

func (c *contract) add(r *rand.Rand) error {
	spacing := int32(c.key.TickSpacing.Int64())
	edge, here := ticks.MaxTick/spacing, c.at.Tick/spacing
	reach := int32(1) << r.IntN(21)
	if spacing == 1 {
		reach = min(reach, 1<<17) // or a swap burns more than a transaction may
	}
	pick := func() int32 { return max(-edge, min(edge, here+r.Int32N(2*reach+1)-reach)) * spacing }
	p := position{lower: pick(), upper: pick(), liquidity: u256.FromBytes(randomBytes(r)).Rsh(uint(146 + r.IntN(110))).Add(u256.One)}
	if p.lower > p.upper {
		p.lower, p.upper = p.upper, p.lower
	}
	if len(c.positions) > 0 && r.IntN(4) == 0 { // one that ends where another begins
		p.upper = c.positions[r.IntN(len(c.positions))].lower
	}
	if p.lower >= p.upper {
		p.lower, p.upper = max(here-reach, -edge)*spacing, min(here+reach, edge)*spacing
	}
	for _, other := range c.positions {
		if other.lower == p.lower && other.upper == p.upper {
			return nil
		}
	}
	err := c.modify(p, p.liquidity.Big())
	if err == nil {
		c.positions = append(c.positions, p)
	}
	if evm.IsReverted(errors.Unwrap(err)) { // more than a tick may hold, or the manager count
		return nil
	}
	return err
}

func (c *contract) remove(r *rand.Rand) error {
	i := r.IntN(len(c.positions))
	p := &c.positions[i]
	part := p.liquidity
	if r.IntN(2) == 0 {
		part = u256.FromBytes(randomBytes(r)).Mod(p.liquidity.Add(u256.One))
	}
	err := c.modify(*p, new(big.Int).Neg(part.Big()))
	if evm.IsReverted(errors.Unwrap(err)) { // more than the manager can count
		return nil
	}
	if p.liquidity = p.liquidity.Sub(part); p.liquidity.IsZero() {
		c.positions = append(c.positions[:i], c.positions[i+1:]...)
	}
	return err
}

func (c *contract) modify(p position, delta *big.Int) error {
	return c.call(c.actor, u256.One.Lsh(160), "V4Actor", "modify", c.key,
		modifyParams{big.NewInt(int64(p.lower)), big.NewInt(int64(p.upper)), delta, [32]byte{}})
}

// move swaps to a price near by, or to that of a position's end.
func (c *contract) move(r *rand.Rand) error {
	target := between(r, c.at.Tick+int32(r.NormFloat64()*float64(int32(1)<<r.IntN(17))))
	if r.IntN(2) == 0 {
		p := c.positions[r.IntN(len(c.positions))]
		target = ticks.GetSqrtRatioAtTick([]int32{p.lower, p.upper}[r.IntN(2)])
	}
	if target == c.at.Price || !target.Gt(ticks.MinSqrtRatio) || !target.Lt(ticks.MaxSqrtRatio) {
		return nil
	}
	amount := new(big.Int).Neg(u256.One.Lsh(126).Big())
	err := c.call(c.actor, u256.One.Lsh(160), "V4Actor", "swap", c.key, swapParams{target.Lt(c.at.Price), amount, target.Big()})
	if evm.IsReverted(errors.Unwrap(err)) { // more than the manager can count
		return nil
	}
	return err
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
	if amount.BitLen() > 255 { // an exact output, to the manager
		return u256.Zero, false, nil
	}
	value := u256.Zero
	if in == 0 && c.key.Currency0 == (common.Address{}) {
		value = amount
	}
	params := swapParams{in == 0, new(big.Int).Neg(amount.Big()), c.limit(in).Big()}
	c.machine.Undo(func() {
		r, callErr := c.machine.Call(owner, c.actor, value, pack(c.abi["V4Actor"], "swap", c.key, params))
		if callErr != nil {
			if !evm.IsReverted(callErr) {
				err = callErr
			}
			return
		}
		half := func(i int) u256.Int { return u256.FromBytes(r.Return[16*i : 16*i+16]) }
		paid = half(out)
		ok = u256.One.Lsh(128).Sub(half(in)) == amount && !paid.IsZero()
	})
	return paid, ok, err
}

// swap makes a swap that stays.
func (c *contract) swap(in int, amount u256.Int) error {
	params := swapParams{in == 0, new(big.Int).Neg(amount.Big()), c.limit(in).Big()}
	return c.call(c.actor, u256.One.Lsh(160), "V4Actor", "swap", c.key, params)
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
