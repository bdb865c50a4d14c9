package siege_test

import (
	"math"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// key names a pool of the V4 manager, as the contracts do.
type key struct {
	Currency0, Currency1 common.Address
	Fee, TickSpacing     *big.Int
	Hooks                common.Address
}

// pool is one with concentrated liquidity that the attacker uses: of the V4 manager,
// or with a contract of its own.
type pool struct {
	key     key            // V4
	address common.Address // V3; zero: V4
	tokens  [2]common.Address
	spacing int32
	tick    int32 // of its price at first, rounded down to a multiple of spacing
}

// newPool creates a pool in the V4 manager, with a tick spacing of 1 and a price
// (Q64.96) of token1 in token0. The zero address is native currency.
func (s *siege) newPool(a, b common.Address, price u256.Int) *pool {
	s.Helper()
	return s.newSpacedPool(a, b, price, 1)
}

// newWidePool is newPool with ticks that are 2 % apart.
func (s *siege) newWidePool(a, b common.Address, price u256.Int) *pool {
	s.Helper()
	return s.newSpacedPool(a, b, price, 200)
}

func (s *siege) newSpacedPool(a, b common.Address, price u256.Int, spacing int64) *pool {
	s.Helper()
	s.fee++
	k := newKey(a, b, s.fee, spacing)
	s.block(s.call("UniswapV4PoolManager", s.manager, "initialize", k, price.Big()))
	return poolOf(k, price)
}

func newKey(a, b common.Address, fee, spacing int64) key {
	if a.Cmp(b) > 0 {
		a, b = b, a
	}
	return key{Currency0: a, Currency1: b, Fee: big.NewInt(fee), TickSpacing: big.NewInt(spacing)}
}

// poolOf is a pool of the V4 manager.
func poolOf(k key, price u256.Int) *pool {
	p := &pool{key: k, tokens: [2]common.Address{k.Currency0, k.Currency1}, spacing: int32(k.TickSpacing.Int64())}
	p.tick = p.floor(ticks.GetTickAtSqrtRatio(price))
	return p
}

// newForkPool creates a V3 pool in a factory in which the attacker has none yet, of
// the smallest fee that has no pool of these tokens there.
func (s *siege) newForkPool(a, b common.Address, price u256.Int) *pool {
	s.Helper()
	factory := s.forks[0].Factory
	s.forks = s.forks[1:]
	var at common.Address
	for _, fee := range []int64{100, 500, 10_000} {
		find := func() common.Address {
			return common.BytesToAddress(s.read(factory, "getPool(address,address,uint24)", a[:], b[:], venue.Signed(fee)))
		}
		if find() == (common.Address{}) {
			s.block(venue.Tx{To: factory, Data: venue.Calldata("createPool(address,address,uint24)", a[:], b[:], venue.Signed(fee))})
			at = find()
			break
		}
	}
	word := price.Bytes()
	s.block(venue.Tx{To: at, Data: venue.Calldata("initialize(uint160)", word[:])})
	return s.forkPool(at)
}

// forkPool is a V3 pool.
func (s *siege) forkPool(at common.Address) *pool {
	s.Helper()
	p := &pool{address: at, spacing: int32(u256.FromBytes(s.read(at, "tickSpacing()")).Uint64())}
	for i, method := range []string{"token0()", "token1()"} {
		p.tokens[i] = common.BytesToAddress(s.read(at, method))
	}
	price := venue.NewWords(s.read(at, "slot0()")).Raw(0)
	p.tick = p.floor(ticks.GetTickAtSqrtRatio(u256.FromBytes(price)))
	return p
}

// ladder is a transaction that adds n positions to a pool; liquidity below zero takes
// them out.
func (s *siege) ladder(p *pool, lower, width, step int32, n int, liquidity *big.Int) venue.Tx {
	s.Helper()
	method, which := "ladder", any(p.key)
	if p.address != (common.Address{}) {
		method, which = "ladderIn", p.address
	}
	i := func(n int32) *big.Int { return big.NewInt(int64(n)) }
	return s.call("Attacker", s.contract, method, which, i(lower), i(width), i(step), big.NewInt(int64(n)), liquidity)
}

// id is by which the service knows the pool.
func (p *pool) id() venue.ID {
	if p.address != (common.Address{}) {
		return venue.AddressID(p.address)
	}
	fee, spacing := venue.Signed(p.key.Fee.Int64()), venue.Signed(p.key.TickSpacing.Int64())
	words := venue.Calldata("", p.key.Currency0[:], p.key.Currency1[:], fee, spacing, nil)[4:]
	return venue.ID(common.BytesToHash(crypto.Keccak256(words)).Hex())
}

// sqrtPrice is the price (Q64.96) at which a raw unit of token a is worth so many raw
// units of token b.
func sqrtPrice(a, b common.Address, price float64) u256.Int {
	if a.Cmp(b) > 0 {
		price = 1 / price
	}
	return u256.FromFloat(math.Ldexp(math.Sqrt(price), 96))
}

// floor is a tick rounded down to a multiple of the pool's spacing.
func (p *pool) floor(tick int32) int32 {
	return tick - (tick%p.spacing+p.spacing)%p.spacing
}
