package kuru

import (
	"fmt"
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/contracts"
	"braid/evm"
	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

// ground is a site in a bare machine.
type ground struct{ machine *evm.Machine }

func (g *ground) Founder() common.Address { return maker }

func (g *ground) Init(name string, args ...any) ([]byte, error) {
	c, err := contracts.Read("../../build/artifacts/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("%w: run make artifacts", err)
	}
	return c.Init(args...), nil
}

func (g *ground) Etch(at common.Address, init []byte) error {
	_, err := g.machine.Etch(maker, at, init)
	return err
}

func (g *ground) Send(txs []venue.Tx) (logs [][]*types.Log, err error) {
	for _, tx := range txs {
		g.machine.Gas = tx.Gas
		r, err := g.machine.Call(maker, tx.To, tx.Value, tx.Data)
		if err != nil {
			return nil, err
		}
		logs = append(logs, r.Logs)
	}
	return logs, nil
}

// TestStage opens markets of the prices and decimals the token list has, holds
// what is heard of them to the laws of all venues, and to the listing's price.
func TestStage(t *testing.T) {
	g := &ground{machine: evm.New(evm.Rules(143))}
	g.machine.Fund(maker, u256.One.Lsh(120))
	source := venue.Source{ID: "Kuru", Type: venue.CLOB, Family: Name, Factory: router, Margin: margin}
	f := New([]venue.Source{source}, wrapped)
	if err := f.Etch(g); err != nil {
		t.Fatal(err)
	}
	tokens := map[uint8]common.Address{}
	for _, n := range []uint8{6, 8, 18} {
		var err error
		if tokens[n], err = g.machine.Create(maker, contracts.Token.Init("T", "T", n, maker, u256.Max.Big())); err != nil {
			t.Fatal(err)
		}
	}
	amount := func(n string) u256.Int { return u256.MustDecimal(n) }
	listings := []venue.Listing{
		{Tokens: []common.Address{wrapped, tokens[6]}, Amounts: []u256.Int{amount("666666666000000000000000000"), amount("20000000000000")}},
		{Tokens: []common.Address{tokens[8], tokens[6]}, Amounts: []u256.Int{amount("14000000000"), amount("14000000000000")}},
		{Tokens: []common.Address{tokens[8], tokens[18]}, Amounts: []u256.Int{amount("3000000000"), amount("857142857142857142857")}},
		{Tokens: []common.Address{tokens[18], wrapped}, Amounts: []u256.Int{amount("1000000000000000000000"), amount("116666666000000000000000000")}},
		{Tokens: []common.Address{tokens[18], tokens[6]}, Amounts: []u256.Int{amount("666000000000000000000000000"), amount("40000000000")}},
	}
	for i := range listings {
		listings[i].Source = &source
	}
	var pools []venue.Pool
	for _, l := range listings {
		logs, err := g.record(f, l)
		if err != nil {
			t.Fatal(err)
		}
		p, err := heard(f, nil, logs)
		if err != nil {
			t.Fatal(err)
		}
		m := &market{exchange: &exchange{machine: g.machine, family: f}, pool: p}
		if err := m.load(); err != nil {
			t.Fatal(err)
		}
		if p = m.pool; len(p.book[bids]) != len(p.book[asks]) || len(p.book[asks]) < 20 || p.vault.size[bids].IsZero() || p.vault.size[asks].IsZero() {
			t.Errorf("market %s: %d bids, %d asks, vault %v", p.info.ID, len(p.book[bids]), len(p.book[asks]), p.vault)
		}
		price := l.Amounts[1].Float() / l.Amounts[0].Float()
		if off := math.Abs(math.Sqrt(p.Spot(0, 1)/p.Spot(1, 0))/price - 1); off > 0.0002 {
			t.Errorf("market %s: its middle is off the listing by %g", p.info.ID, off)
		}
		pools = append(pools, p)
	}
	venuetest.Laws(t, pools)
}

// record opens one market and gathers what is logged.
func (g *ground) record(f *Family, l venue.Listing) (all []*types.Log, err error) {
	site := &recorder{ground: g}
	err = f.Open(site, []venue.Listing{l})
	return site.logs, err
}

type recorder struct {
	*ground
	logs []*types.Log
}

func (r *recorder) Send(txs []venue.Tx) ([][]*types.Log, error) {
	logs, err := r.ground.Send(txs)
	for _, l := range logs {
		r.logs = append(r.logs, l...)
	}
	return logs, err
}
