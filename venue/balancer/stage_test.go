package balancer_test

import (
	"errors"
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
	"braid/venue/balancer"
)

// TestOpen: every listed price stands in some pool, and there are pools of two,
// three and four tokens, weighted and stable.
func TestOpen(t *testing.T) {
	v := newVault(t)
	listings := v.listings()
	if err := v.family.Open(v, listings); err != nil {
		t.Fatal(err)
	}
	pools := v.follow(t, v.Logs)
	sizes := map[int]int{}
	for _, p := range pools {
		if why := p.Idle(); why != "" {
			t.Errorf("pool %s is idle: %s", p.Info().ID, why)
		}
		sizes[len(p.Info().Tokens)]++
	}
	if sizes[2] < 3 || sizes[3] < 2 || sizes[4] < 1 {
		t.Errorf("pools by number of tokens: %v", sizes)
	}
	for _, l := range listings {
		want := l.Amounts[1].Float() / l.Amounts[0].Float()
		best := math.Inf(1)
		for _, p := range pools {
			in, out := position(p, l.Tokens[0]), position(p, l.Tokens[1])
			if in >= 0 && out >= 0 {
				best = min(best, math.Abs(p.Spot(in, out)/want-1))
			}
		}
		if best > 0.004 {
			t.Errorf("listing of %v: the nearest price is off by %.4f", l.Tokens, best)
		}
	}
}

// listings are of tokens worth 1, 1, 1, 2, 3, 5 and so on.
func (v *vault) listings() (list []venue.Listing) {
	worth := []uint64{1, 1, 1, 2, 3, 5, 7, 11}
	amount := func(i int) u256.Int {
		return u256.From(1e9).Mul(u256.From(1e18)).Div(u256.From(worth[i])).Div(v.scale[i])
	}
	for _, pair := range [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 0}, {4, 0}, {5, 1}, {6, 5}, {7, 3}, {4, 7}, {3, 4}, {6, 2}, {5, 2}} {
		a, b := pair[0], pair[1]
		list = append(list, venue.Listing{
			Source:  &source,
			Tokens:  []common.Address{v.tokens[a], v.tokens[b]},
			Amounts: []u256.Int{amount(a), amount(b)},
		})
	}
	return list
}

// follow hears all logs and answers what the pools want.
func (v *vault) follow(t *testing.T, logs []*types.Log) (list []*balancer.Pool) {
	pools := map[venue.ID]venue.Pool{}
	for _, log := range logs {
		e, err := v.family.Decode(log)
		if err != nil {
			t.Fatal(err)
		}
		if e == nil {
			continue
		}
		p, err := v.family.Apply(pools[e.Pool()], e)
		if errors.Is(err, venue.ErrUnknownPool) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		pools[e.Pool()] = p
	}
	for _, v.pool = range pools {
		if err := v.load(); err != nil {
			t.Fatal(err)
		}
		list = append(list, v.pool.(*balancer.Pool))
	}
	return list
}

func position(p venue.Pool, token common.Address) int {
	for i, t := range p.Info().Tokens {
		if t == token {
			return i
		}
	}
	return -1
}
