// Package univ4 trades the pools inside Uniswap V4's PoolManager that have no hook and a fixed fee.
package univ4

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// Gas of a swap in the manager and its two tokens, for each initialised tick it
// crosses, for each word of the tick bitmap, and for wrapping or unwrapping
// native currency. The manager is called from its own callback, and each nested
// call keeps a 64th of the gas back.
const (
	gasSwap   = 105_000
	gasTick   = 62_000
	gasWord   = 5_900
	gasNative = 25_000
)

const (
	pips    = 1_000_000
	dynamic = 0x800000 // marks a dynamic fee
)

// maxAmount is the largest amount that the manager can account for: 2^127-1.
var maxAmount = u256.One.Lsh(127).Sub(u256.One)

// Pool is a pool at one block.
type Pool struct {
	info     *venue.Info
	key      key
	at       ticks.Point
	book     *ticks.Book
	protocol uint32          // its share for both directions, 12 bits each
	curves   [2]*ticks.Curve // by the currency that comes in; of book and fees
	idle     string
	loading  *loading // while it is read from the chain; else nil

	growth ticks.FeeGrowth // only the gas of a swap depends on it
}

// key is what identifies a pool to the manager, next to its two currencies.
type key struct {
	native  bool // currency0 is native
	fee     uint32
	spacing int32
	hooks   common.Address
}

func newPool(e created) *Pool {
	p := &Pool{
		info: &venue.Info{ID: e.Pool(), Source: e.source, Tokens: e.tokens[:]},
		key:  e.key,
		at:   e.at,
		book: ticks.NewBook(e.key.spacing),

		growth: ticks.NewFeeGrowth(),
	}
	p.idle = p.unsupported()
	return p.withCurves()
}

// unsupported is why the pool is never routed, if so.
func (p *Pool) unsupported() string {
	switch {
	case p.key.hooks != (common.Address{}):
		return "it has a hook"
	case p.key.fee == dynamic:
		return "its fee is dynamic"
	}
	return ""
}

// withCurves derives the curves of a new pool, which nobody else has seen yet,
// from its book and fees. A fee of 100% has none.
func (p *Pool) withCurves() *Pool {
	for in := range p.curves {
		p.curves[in] = nil
		if fee := p.swapFee(in); fee < pips {
			p.curves[in] = ticks.NewCurve(p.book, fee, in == 0)
		}
	}
	return p
}

// swapFee is calculateSwapFee: the protocol takes its share of the input, the
// providers theirs of the rest.
func (p *Pool) swapFee(in int) uint64 {
	lp, protocol := uint64(p.key.fee), uint64(p.protocol>>(12*in)&0xfff)
	return protocol + lp - protocol*lp/pips
}

func (p *Pool) Info() *venue.Info { return p.info }

// At is the present price and tick.
func (p *Pool) At() ticks.Point { return p.at }

// Idle is the reason why the pool quotes nothing, if there is one.
func (p *Pool) Idle() string { return p.idle }

func (p *Pool) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	if p.idle != "" {
		return venue.Quote{}, venue.ErrEmpty
	}
	c := p.curves[in]
	if c == nil {
		return venue.Quote{}, venue.ErrTooSmall
	}
	f := c.Quote(p.at, amount)
	q := venue.Quote{Out: f.Out, Gas: gasSwap + gasTick*uint64(f.Crossed) + gasWord*uint64(f.Words)}
	if p.key.native {
		q.Gas += gasNative
	}
	return q, refusal(f, amount)
}

func (p *Pool) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	if _, err := p.Quote(in, out, amount); err != nil {
		return nil, err
	}
	next := *p
	next.at = p.curves[in].Swap(p.at, amount).Point
	return &next, nil
}

// refusal is the error for a swap that takes only a part of the amount, or pays
// nothing: the manager itself would make it. One that crosses more ticks than a
// transaction can pay for is too large, too.
func refusal(f ticks.Result, amount u256.Int) error {
	switch {
	case f.Left == amount:
		return venue.ErrEmpty
	case !f.Left.IsZero() || f.Crossed > ticks.MaxCrossed || amount.Gt(maxAmount) || f.Out.Gt(maxAmount):
		return venue.ErrTooLarge
	case f.Out.IsZero():
		return venue.ErrTooSmall
	}
	return nil
}

func (p *Pool) Spot(in, out int) float64 {
	if p.idle != "" || p.curves[in] == nil {
		return 0
	}
	return p.curves[in].Spot(p.at)
}

func (p *Pool) Depth(token int) float64 {
	if p.idle != "" {
		return 0
	}
	return p.book.Depth(p.at, token)
}
