package balancer_test

import (
	"bytes"
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
	"braid/venue/balancer"
	"braid/venuetest"
)

func percent(n ...int64) (list []*big.Int) {
	for _, p := range n {
		list = append(list, big.NewInt(p*1e16))
	}
	return list
}

// units are amounts of the first tokens, in whole ones of 18 decimals.
func (v *vault) units(n ...uint64) (list []u256.Int) {
	for i, u := range n {
		list = append(list, u256.From(u).Mul(u256.From(1e18)).Div(v.scale[i]))
	}
	return list
}

// shapes are pools of every kind.
func (v *vault) shapes() map[string]shape {
	return map[string]shape{
		"50/50":       {tokens: []int{0, 1}, amounts: v.units(1e6, 25e6), weights: percent(50, 50), fee: 3e15, rated: -1},
		"80/20":       {tokens: []int{0, 1}, amounts: v.units(4e6, 1e6), weights: percent(80, 20), fee: 1e15, rated: -1},
		"four tokens": {tokens: []int{0, 1, 2, 3}, amounts: v.units(1e3, 1e6, 1e9, 50), weights: percent(7, 13, 33, 47), fee: 1e16, rated: 2},
		"two stable":  {tokens: []int{0, 1}, amounts: v.units(5e6, 4e6), amp: 200, fee: 1e14, rated: -1},
		"rated":       {tokens: []int{0, 1, 2}, amounts: v.units(5e6, 9e6, 1e6), amp: 50, fee: 4e14, rated: 1},
		"five stable": {tokens: []int{0, 1, 2, 3, 4}, amounts: v.units(5e6, 4e6, 3e6, 2e6, 1e6), amp: 2000, fee: 1e14, rated: -1},
	}
}

func mustOpen(t testing.TB, v *vault, s shape) *balancer.Pool {
	t.Helper()
	if ok, err := v.open(s); err != nil || !ok {
		t.Fatalf("the pool was not made: %v", err)
	}
	p := v.pool.(*balancer.Pool)
	if why := p.Idle(); why != "" {
		t.Fatalf("a new pool is idle: %s", why)
	}
	return p
}

func TestLaws(t *testing.T) {
	v := newVault(t)
	for name, s := range v.shapes() {
		p := mustOpen(t, v, s)
		t.Run(name, func(t *testing.T) { venuetest.Laws(t, []venue.Pool{p}) })
	}
}

// TestSwapIsTheSuccessor: what Swap leaves is what the vault leaves.
func TestSwapIsTheSuccessor(t *testing.T) {
	v := newVault(t)
	for name, s := range v.shapes() {
		p := mustOpen(t, v, s)
		amount := p.Balances()[1].Div(u256.From(7))
		next, err := p.Swap(1, 0, amount)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tokens := p.Info().Tokens
		if ok, err := v.do(v.desk, "BalancerDesk", "swap", v.at, tokens[1], tokens[0], amount.Big()); !ok || err != nil {
			t.Fatalf("%s: swap: %v", name, err)
		}
		have, err := v.balances()
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range next.(*balancer.Pool).Balances() {
			if b != have[i] {
				t.Errorf("%s: token %d: we leave %v, the vault %v", name, i, b, have[i])
			}
		}
	}
}

// TestPause: a paused pool says so and quotes nothing, and comes back.
func TestPause(t *testing.T) {
	v := newVault(t)
	amount := mustOpen(t, v, v.shapes()["50/50"]).Balances()[0].Div(u256.From(100))
	for _, paused := range []bool{true, false} {
		method := map[bool]string{true: "pausePool", false: "unpausePool"}[paused]
		if ok, err := v.do(vaultAt, "BalancerVaultAdmin", method, v.at); !ok || err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		p := v.pool.(*balancer.Pool)
		_, err := p.Quote(0, 1, amount)
		_, allowed, _ := v.Swap(0, 1, amount)
		if idle := p.Idle() != ""; idle != paused || errors.Is(err, venue.ErrEmpty) != paused || allowed == paused || (p.Spot(0, 1) == 0) != paused {
			t.Errorf("after %s: idle %v, quote says %v, the vault allows %v", method, idle, err, allowed)
		}
	}
}

// TestForeignPools: what anyone may register is known, and never quoted.
func TestForeignPools(t *testing.T) {
	v := newVault(t)
	stranger := common.HexToAddress("0x0000000000000000000000000000000000000bad")
	v.Put(stranger, "BalancerDesk", vaultAt, owner)
	for _, token := range v.tokens {
		v.Approve(token, stranger, owner)
	}
	mover := v.Deploy("FixedRate", big.NewInt(1e18+7))
	for _, c := range []struct {
		desk, rate common.Address
		why        string
	}{
		{stranger, balancer.FixedRate, "made by a factory whose code was not proved"},
		{balancer.StableFactory, mover, "the rate of a token moves"},
	} {
		if ok, err := v.openAt(c.desk, c.rate, v.shapes()["rated"]); err != nil || !ok {
			t.Fatalf("the pool was not made: %v", err)
		}
		mustRefuse(t, v.pool.(*balancer.Pool), c.why)
	}
}

// TestHooks: a pool that the vault registers with hooks is never quoted.
func TestHooks(t *testing.T) {
	v := newVault(t)
	mustOpen(t, v, v.shapes()["50/50"])
	registered := *v.birth
	registered.Data = bytes.Clone(registered.Data)
	registered.Data[32*17-1] = 1 // the last byte of the hooks' address
	e, err := v.family.Decode(&registered)
	if err != nil {
		t.Fatal(err)
	}
	p, err := v.family.Apply(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	mustRefuse(t, p.(*balancer.Pool), "has hooks")
}

func mustRefuse(t *testing.T, p *balancer.Pool, why string) {
	t.Helper()
	if p.Idle() != why || p.Spot(0, 1) != 0 || p.Depth(0) != 0 {
		t.Errorf("a pool that is not to be quoted is idle because %q, want %q", p.Idle(), why)
	}
	if _, err := p.Quote(0, 1, u256.From(1e18)); !errors.Is(err, venue.ErrEmpty) {
		t.Errorf("it says %v", err)
	}
	venuetest.Laws(t, []venue.Pool{p})
}

// TestTruncatedLogs: a log of the vault that is cut short is an error, never a
// panic or a change.
func TestTruncatedLogs(t *testing.T) {
	v := newVault(t)
	for _, name := range []string{"80/20", "two stable"} {
		amount := mustOpen(t, v, v.shapes()[name]).Balances()[0].Div(u256.From(100))
		tokens := v.pool.Info().Tokens
		r := v.Must(owner, v.desk, u256.Zero, "BalancerDesk", "swap", v.at, tokens[0], tokens[1], amount.Big())
		heard := 0
		for _, log := range r.Logs {
			for size := range len(log.Data) {
				short := *log
				short.Data = log.Data[:size]
				e, err := v.family.Decode(&short)
				if e == nil {
					continue
				}
				heard++
				if _, err = v.family.Apply(v.pool, e); err == nil {
					t.Fatalf("%s: %d of %d bytes were enough", name, size, len(log.Data))
				}
			}
		}
		if heard == 0 {
			t.Fatalf("%s: no log was heard", name)
		}
	}
}

func BenchmarkQuote(b *testing.B) {
	v := newVault(b)
	for _, name := range []string{"50/50", "80/20", "four tokens", "two stable", "five stable"} {
		p := mustOpen(b, v, v.shapes()[name])
		amount := p.Balances()[1].Div(u256.From(100))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := p.Quote(1, 0, amount); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
