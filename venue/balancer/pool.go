// Package balancer trades the weighted and stable pools of the Balancer V3 vault.
package balancer

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// Gas of a swap in the vault, its pool and two tokens, when it is the first to
// leave a fee.
const (
	gasWeighted = 129_000
	gasStable   = 143_000
	gasToken    = 12_600 // for each token of the pool, traded or not
	gasRate     = 4_000  // for each that has a rate provider
)

const maxTokens = 8

var (
	minimumTrade = u256.From(1e6) // of the vault, for input and output, at 18 decimals
	maxBalance   = u256.One.Lsh(128).Sub(u256.One)
)

// curve is the invariant of a pool.
type curve byte

const (
	foreign curve = iota // unknown: never quoted
	weighted
	stable
)

// form is what never changes about a pool and is not in its logs. Numbers are
// wad, times 1e18, unless they say otherwise.
type form struct {
	n      int                 // tokens
	gas    uint64              // of a swap
	scale  [maxTokens]u256.Int // 10^(18 - decimals), a plain number
	rate   [maxTokens]u256.Int // of the rate provider; 1 if there is none
	rateUp [maxTokens]u256.Int // rate, and one raw unit more unless it is whole
	weight [maxTokens]u256.Int // of a weighted pool; they add up to 1
	least  [maxTokens]u256.Int // smallest balances a weighted pool allows
}

// Pool is a pool of the vault at one block.
type Pool struct {
	info        *venue.Info
	vault       common.Address
	address     common.Address
	curve       curve
	unsupported string // why it is never quoted; empty if it is
	form        *form  // nil until it is loaded

	paused      bool
	vaultPaused bool // no pool of the vault trades
	recovery    bool // no protocol fees are taken
	ampMoving   bool // the amplification moves with time
	ampRead     bool // amp was read after the last log

	fee       u256.Int            // of a swap, wad
	aggregate u256.Int            // share of the fee that leaves the pool, wad
	amp       u256.Int            // amplification of a stable pool, times 1000
	raw       [maxTokens]u256.Int // balances in raw units

	// Derived from the above:
	live      [maxTokens]u256.Int // balances times scale and rate, wad
	invariant u256.Int            // D of a stable pool, wad; 0 if it has none
}

func (p *Pool) Info() *venue.Info { return p.info }

// Balances are the vault's raw balances, in the order of the tokens.
func (p *Pool) Balances() []u256.Int {
	n := len(p.info.Tokens)
	return append([]u256.Int(nil), p.raw[:n]...)
}

// Idle is why the pool takes no swaps, if so.
func (p *Pool) Idle() string {
	switch {
	case p.unsupported != "":
		return p.unsupported
	case p.form == nil:
		return "not read from the chain yet"
	case p.paused || p.vaultPaused:
		return "paused"
	case p.ampMoving:
		return "the amplification is moving"
	}
	return ""
}

func (p *Pool) idle() bool { return p.form == nil || p.paused || p.vaultPaused || p.ampMoving }

func (p *Pool) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	t, err := p.trade(in, out, amount)
	if err != nil {
		return venue.Quote{}, err
	}
	return venue.Quote{Out: t.paid, Gas: p.form.gas}, nil
}

func (p *Pool) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	t, err := p.trade(in, out, amount)
	if err != nil {
		return nil, err
	}
	next := *p
	next.raw[in], next.raw[out] = t.balanceIn, t.balanceOut
	next.derive()
	return &next, nil
}

// trade is what a swap pays and what it leaves in the pool, in raw units.
type trade struct{ paid, balanceIn, balanceOut u256.Int }

// trade is swap of the vault with a given input. It rounds as the vault does,
// which is always in the vault's favour.
func (p *Pool) trade(in, out int, amount u256.Int) (trade, error) {
	if p.idle() {
		return trade{}, venue.ErrEmpty
	}
	f := p.form
	var c checked
	given := c.mulDown(c.mul(amount, f.scale[in]), f.rate[in])
	fee := c.mulUp(given, p.fee)
	if c.broken {
		return trade{}, venue.ErrTooLarge
	}
	given = given.Sub(fee)
	if given.Lt(minimumTrade) {
		return trade{}, venue.ErrTooSmall
	}
	calculated, err := p.onSwap(in, out, given)
	if err != nil {
		return trade{}, err
	}
	paid := c.divDown(calculated, c.mul(f.scale[out], f.rateUp[out]))
	if calculated.Lt(minimumTrade) || paid.IsZero() {
		return trade{}, venue.ErrTooSmall
	}
	leaving := p.aggregateFee(&c, c.divDown(fee, c.mul(f.scale[in], f.rate[in])))
	t := trade{
		paid:       paid,
		balanceIn:  c.sub(c.add(p.raw[in], amount), leaving),
		balanceOut: c.sub(p.raw[out], paid),
	}
	if live := c.mulDown(c.mul(t.balanceIn, f.scale[in]), f.rate[in]); c.broken || t.balanceIn.Gt(maxBalance) || live.Gt(maxBalance) {
		return trade{}, venue.ErrTooLarge
	}
	return t, nil
}

func (p *Pool) onSwap(in, out int, given u256.Int) (u256.Int, error) {
	if p.curve == stable {
		return p.stableOut(in, out, given)
	}
	return p.weightedOut(in, out, given)
}

// aggregateFee is what leaves the pool of a swap fee: to the protocol and to
// the creator of the pool.
func (p *Pool) aggregateFee(c *checked, fee u256.Int) u256.Int {
	if p.recovery {
		return u256.Zero
	}
	return c.mulDown(fee, p.aggregate)
}

// derive computes live and invariant of a new pool that nobody else has seen yet.
func (p *Pool) derive() {
	if p.form == nil {
		return
	}
	var c checked
	for i := range p.form.n {
		p.live[i] = c.mulDown(c.mul(p.raw[i], p.form.scale[i]), p.form.rate[i])
	}
	if p.curve != stable {
		return
	}
	p.invariant = c.computeInvariant(p.amp, p.live[:p.form.n])
	if c.broken {
		p.invariant = u256.Zero
	}
}

func (p *Pool) Spot(in, out int) float64 {
	if p.idle() {
		return 0
	}
	spot := 0.0
	if p.curve == stable {
		spot = p.stableSpot(in, out)
	} else {
		spot = p.weightedSpot(in, out)
	}
	f := p.form
	keep := 1 - p.fee.Float()/one.Float()
	return keep * spot * f.scale[in].Float() * f.rate[in].Float() / (f.scale[out].Float() * f.rate[out].Float())
}

func (p *Pool) Depth(token int) float64 {
	if p.idle() {
		return 0
	}
	return p.raw[token].Float()
}
