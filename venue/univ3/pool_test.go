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

// TestLaws takes its pools from the contract, one without liquidity among them.
func TestLaws(t *testing.T) {
	c, err := newContract()
	if err != nil {
		t.Fatalf("%v: run make artifacts", err)
	}
	r := rand.New(rand.NewPCG(3, 0))
	if err := c.open(r); err != nil {
		t.Fatal(err)
	}
	pools := []venue.Pool{c.pool}
	for range 12 {
		p, err := c.Next(r)
		if err != nil {
			t.Fatal(err)
		}
		pools = append(pools, p)
	}
	venuetest.Laws(t, pools)
}

// TestSwap: the pool we expect after a swap is the one we then hear of.
func TestSwap(t *testing.T) {
	c, err := newContract()
	if err != nil {
		t.Fatalf("%v: run make artifacts", err)
	}
	r := rand.New(rand.NewPCG(4, 0))
	made := 0
	for range 300 {
		p, err := c.Next(r)
		if err != nil {
			t.Fatal(err)
		}
		in := r.IntN(2)
		amount := u256.FromFloat(p.Depth(in)).Rsh(uint(r.IntN(80))).Add(u256.One)
		next, err := p.Swap(in, 1-in, amount)
		if err != nil {
			continue
		}
		if err := c.swap(in, amount); err != nil {
			t.Fatal(err)
		}
		made++
		want, got := next.(*univ3.Pool).At(), c.pool.(*univ3.Pool).At()
		if want != got {
			t.Fatalf("%v of token %d: we expect %v, the contract says %v", amount, in, want, got)
		}
	}
	if made < 50 {
		t.Errorf("only %d swaps were made", made)
	}
}

// TestIdle: a pool whose swaps show other liquidity than its mints and burns
// is not of the code we know, and is left alone.
func TestIdle(t *testing.T) {
	c, err := newContract()
	if err != nil {
		t.Fatalf("%v: run make artifacts", err)
	}
	r := rand.New(rand.NewPCG(5, 0))
	if err := errors.Join(c.open(r), c.mint(r)); err != nil {
		t.Fatal(err)
	}
	swap := types.Log{Address: c.address, Topics: []common.Hash{c.family.Topics()[4], {}, {}}}
	for _, word := range []u256.Int{u256.One, u256.One, c.at.Price, u256.From(12345), u256.Zero.Sub(u256.From(uint64(-c.at.Tick)))} {
		b := word.Bytes()
		swap.Data = append(swap.Data, b[:]...)
	}
	if err := c.hear([]*types.Log{&swap}); err != nil {
		t.Fatal(err)
	}
	if p := c.pool.(*univ3.Pool); p.At() != c.at || p.Idle() == "" || p.Spot(0, 1) != 0 || p.Depth(0) != 0 {
		t.Errorf("at %v, not %v; idle for %q", p.At(), c.at, p.Idle())
	}
	if _, err := c.pool.Quote(0, 1, u256.One); !errors.Is(err, venue.ErrEmpty) {
		t.Errorf("an idle pool says %v", err)
	}
}
