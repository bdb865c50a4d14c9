package univ4_test

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
	"braid/venue/univ4"
	"braid/venuetest"
)

// TestDifferential holds the arithmetic to the manager's own bytecode.
func TestDifferential(t *testing.T) {
	venuetest.Differential(t, univ4.Name, newContract(t))
}

var (
	owner         = venuetest.Owner
	wrappedNative = common.HexToAddress("0x00000000000000000000000000000000000000ee")
)

// contract is one pool after the other in a real manager, with native and
// tokens of ours.
type contract struct {
	*venuetest.Rig
	venuetest.Ranges
	family         *univ4.Family
	manager, actor common.Address

	pool venue.Pool
	key  poolKey
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

func newContract(t testing.TB) *contract {
	c := &contract{Rig: venuetest.NewRig(t)}
	c.manager = c.Deploy("UniswapV4PoolManager", owner)
	c.actor = c.Deploy("V4Actor", c.manager)
	c.Fund(owner, u256.One.Lsh(200))
	c.family = univ4.New([]venue.Source{{ID: "V4", Type: venue.V4, Family: univ4.Name, Factory: c.manager}}, wrappedNative)
	c.Must(owner, c.manager, u256.Zero, "UniswapV4PoolManager", "setProtocolFeeController", owner)
	return c
}

// manage makes a call of the manager's owner.
func (c *contract) manage(method string, args ...any) error {
	return c.apply(c.Must(owner, c.manager, u256.Zero, "UniswapV4PoolManager", method, args...).Logs)
}

// act makes a call of the actor, with more native than it needs, unless that is
// more than the manager can count.
func (c *contract) act(method string, params any) (done bool, err error) {
	r, err := c.Try(owner, c.actor, u256.One.Lsh(160), "V4Actor", method, c.key, params)
	if evm.IsReverted(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, c.apply(r.Logs)
}

// hear follows the pool, and reads beside it where the manager says it stands.
func (c *contract) apply(logs []*types.Log) error {
	for _, log := range logs {
		var err error
		if c.pool, err = venuetest.Applied(c.family, c.pool, []*types.Log{log}); err != nil {
			return err
		}
		if len(log.Data) >= 5*32 { // Initialize and Swap have price and tick as words 3, 4 and 2, 4
			at := 3 - (len(log.Data)/32 - 5)
			c.At = ticks.Point{Price: u256.FromBytes(log.Data[32*at : 32*at+32]), Tick: int32(uint32(u256.FromBytes(log.Data[128:160]).Uint64()))}
		}
	}
	return nil
}

// Next is now and then a new pool, else the old one after more liquidity, less
// of it, another protocol fee, and swaps, some of which stop exactly at a tick.
func (c *contract) Next(r *rand.Rand) (venue.Pool, error) {
	if c.pool == nil || r.IntN(12) == 0 {
		if _, err := c.Open(r); err != nil {
			return nil, err
		}
	}
	for range 1 + r.IntN(3) {
		var err error
		switch k := r.IntN(12); {
		case k < 5 || len(c.List) == 0:
			err = c.add(r)
		case k < 7:
			err = c.remove(r)
		case k < 8:
			fee := r.IntN(1001) | r.IntN(1001)<<12
			err = c.manage("setProtocolFee", c.key, big.NewInt(int64(fee)))
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

func (c *contract) Open(r *rand.Rand) (venue.Pool, error) {
	var tokens [2]common.Address
	for i := range tokens {
		if i == 0 && r.IntN(3) == 0 {
			continue // native
		}
		tokens[i] = c.Deploy("Token", "T", "T", uint8(18), owner, u256.Max.Rsh(1).Big())
		c.Approve(tokens[i], c.actor, owner)
	}
	if tokens[0].Cmp(tokens[1]) > 0 {
		tokens[0], tokens[1] = tokens[1], tokens[0]
	}
	fee := []int64{0, 1, 100, 500, 3000, 10_000, 500_000, 999_999, 1_000_000}[r.IntN(9)]
	c.Spacing = []int32{1, 10, 60, 200, 32_767}[r.IntN(5)]
	c.key = poolKey{tokens[0], tokens[1], big.NewInt(fee), big.NewInt(int64(c.Spacing)), common.Address{}}
	c.pool, c.List = nil, nil
	err := c.manage("initialize", c.key, venuetest.Start(r).Big())
	return c.pool, err
}

func (c *contract) add(r *rand.Rand) error {
	p := c.Another(r)
	for _, other := range c.List {
		if other.Lower == p.Lower && other.Upper == p.Upper {
			return nil
		}
	}
	done, err := c.modify(p, p.Liquidity.Big())
	if done {
		c.List = append(c.List, p)
	}
	return err
}

func (c *contract) remove(r *rand.Rand) error {
	i, part := c.Part(r)
	done, err := c.modify(c.List[i], new(big.Int).Neg(part.Big()))
	if done {
		c.Remove(i, part)
	}
	return err
}

func (c *contract) modify(p ticks.Position, delta *big.Int) (bool, error) {
	return c.act("modify", modifyParams{big.NewInt(int64(p.Lower)), big.NewInt(int64(p.Upper)), delta, [32]byte{}})
}

// move swaps to a price.
func (c *contract) move(r *rand.Rand) error {
	target, ok := c.Target(r)
	if !ok {
		return nil
	}
	_, err := c.act("swap", exactly(target.Lt(c.At.Price), u256.One.Lsh(126), target))
	return err
}

// exactly is a swap of an amount that comes in.
func exactly(down bool, amount, limit u256.Int) swapParams {
	return swapParams{down, new(big.Int).Neg(amount.Big()), limit.Big()}
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
	c.Undo(func() {
		var r evm.Result
		r, err = c.Try(owner, c.actor, value, "V4Actor", "swap", c.key, exactly(in == 0, amount, c.Limit(in)))
		if err != nil {
			return
		}
		half := func(i int) u256.Int { return u256.FromBytes(r.Return[16*i : 16*i+16]) }
		paid = half(out)
		ok = u256.One.Lsh(128).Sub(half(in)) == amount && !paid.IsZero()
	})
	return paid, ok, err
}

func (c *contract) Trade(in int, amount u256.Int) (venue.Pool, error) {
	done, err := c.act("swap", exactly(in == 0, amount, c.Limit(in)))
	if err == nil && !done {
		err = errors.New("the manager refuses")
	}
	return c.pool, err
}
