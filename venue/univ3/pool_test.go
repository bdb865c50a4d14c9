package univ3_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
	"braid/venue/univ3"
	"braid/venuetest"
)

func TestLaws(t *testing.T) { venuetest.RangedLaws(t, newContract(t)) }

func TestMostTicks(t *testing.T) {
	_, p := dusty(t, 6000)
	venuetest.MostTicks(t, p)
}

func TestSwap(t *testing.T) { venuetest.RangedSwaps(t, newContract(t)) }

// TestIdle: a pool whose swaps show other liquidity than its mints and burns
// is not of the code we know, and is left alone.
func TestIdle(t *testing.T) {
	c, r := newContract(t), rand.New(rand.NewPCG(5, 0))
	if _, err := c.Open(r); err != nil {
		t.Fatal(err)
	}
	if err := c.mint(r); err != nil {
		t.Fatal(err)
	}
	swap := types.Log{Address: c.address, Topics: []common.Hash{c.family.Topics()[4], {}, {}}}
	for _, word := range []u256.Int{u256.One, u256.One, c.At.Price, u256.From(12345), u256.Zero.Sub(u256.From(uint64(-c.At.Tick)))} {
		b := word.Bytes()
		swap.Data = append(swap.Data, b[:]...)
	}
	if err := c.apply([]*types.Log{&swap}); err != nil {
		t.Fatal(err)
	}
	if p := c.pool.(*univ3.Pool); p.At() != c.At || p.Idle() == "" || p.Spot(0, 1) != 0 || p.Depth(0) != 0 {
		t.Errorf("at %v, not %v; idle for %q", p.At(), c.At, p.Idle())
	}
	if _, err := c.pool.Quote(0, 1, u256.One); !errors.Is(err, venue.ErrEmpty) {
		t.Errorf("an idle pool says %v", err)
	}
}
