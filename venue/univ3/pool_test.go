package univ3_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
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

// TestCreationLayouts: the row says which of fee and tick spacing PoolCreated indexes,
// and a log of the other layout, which looks the same, makes no pool.
func TestCreationLayouts(t *testing.T) {
	var rows []venue.Source
	text := `[{"id":"A","family":"univ3","factory":"0x00000000000000000000000000000000000000fa"},
		{"id":"B","family":"univ3","factory":"0x00000000000000000000000000000000000000fb","indexedSpacing":true}]`
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		t.Fatal(err)
	}
	f := univ3.New(rows)
	for i := range rows {
		if err := f.Check(rows[i].Params); err != nil {
			t.Fatal(err)
		}
	}
	for _, tier := range [][2]uint64{{100, 1}, {500, 10}, {2500, 50}, {3000, 60}, {10_000, 200}, {10_000, 100}, {17_760, 200}, {10_000, 2000}} {
		for row := range rows {
			for layout := range 2 { // 1: the tick spacing is indexed
				word := func(n uint64) common.Hash { return u256.From(n).Bytes() }
				topic, data := word(tier[layout]), word(tier[1-layout])
				log := types.Log{Address: rows[row].Factory, Topics: []common.Hash{f.CreationTopic(), word(1), word(2), topic}, Data: append(data[:], common.LeftPadBytes([]byte{9}, 32)...)}
				e, err := f.Decode(&log)
				if row != layout {
					if e != nil || err == nil {
						t.Errorf("row %s, layout %d: fee %d, spacing %d: %v", rows[row].ID, layout, tier[0], tier[1], e)
					}
					continue
				}
				if want := fmt.Sprintf("fee:%d spacing:%d}", tier[0], tier[1]); err != nil || !strings.HasSuffix(fmt.Sprintf("%+v", e), want) {
					t.Errorf("row %s: %+v, want %s: %v", rows[row].ID, e, want, err)
				}
			}
		}
	}
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
