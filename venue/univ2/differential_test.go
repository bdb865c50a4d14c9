package univ2_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/contracts"
	"braid/evm"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venuetest"
)

// TestDifferential holds the pair's arithmetic to the pairs' own bytecode.
func TestDifferential(t *testing.T) {
	var f forks
	for i, feeBps := range []uint64{30, 25} {
		c, err := newContract(feeBps)
		if err != nil {
			t.Fatal(err)
		}
		f[i] = c
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

var owner = common.HexToAddress("0x00000000000000000000000000000000000000fe")

// contract is one pair of a real factory, with two tokens of ours.
type contract struct {
	machine *evm.Machine
	family  *univ2.Family
	abi     contracts.Contract
	pool    venue.Pool
	pair    common.Address
	tokens  [2]common.Address
}

func newContract(feeBps uint64) (*contract, error) {
	name := func(what string) string {
		return fmt.Sprintf("../../build/artifacts/UniswapV2%s-%d.json", what, feeBps)
	}
	factory, err := contracts.Read(name("Factory"))
	if err != nil {
		return nil, fmt.Errorf("%w: run make artifacts", err)
	}
	pair, err := contracts.Read(name("Pair"))
	if err != nil {
		return nil, err
	}
	c := &contract{machine: evm.New(evm.Rules(143)), abi: pair}
	at, err := c.machine.Create(owner, factory.Init(owner))
	if err != nil {
		return nil, err
	}
	c.family = univ2.New([]venue.Source{{ID: "Fork", Type: venue.V2, Family: univ2.Name, Factory: at, FeeBps: feeBps}})
	for i := range c.tokens {
		if c.tokens[i], err = c.machine.Create(owner, contracts.Token.Init("T", "T", uint8(18), owner, u256.Max.Big())); err != nil {
			return nil, err
		}
	}
	if c.tokens[0].Cmp(c.tokens[1]) > 0 {
		c.tokens[0], c.tokens[1] = c.tokens[1], c.tokens[0]
	}
	if err := c.do(at, factory, "createPair", c.tokens[0], c.tokens[1]); err != nil {
		return nil, err
	}
	c.pair = common.HexToAddress(string(c.pool.Info().ID))
	return c, nil
}

// do makes a call that must succeed and lets the family hear its logs.
func (c *contract) do(to common.Address, abi contracts.Contract, method string, args ...any) error {
	r, err := c.machine.Call(owner, to, u256.Zero, pack(abi, method, args...))
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return c.hear(r.Logs)
}

func (c *contract) hear(logs []*types.Log) error {
	for _, log := range logs {
		e, err := c.family.Decode(log)
		if err != nil {
			return err
		}
		if e == nil {
			continue
		}
		next, err := c.family.Apply(c.pool, e)
		if err != nil && !errors.Is(err, venue.ErrUnknownPool) {
			return err
		}
		c.pool = next
	}
	return nil
}

// Next gives the pair any reserves it can have, by paying it and letting it
// sync.
func (c *contract) Next(r *rand.Rand) (venue.Pool, error) {
	for i := range c.tokens {
		reserve := u256.FromBytes(randomBytes(r)).Rsh(uint(144 + r.IntN(112)))
		if err := c.setBalance(i, reserve); err != nil {
			return nil, err
		}
	}
	err := c.do(c.pair, c.abi, "sync")
	return c.pool, err
}

// setBalance makes the pair hold exactly that much of a token.
func (c *contract) setBalance(i int, want u256.Int) error {
	r, err := c.machine.Call(owner, c.tokens[i], u256.Zero, pack(contracts.Token, "balanceOf", c.pair))
	if err != nil {
		return err
	}
	have := u256.FromBytes(r.Return)
	from, to, amount := owner, c.pair, want.Sub(have)
	if want.Lt(have) {
		from, to, amount = c.pair, owner, have.Sub(want)
	}
	_, err = c.machine.Call(from, c.tokens[i], u256.Zero, pack(contracts.Token, "transfer", to, amount.Big()))
	return err
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
	c.machine.Undo(func() {
		if _, err := c.machine.Call(owner, c.tokens[in], u256.Zero, pack(contracts.Token, "transfer", c.pair, amount.Big())); err != nil {
			return
		}
		_, err := c.machine.Call(owner, c.pair, u256.Zero, pack(c.abi, "swap", asked[0].Big(), asked[1].Big(), owner, []byte{}))
		ok = err == nil
	})
	return ok
}

func pack(c contracts.Contract, method string, args ...any) []byte {
	data, err := c.ABI.Pack(method, args...)
	if err != nil {
		panic(err)
	}
	return data
}

func randomBytes(r *rand.Rand) []byte {
	b := make([]byte, 32)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
