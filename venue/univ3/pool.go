// Package univ3 trades concentrated liquidity: Uniswap V3, PancakeSwap V3 and their forks.
package univ3

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// Gas of a swap in the pool and its two tokens, for each initialised tick it
// crosses, and for each word of the tick bitmap. PancakeSwap's pools store more
// beside the price.
const (
	gasSwap    = 100_000
	gasTick    = 62_000
	gasWord    = 7_800
	gasPancake = 14_000
)

// Pool is a pool at one block.
type Pool struct {
	info    *venue.Info
	address common.Address
	fee     uint64 // pips
	pancake bool   // its code is PancakeSwap's
	at      ticks.Point
	book    *ticks.Book
	curves  [2]*ticks.Curve // by the token that comes in; derived from the book
	idle    string
	loading *loading // while it is read from the chain; else nil

	history history
}

func newPool(e created) *Pool {
	p := &Pool{
		info:    &venue.Info{ID: e.Pool(), Source: e.source, Tokens: e.tokens[:]},
		address: e.pool,
		fee:     e.fee,
		pancake: isPancake(e.source),
		history: newHistory(),
	}
	return p.with(ticks.NewBook(e.spacing))
}

// NewPool is a pool with a fee in pips (hundredths of a basis point), at a point
// of its book.
func NewPool(source *venue.Source, pool common.Address, tokens [2]common.Address, feePips uint64, at ticks.Point, book *ticks.Book) *Pool {
	p := newPool(created{source: source, pool: pool, tokens: tokens, fee: feePips}).with(book)
	p.at = at
	return p
}

// with is the pool with another book.
func (p *Pool) with(book *ticks.Book) *Pool {
	next := *p
	next.book = book
	next.curves = [2]*ticks.Curve{ticks.NewCurve(book, p.fee, true), ticks.NewCurve(book, p.fee, false)}
	return &next
}

func (p *Pool) Info() *venue.Info { return p.info }

// At is the present price and tick.
func (p *Pool) At() ticks.Point { return p.at }

// Idle is the reason why the pool quotes nothing, if there is one.
func (p *Pool) Idle() string { return p.idle }

func (p *Pool) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	if p.closed() {
		return venue.Quote{}, venue.ErrEmpty
	}
	f := p.curves[in].Quote(p.at, amount)
	q := venue.Quote{Out: f.Out, Gas: gasSwap + gasTick*uint64(f.Crossed) + gasWord*uint64(f.Words)}
	if p.pancake {
		q.Gas += gasPancake
	}
	return q, refusal(f, amount)
}

func (p *Pool) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	if p.closed() {
		return nil, venue.ErrEmpty
	}
	f := p.curves[in].Swap(p.at, amount)
	if err := refusal(f, amount); err != nil {
		return nil, err
	}
	next := *p
	next.at = f.Point
	return &next, nil
}

func (p *Pool) closed() bool { return p.idle != "" || p.at.Price.IsZero() }

// refusal is the error for a swap that takes only a part of the amount, or pays
// nothing: the contract itself would make it. One that crosses more ticks than a
// transaction can pay for is too large, too.
func refusal(f ticks.Result, amount u256.Int) error {
	switch {
	case f.Left == amount:
		return venue.ErrEmpty
	case !f.Left.IsZero() || f.Crossed > ticks.MaxCrossed:
		return venue.ErrTooLarge
	case f.Out.IsZero():
		return venue.ErrTooSmall
	}
	return nil
}

func (p *Pool) Spot(in, out int) float64 {
	if p.closed() {
		return 0
	}
	return p.curves[in].Spot(p.at)
}

func (p *Pool) Depth(token int) float64 {
	if p.closed() {
		return 0
	}
	return p.book.Depth(p.at, token)
}
