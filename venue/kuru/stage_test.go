package kuru

import (
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

// TestStage opens markets of the prices and decimals the token list has, holds
// what is heard of them to the laws of all venues, and to the listing's price.
func TestStage(t *testing.T) {
	rig, f := venuetest.NewRig(t), newFamily()
	rig.Fund(maker, u256.One.Lsh(120))
	if err := f.Etch(rig); err != nil {
		t.Fatal(err)
	}
	tokens := map[uint8]common.Address{}
	for _, n := range []uint8{6, 8, 18} {
		tokens[n] = rig.Token(n)
	}
	amount := func(n string) u256.Int { return u256.MustDecimal(n) }
	listings := []venue.Listing{
		{Tokens: []common.Address{wrapped, tokens[6]}, Amounts: []u256.Int{amount("666666666000000000000000000"), amount("20000000000000")}},
		{Tokens: []common.Address{tokens[8], tokens[6]}, Amounts: []u256.Int{amount("14000000000"), amount("14000000000000")}},
		{Tokens: []common.Address{tokens[8], tokens[18]}, Amounts: []u256.Int{amount("3000000000"), amount("857142857142857142857")}},
		{Tokens: []common.Address{tokens[18], wrapped}, Amounts: []u256.Int{amount("1000000000000000000000"), amount("116666666000000000000000000")}},
		{Tokens: []common.Address{tokens[18], tokens[6]}, Amounts: []u256.Int{amount("666000000000000000000000000"), amount("40000000000")}},
	}
	var pools []venue.Pool
	for _, l := range listings {
		l.Source, rig.Logs = f.sources[router], nil
		if err := f.Open(rig, []venue.Listing{l}); err != nil {
			t.Fatal(err)
		}
		p, err := venuetest.Applied(f, (*Pool)(nil), rig.Logs)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = venuetest.Loaded(rig.Machine, f, p); err != nil {
			t.Fatal(err)
		}
		if p.book[bids].Len() != p.book[asks].Len() || p.book[asks].Len() < 20 || p.vault.size[bids].IsZero() || p.vault.size[asks].IsZero() {
			t.Errorf("market %s: %d bids, %d asks, vault %v", p.info.ID, p.book[bids].Len(), p.book[asks].Len(), p.vault)
		}
		price := l.Amounts[1].Float() / l.Amounts[0].Float()
		if off := math.Abs(math.Sqrt(p.Spot(0, 1)/p.Spot(1, 0))/price - 1); off > 0.0002 {
			t.Errorf("market %s: its middle is off the listing by %g", p.info.ID, off)
		}
		pools = append(pools, p)
	}
	venuetest.Laws(t, pools)
}
