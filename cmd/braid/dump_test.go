package main

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"braid/benchfile"
	"braid/router"
	"braid/u256"
)

// TestDump: a market that was written to a file and read again gives the same
// plans, over pools of all families.
func TestDump(t *testing.T) {
	w := newGasRig(t, 1)
	s := w.head()
	file := filepath.Join(t.TempDir(), "market.json")
	if err := dump(t.Context(), w.chain.URL(), file); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var read benchfile.Market
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	again, err := read.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	r, found := rand.New(rand.NewPCG(1, 2)), 0
	for range 200 {
		i, j := r.IntN(len(s.Tokens())), r.IntN(len(s.Tokens()))
		usd := s.Price(i).USD
		if i == j || usd == 0 {
			continue
		}
		o := router.Order{
			TokenIn: s.Tokens()[i].Address, TokenOut: s.Tokens()[j].Address,
			AmountIn: u256.FromFloat(math.Exp(r.Float64()*12) / usd),
		}
		want, err := router.Find(s, o)
		got, gotErr := router.Find(again, o)
		if (err == nil) != (gotErr == nil) || got.AmountOut != want.AmountOut {
			t.Errorf("%v of %s to %s: %v, %v after reading, %v, %v before", o.AmountIn, o.TokenIn, o.TokenOut, got.AmountOut, gotErr, want.AmountOut, err)
		}
		if err == nil {
			found++
		}
	}
	if found < 100 {
		t.Errorf("only %d plans: too few to compare", found)
	}
	read.Pools[0].State = read.Pools[0].State[:1]
	if _, err := read.Snapshot(); err == nil {
		t.Error("a pool that is cut short is read")
	}
}
