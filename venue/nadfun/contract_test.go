package nadfun

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/evm"
	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

// TestDifferential holds our arithmetic to the curve of the local chain.
func TestDifferential(t *testing.T) {
	venuetest.Differential(t, Name, newContract(t))
}

var (
	owner, taker = venuetest.Owner, venuetest.Taker

	curveAt  = common.HexToAddress("0x00000000000000000000000000000000000000a0")
	routerAt = common.HexToAddress("0x00000000000000000000000000000000000000a1")
	wrapped  = common.HexToAddress("0x00000000000000000000000000000000000000a2")
)

// contract is nad.fun in a machine, and the curve it is at.
type contract struct {
	*venuetest.Rig
	family   *Family
	pool     *Pool
	launched uint64
}

func newContract(t testing.TB) *contract {
	c := &contract{Rig: venuetest.NewRig(t)}
	c.Put(wrapped, "WETH9")
	c.Put(curveAt, "NadFunCurve", wrapped, owner)
	c.Put(routerAt, "NadFunRouter", curveAt, wrapped)
	c.Fund(taker, u256.One.Lsh(250))
	source := venue.Source{ID: "NadFun", Type: venue.BondingCurve, Family: Name, Factory: curveAt, Params: Router(routerAt)}
	c.family = New([]venue.Source{source}, wrapped)
	return c
}

// config is what setConfig takes.
type config struct {
	Config    struct{ VirtualMonReserve, VirtualTokenReserve, TargetTokenAmount *big.Int }
	FeeConfig struct {
		DeployFeeAmount, GraduateFeeAmount *big.Int
		ProtocolFee                        *big.Int
	}
	AntiSnipingConfig struct {
		MaxPenaltyBlocks            *big.Int
		PenaltyBlocks, PenaltyRates []*big.Int
	}
}

var supply = u256.MustDecimal("1000000000000000000000000000")

// launch starts a curve of any terms. Its last price is a multiple of its
// first, so that some amount reaches the target to the unit.
func (c *contract) launch(r *rand.Rand) error {
	rise := u256.From(1 + r.Uint64N(9))
	left := upTo(r, supply.Div(rise))
	sold := left.Mul(rise)
	var p config
	p.Config.VirtualMonReserve = upTo(r, u256.One.Lsh(uint(1+r.IntN(110)))).Big()
	p.Config.VirtualTokenReserve = left.Add(sold).Big()
	p.Config.TargetTokenAmount = supply.Sub(sold).Big()
	p.FeeConfig.DeployFeeAmount, p.FeeConfig.GraduateFeeAmount = new(big.Int), new(big.Int)
	p.FeeConfig.ProtocolFee = big.NewInt(r.Int64N(3) * r.Int64N(50_000))
	p.AntiSnipingConfig.MaxPenaltyBlocks = new(big.Int)
	if err := c.do("setConfig", p); err != nil {
		return err
	}
	c.pool, c.launched = nil, c.launched+1
	return c.create("Coin", "COIN")
}

func (c *contract) create(name, symbol string) error {
	params := struct {
		Creator                common.Address
		Name, Symbol, TokenURI string
		Salt                   [32]byte
		ActionId               uint8
	}{Creator: owner, Name: name, Symbol: symbol, Salt: u256.From(c.launched).Bytes()}
	if err := c.do("create", params); err != nil {
		return err
	}
	c.Approve(c.pool.address, routerAt, taker)
	return nil
}

// do makes a call of the curve's owner that must succeed and applies its logs.
func (c *contract) do(method string, args ...any) (err error) {
	c.pool, err = c.applied(c.pool, c.Must(owner, curveAt, u256.Zero, "NadFunCurve", method, args...).Logs)
	return err
}

// applied is the pool after the logs, with what it then wants to know.
func (c *contract) applied(p *Pool, logs []*types.Log) (*Pool, error) {
	p, err := venuetest.Applied(c.family, p, logs)
	if err != nil || p == nil || len(c.family.Wants(p)) == 0 {
		return p, err
	}
	return c.load(p)
}

// load is the pool read anew.
func (c *contract) load(p *Pool) (*Pool, error) {
	blank := *p
	blank.idle = unread
	return venuetest.Loaded(c.Machine, c.family, &blank)
}

