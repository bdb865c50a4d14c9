package univ2_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venuetest"
)

// TestDifferential holds the pair's arithmetic to the pairs' own bytecode.
func TestDifferential(t *testing.T) {
	var f forks
	for i, feeBps := range []uint64{30, 25} {
		f[i] = newContract(t, feeBps)
	}
	venuetest.Differential(t, univ2.Name, &f)
}

// forks are pairs of different fees; the first has its turn.
type forks [2]*contract

func (f *forks) Next(r *rand.Rand) (venue.Pool, error) {
	f[0], f[1] = f[1], f[0]
	return f[0].Next(r)
}

func (f *forks) Swap(in, out int, amount u256.Int) (u256.Int, bool, error) {
	return f[0].Swap(in, out, amount)
}

var owner = venuetest.Owner

// contract is one pair of a real factory, with two tokens of ours.
type contract struct {
	*venuetest.Rig
	family *univ2.Family
	name   string // of its build
	pool   venue.Pool
	pair   common.Address
	tokens [2]common.Address
}

func newContract(t testing.TB, feeBps uint64) *contract {
	c := &contract{Rig: venuetest.NewRig(t), name: fmt.Sprintf("UniswapV2Pair-%d", feeBps)}
	factory := fmt.Sprintf("UniswapV2Factory-%d", feeBps)
	at := c.Deploy(factory, owner)
	c.family = univ2.New([]venue.Source{{ID: "Fork", Type: venue.V2, Family: univ2.Name, Factory: at, Params: univ2.Fee(feeBps)}})
	c.tokens = [2]common.Address{c.Token(18), c.Token(18)}
	if c.tokens[0].Cmp(c.tokens[1]) > 0 {
		c.tokens[0], c.tokens[1] = c.tokens[1], c.tokens[0]
	}
	if err := c.do(at, factory, "createPair", c.tokens[0], c.tokens[1]); err != nil {
		t.Fatal(err)
	}
	c.pair = common.HexToAddress(string(c.pool.Info().ID))
	return c
}

// do makes a call that must succeed and applies its logs.
func (c *contract) do(to common.Address, name, method string, args ...any) (err error) {
	c.pool, err = venuetest.Applied(c.family, c.pool, c.Must(owner, to, u256.Zero, name, method, args...).Logs)
	return err
}

// Next gives the pair any reserves it can have, by paying it and letting it
// sync.
func (c *contract) Next(r *rand.Rand) (venue.Pool, error) {
	for i := range c.tokens {
		c.setBalance(i, venuetest.Word(r).Rsh(uint(144+r.IntN(112))))
	}
	err := c.do(c.pair, c.name, "sync")
	return c.pool, err
}

// setBalance makes the pair hold exactly that much of a token.
func (c *contract) setBalance(i int, want u256.Int) {
	have := c.Holds(c.tokens[i], c.pair)
	from, to, amount := owner, c.pair, want.Sub(have)
	if want.Lt(have) {
		from, to, amount = c.pair, owner, have.Sub(want)
	}
	c.Must(from, c.tokens[i], u256.Zero, "Token", "transfer", to, amount.Big())
}

// Swap is the most the pair pays. A pair computes nothing: it takes any output
// that keeps its product. So it must give what we quote, and refuse to give
// one unit more, or anything at all where we quote nothing.
func (c *contract) Swap(in, out int, amount u256.Int) (u256.Int, bool, error) {
	q, err := c.pool.Quote(in, out, amount)
	if err == nil && !c.gives(in, out, amount, q.Out) {
		return u256.Zero, false, nil
	}
	if more := q.Out.Add(u256.One); c.gives(in, out, amount, more) {
		return more, true, nil
	}
	return q.Out, err == nil, nil
}

func (c *contract) gives(in, out int, amount, wanted u256.Int) (ok bool) {
	var asked [2]u256.Int
	asked[out] = wanted
	c.Undo(func() {
		if _, err := c.Try(owner, c.tokens[in], u256.Zero, "Token", "transfer", c.pair, amount.Big()); err != nil {
			return
		}
		_, err := c.Try(owner, c.pair, u256.Zero, c.name, "swap", asked[0].Big(), asked[1].Big(), owner, []byte{})
		ok = err == nil
	})
	return ok
}
