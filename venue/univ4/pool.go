// Package univ4 trades the pools inside Uniswap V4's PoolManager that have no hook and a fixed fee.
package univ4

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// What a swap burns inside the manager and its two tokens, for each
// initialised tick it crosses, and for each word of the bitmap: the manager is
// called out of its own callback, and each call in a call keeps a part of the
// gas back. Native is wrapped or unwrapped for the route.
const (
	gasSwap   = 105_000
	gasTick   = 62_000
	gasWord   = 5_900
	gasNative = 25_000
)

const (
	pips    = 1_000_000
	dynamic = 0x800000 // in place of a fee
)

// most is the largest amount the manager can account for: 2^127-1.
var most = u256.One.Lsh(127).Sub(u256.One)

// Pool is a pool at one block.
type Pool struct {
	info     *venue.Info
	key      key
	at       ticks.Point
	book     *ticks.Book
	protocol uint32          // its share for both directions, 12 bits each
	curves   [2]*ticks.Curve // by the currency that comes in; of book and fees
	idle     string
	survey   *survey // while it is read from the chain

	growth ticks.FeeGrowth // tells the gas of a swap, and nothing else
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
	p.idle = p.barred()
	return p.priced()
}

// barred is why the pool is never routed, if so.
func (p *Pool) barred() string {
	switch {
	case p.key.hooks != (common.Address{}):
		return "it has a hook"
	case p.key.fee == dynamic:
		return "its fee is dynamic"
	}
	return ""
}

// priced gives a pool, new and not yet seen by others, the curves of its book
// and fees. Where the fee takes everything there is none.
func (p *Pool) priced() *Pool {
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

// At is where the pool stands.
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

// refusal: the manager itself would take a part of the amount, or all of it
// for nothing.
func refusal(f ticks.Result, amount u256.Int) error {
	switch {
	case f.Left == amount:
		return venue.ErrEmpty
	case !f.Left.IsZero() || amount.Gt(most) || f.Out.Gt(most):
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