// Next trades on the curve, or closes it, or launches another. What was heard
// must be what the contract says.
func (c *contract) Next(r *rand.Rand) (venue.Pool, error) {
	var err error
	switch n := r.IntN(20); {
	case c.pool == nil || n == 0 || c.pool.idle == graduated:
		err = c.launch(r)
	case c.pool.idle == locked:
		err = c.do("graduate", c.pool.address)
	case n == 1:
		err = c.lock()
	default:
		err = c.wander(r)
	}
	if err != nil {
		return nil, err
	}
	read, err := c.load(c.pool)
	if err != nil {
		return nil, err
	}
	if c.pool.idle != graduated && *read != *c.pool {
		return nil, fmt.Errorf("heard %+v, the curve says %+v", *c.pool, *read)
	}
	return c.pool, nil
}

// lock pays what is missing up to the target.
func (c *contract) lock() error {
	t, v := c.pool.terms, c.pool.virtual
	last := v[token].Sub(c.pool.real.Sub(t.target))
	missing := t.k.Div(last).Sub(v[mon])
	amount := missing.Mul(million).Div(million.Sub(t.fee))
	for amount.Sub(c.pool.fee(amount)).Lt(missing) {
		amount = amount.Add(u256.One)
	}
	if next, err := c.pool.Swap(mon, token, amount); err != nil || next.(*Pool).idle != locked {
		return nil // no amount takes all that is left
	}
	return c.swap(mon, amount)
}

// wander makes a few trades of any size.
func (c *contract) wander(r *rand.Rand) error {
	for range 1 + r.IntN(4) {
		in := r.IntN(2)
		amount := upTo(r, u256.FromFloat(c.pool.Depth(in)*2))
		if _, err := c.pool.Quote(in, 1-in, amount); err != nil {
			continue
		}
		if err := c.swap(in, amount); err != nil {
			return err
		}
	}
	return nil
}

// swap makes a trade, after which the pool must be its own successor.
func (c *contract) swap(in int, amount u256.Int) error {
	want, err := c.pool.Swap(in, 1-in, amount)
	if err != nil {
		return err
	}
	r, err := c.take(in, amount)
	if err != nil {
		return err
	}
	if c.pool, err = c.applied(c.pool, r.Logs); err != nil {
		return err
	}
	if next := want.(*Pool); *next != *c.pool {
		return fmt.Errorf("the successor is %+v, heard was %+v", *next, *c.pool)
	}
	return nil
}

func (c *contract) take(in int, amount u256.Int) (evm.Result, error) {
	forever := u256.Max.Big()
	if in == mon {
		p := struct {
			AmountOutMin *big.Int
			Token, To    common.Address
			Deadline     *big.Int
		}{new(big.Int), c.pool.address, taker, forever}
		return c.Try(taker, routerAt, amount, "NadFunRouter", "buy", p)
	}
	p := struct {
		AmountIn, AmountOutMin *big.Int
		Token, To              common.Address
		Deadline               *big.Int
	}{amount.Big(), new(big.Int), c.pool.address, taker, forever}
	return c.Try(taker, routerAt, u256.Zero, "NadFunRouter", "sell", p)
}

// Swap measures what the taker gets.
func (c *contract) Swap(in, out int, amount u256.Int) (paid u256.Int, ok bool, err error) {
	if amount.BitLen() > 128 {
		return u256.Zero, false, nil // there is less of any currency
	}
	c.Undo(func() {
		before := c.balance(out)
		if _, err = c.take(in, amount); err == nil {
			paid, ok = c.balance(out).Sub(before), true
		}
	})
	return paid, ok, err
}

func (c *contract) balance(of int) u256.Int {
	if of == mon {
		return c.Balance(taker)
	}
	return c.Holds(c.pool.address, taker)
}

// upTo is of any size up to n: small numbers are as likely as large ones.
func upTo(r *rand.Rand, n u256.Int) u256.Int {
	word := venuetest.Word(r)
	n = n.Rsh(uint(r.IntN(n.BitLen() + 1)))
	if n.IsZero() {
		return u256.One
	}
	return word.Mod(n).Add(u256.One)
}
