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
	tick    int32 // of its price when it was last looked at
}

// newPool creates a pool in the V4 manager, with a price (Q64.96) of token1 in
// token0. The zero address is native currency.
func (s *siege) newPool(a, b common.Address, spacing int64, price u256.Int) *pool {
	s.Helper()
	s.fee++
	p := &pool{key: newKey(a, b, s.fee, spacing), spacing: int32(spacing), tick: ticks.GetTickAtSqrtRatio(price)}
	p.tokens = [2]common.Address{p.key.Currency0, p.key.Currency1}
	s.block(s.call("UniswapV4PoolManager", s.manager, "initialize", p.key, price.Big()))
	return p
}

func newKey(a, b common.Address, fee, spacing int64) key {
	if a.Cmp(b) > 0 {
		a, b = b, a
	}
	return key{Currency0: a, Currency1: b, Fee: big.NewInt(fee), TickSpacing: big.NewInt(spacing)}
}

// newForkPool creates a V3 pool of the fee that the honest market does not use, in a
// factory in which the attacker has none yet.
func (s *siege) newForkPool(a, b common.Address, price u256.Int) *pool {
	s.Helper()
	const fee, spacing = 10_000, 200
	source := s.forks[0]
	s.forks = s.forks[1:]
	k := newKey(a, b, fee, spacing)
	s.block(venue.Tx{To: source.Factory, Data: venue.Calldata("createPool(address,address,uint24)", a[:], b[:], venue.Signed(fee))})
	at := common.BytesToAddress(s.read(source.Factory, "getPool(address,address,uint24)", a[:], b[:], venue.Signed(fee)))
	word := price.Bytes()
	s.block(venue.Tx{To: at, Data: venue.Calldata("initialize(uint160)", word[:])})
	return &pool{address: at, tokens: [2]common.Address{k.Currency0, k.Currency1}, spacing: spacing, tick: ticks.GetTickAtSqrtRatio(price)}
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
