// Package nadfun trades bonding curves, which sell a launched token up to a target: nad.fun.
package nadfun

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// Gas of a trade in the router, the curve and the tokens, and what the first
// and the last buy of a curve need beside that.
const (
	gasBuy   = 165_000
	gasSell  = 205_000
	gasFirst = 17_100
	gasLast  = 25_000
)

// Positions of the tokens. The curve trades native currency, which is listed
// as its wrapped form.
const (
	mon   = 0
	token = 1
)

// million is the denominator of fees.
var million = u256.From(1_000_000)

// Why a curve takes no trades. The texts are part of what is stored of a curve.
const (
	unread    = "terms not read yet"
	locked    = "locked at its target"
	graduated = "graduated"
)

// Pool is a curve at one block.
type Pool struct {
	info    *venue.Info
	address common.Address // of the launched token
	terms   terms
	virtual [2]u256.Int
	real    u256.Int // tokens the curve holds
	idle    string
}

// terms are the parameters of a curve, in raw units. All curves of a source have
// the same fee.
type terms struct {
	k      u256.Int // product of the virtual reserves
	target u256.Int // tokens that are never sold
	first  u256.Int // virtual tokens before any trade
	fee    u256.Int // millionths
}

func (p *Pool) Info() *venue.Info { return p.info }

// Idle is why the curve takes no trades, if so.
func (p *Pool) Idle() string { return p.idle }

func (p *Pool) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	_, n, err := p.trade(in, out, amount)
	if err != nil {
		return venue.Quote{}, err
	}
	if in == token {
		return venue.Quote{Out: n.Sub(p.fee(n)), Gas: gasSell}, nil
	}
	q := venue.Quote{Out: n, Gas: gasBuy}
	if p.virtual[token] == p.terms.first {
		q.Gas += gasFirst
	}
	if p.terms.target.Add(n) == p.real {
		q.Gas += gasLast
	}
	return q, nil
}

// trade is what enters the curve and what leaves it: the fee comes off the
// native side, before a buy and after a sell.
func (p *Pool) trade(in, out int, amount u256.Int) (enters, leaves u256.Int, err error) {
	if p.idle != "" {
		return u256.Zero, u256.Zero, venue.ErrEmpty
	}
	most := u256.Max.Rsh(128) // there is less of any currency
	if in == token {
		most = p.terms.first.Sub(p.virtual[token]) // the curve never sold more
	}
	if amount.Gt(most) {
		return u256.Zero, u256.Zero, venue.ErrTooLarge
	}
	if in == mon {
		amount = amount.Sub(p.fee(amount))
	}
	n := p.virtual[out].Sub(ceilDiv(p.terms.k, p.virtual[in].Add(amount)))
	if amount.IsZero() || n.IsZero() {
		return u256.Zero, u256.Zero, venue.ErrTooSmall
	}
	if in == mon && p.real.Lt(p.terms.target.Add(n)) {
		return u256.Zero, u256.Zero, venue.ErrTooLarge
	}
	return amount, n, nil
}

func (p *Pool) fee(amount u256.Int) u256.Int { return amount.Mul(p.terms.fee).Div(million) }

func (p *Pool) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	enters, leaves, err := p.trade(in, out, amount)
	if err != nil {
		return nil, err
	}
	next := *p
	next.virtual[in] = p.virtual[in].Add(enters)
	next.virtual[out] = p.virtual[out].Sub(leaves)
	if in == token {
		next.real = p.real.Add(enters)
	} else if next.real = p.real.Sub(leaves); next.real == p.terms.target {
		next.idle = locked
	}
	return &next, nil
}

func (p *Pool) Spot(in, out int) float64 {
	if p.idle != "" {
		return 0
	}
	keep := 1 - p.terms.fee.Float()/million.Float()
	return keep * p.virtual[out].Float() / p.virtual[in].Float()
}

func (p *Pool) Depth(token int) float64 {
	if p.idle != "" {
		return 0
	}
	return p.virtual[token].Float()
}

func ceilDiv(a, b u256.Int) u256.Int {
	q := a.Div(b)
	if q.Mul(b) == a {
		return q
	}
	return q.Add(u256.One)
}
