package balancer_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"braid/u256"
	"braid/venue"
	"braid/venue/balancer"
	"braid/venuetest"
)

// TestDifferential holds both kinds of pools to the vault's and the pools' own
// bytecode, and what we heard of them to what the vault remembers.
func TestDifferential(t *testing.T) {
	v := newVault(t)
	venuetest.Differential(t, balancer.Name, v)
	if v.paid*4 < v.swaps {
		t.Errorf("only %d of %d swaps were paid: the states are too odd to prove anything", v.paid, v.swaps)
	}
	t.Logf("%d of %d swaps were paid", v.paid, v.swaps)
}

// Next makes a new pool, or moves the one there is.
func (v *vault) Next(r *rand.Rand) (venue.Pool, error) {
	if v.pool == nil || r.IntN(2) == 0 {
		for made := false; !made; {
			var err error
			if made, err = v.open(v.someShape(r)); err != nil {
				return nil, err
			}
		}
	} else if err := v.move(r); err != nil {
		return nil, err
	}
	have, err := v.balances()
	if err != nil {
		return nil, err
	}
	if heard := v.pool.(*balancer.Pool).Balances(); !slices.Equal(heard, have) {
		return nil, fmt.Errorf("we heard of %v, the vault has %v", heard, have)
	}
	return v.pool, nil
}

func (v *vault) someShape(r *rand.Rand) shape {
	s := shape{rated: -1, fee: 1e13 + r.Int64N(1e17-1e13)}
	if r.IntN(2) == 0 {
		s.fee = 1e13 + r.Int64N(1e15)
	}
	if r.IntN(2) == 0 {
		v.someStable(r, &s)
	} else {
		v.someWeighted(r, &s)
	}
	if r.IntN(4) == 0 {
		s.rated = r.IntN(len(s.tokens))
	}
	return s
}

func (v *vault) someTokens(r *rand.Rand, n int) []int {
	list := r.Perm(len(v.tokens))[:n]
	slices.Sort(list)
	return list
}

func (v *vault) someWeighted(r *rand.Rand, s *shape) {
	s.tokens = v.someTokens(r, []int{2, 2, 2, 3, 4, 8}[r.IntN(6)])
	s.weights = someWeights(r, len(s.tokens))
	for _, t := range s.tokens {
		s.amounts = append(s.amounts, someSize(r, 127).Div(v.scale[t]))
	}
}

// someWeights add up to one and are at least a hundredth.
func someWeights(r *rand.Rand, n int) []*big.Int {
	if n == 2 {
		if first := []int64{50, 80, 20, 1, 0, 0}[r.IntN(6)]; first > 0 {
			return []*big.Int{big.NewInt(first * 1e16), big.NewInt((100 - first) * 1e16)}
		}
	}
	var list []*big.Int
	left := int64(1e18) - int64(n)*1e16
	for range n - 1 {
		part := r.Int64N(left)
		left -= part
		list = append(list, big.NewInt(1e16+part))
	}
	return append(list, big.NewInt(1e16+left))
}

func (v *vault) someStable(r *rand.Rand, s *shape) {
	s.tokens = v.someTokens(r, 2+r.IntN(4))
	s.amp = 1 + r.Int64N([]int64{10, 1000, 50_000}[r.IntN(3)])
	size, spread := someSize(r, 120), 1+r.Uint64N([]uint64{2, 100, 11_000}[r.IntN(3)])
	for _, t := range s.tokens {
		amount := size.Mul(u256.From(1 + r.Uint64N(spread)))
		s.amounts = append(s.amounts, amount.Div(v.scale[t]))
	}
}

// move changes the pool by a few calls to the vault. Some are refused.
func (v *vault) move(r *rand.Rand) error {
	for range 1 + r.IntN(3) {
		if err := v.step(r); err != nil {
			return err
		}
	}
	return nil
}

func (v *vault) step(r *rand.Rand) error {
	pool, tokens := v.at, v.pool.Info().Tokens
	vault, fees, desk := "BalancerVaultAdmin", "BalancerProtocolFeeController", "BalancerDesk"
	var err error
	switch r.IntN(9) {
	case 0, 1, 2:
		in := r.IntN(len(tokens))
		out := (in + 1 + r.IntN(len(tokens)-1)) % len(tokens)
		_, err = v.do(v.desk, desk, "swap", pool, tokens[in], tokens[out], v.some(r, in, 4).Big())
	case 3:
		amounts := make([]*big.Int, len(tokens))
		for i := range amounts {
			amounts[i] = v.some(r, i, 2).Big()
		}
		_, err = v.do(v.desk, desk, "add", pool, tokens, amounts, new(big.Int), uint8(1))
	case 4:
		least := make([]*big.Int, len(tokens))
		for i := range least {
			least[i] = new(big.Int)
		}
		var kind uint8
		if r.IntN(2) == 0 {
			kind, least[r.IntN(len(least))] = 1, big.NewInt(1)
		}
		_, err = v.do(v.desk, desk, "remove", pool, tokens, least, someSize(r, 100).Big(), kind)
	case 5:
		_, err = v.do(vaultAt, vault, "setStaticSwapFeePercentage", pool, big.NewInt(1e13+r.Int64N(1e17)))
	case 6:
		_, err = v.do(v.fees, fees, "setPoolCreatorSwapFeePercentage", pool, big.NewInt(r.Int64N(1e7)*1e11))
	case 7:
		method := []string{"enableRecoveryMode", "disableRecoveryMode"}[r.IntN(2)]
		_, err = v.do(vaultAt, vault, method, pool)
	case 8:
		err = v.ramp(r)
	}
	return err
}

// ramp sets the amplification moving and stops it on its way.
func (v *vault) ramp(r *rand.Rand) error {
	const day = 24 * 3600
	const pool = "BalancerStablePool"
	end := new(big.Int).SetUint64(v.Time + 40*day)
	ok, err := v.do(v.at, pool, "startAmplificationParameterUpdate", big.NewInt(1+r.Int64N(50_000)), end)
	if !ok {
		return err
	}
	if v.pool.(*balancer.Pool).Idle() == "" {
		return fmt.Errorf("the amplification moves and the pool is not idle")
	}
	v.Time += r.Uint64N(39 * day)
	if ok, err = v.do(v.at, pool, "stopAmplificationParameterUpdate"); err == nil && !ok {
		err = fmt.Errorf("the amplification cannot be stopped")
	}
	return err
}

// some is an amount of the pool's own size.
func (v *vault) some(r *rand.Rand, i, times int) u256.Int {
	n := v.pool.(*balancer.Pool).Balances()[i].Mul(u256.From(uint64(times)))
	return n.Mul(u256.From(r.Uint64N(1 << 20))).Rsh(uint(20 + r.IntN(30)))
}
