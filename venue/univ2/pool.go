// Package univ2 trades constant-product pairs: Uniswap V2 and its forks.
package univ2

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// gasSwap is the gas of a swap: the payment, the pair, and the first write of its
// price sums.
const gasSwap = 95_000

const bps = 10_000

var (
	whole      = u256.From(bps)
	maxReserve = u256.One.Lsh(112).Sub(u256.One) // the largest that a pair can store
)

// Pool is a pair at one block.
type Pool struct {
	info    *venue.Info
	pair    common.Address
	keep    u256.Int    // 10000 less the fee, in basis points
	reserve [2]u256.Int // raw units
	unread  bool        // the reserves are not known yet
	synced  uint64      // Unix seconds of the last Sync; 0 if not known
	oracle  bool        // its price sums are known not to be zero
}

// NewPool is a pair with the given reserves, in the order of its tokens.
func NewPool(source *venue.Source, pair common.Address, tokens [2]common.Address, r0, r1 u256.Int) *Pool {
	return &Pool{
		info:    &venue.Info{ID: venue.AddressID(pair), Source: source, Tokens: tokens[:]},
		pair:    pair,
		keep:    u256.From(bps - FeeBps(source)),
		reserve: [2]u256.Int{r0, r1},
	}
}

func (p *Pool) Info() *venue.Info { return p.info }

// kept is the fraction of an input that the fee leaves.
func (p *Pool) kept() float64 { return p.keep.Float() / bps }

// Reserves are the pair's own, in the order of its tokens.
func (p *Pool) Reserves() (r0, r1 u256.Int) { return p.reserve[0], p.reserve[1] }

func (p *Pool) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	n, err := p.amountOut(in, out, amount)
	return venue.Quote{Out: n, Gas: gasSwap}, err
}

// amountOut is getAmountOut of UniswapV2Library with the fee in basis points,
// and the pair's own refusals: it pays nothing for nothing, and stores no
// balance above 112 bits.
func (p *Pool) amountOut(in, out int, amount u256.Int) (u256.Int, error) {
	rIn, rOut := &p.reserve[in], &p.reserve[out]
	if rIn.IsZero() || rOut.IsZero() {
		return u256.Zero, venue.ErrEmpty
	}
	if amount.Add(*rIn).Gt(maxReserve) || amount.Gt(maxReserve) {
		return u256.Zero, venue.ErrTooLarge
	}
	withFee := amount.Mul(p.keep)
	n := withFee.Mul(*rOut).Div(rIn.Mul(whole).Add(withFee))
	if n.IsZero() {
		return u256.Zero, venue.ErrTooSmall
	}
	return n, nil
}

func (p *Pool) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	n, err := p.amountOut(in, out, amount)
	if err != nil {
		return nil, err
	}
	next := *p
	next.reserve[in] = p.reserve[in].Add(amount)
	next.reserve[out] = p.reserve[out].Sub(n)
	return &next, nil
}

func (p *Pool) Spot(in, out int) float64 {
	if p.reserve[in].IsZero() || p.reserve[out].IsZero() {
		return 0
	}
	return p.kept() * p.reserve[out].Float() / p.reserve[in].Float()
}

func (p *Pool) Depth(token int) float64 { return p.reserve[token].Float() }
