package market_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ3"
)

// Benchmark100LargePools is a block in which a swap and a change of liquidity
// come to each of 100 pools of 100,000 ticks, with every model that the router
// reads: at most 30 ms.
func Benchmark100LargePools(b *testing.B) {
	const pools, size = 100, 100_000
	list := make([]ticks.Tick, size)
	for i := range list {
		list[i] = ticks.Tick{Index: int32(i) - size/2, Gross: u256.From(1e15), Net: u256.From(1e15)}
		if i%2 == 1 {
			list[i].Net = u256.Zero.Sub(list[i].Net)
		}
	}
	book, err := ticks.BookOf(1, list)
	if err != nil {
		b.Fatal(err)
	}
	tokens := []market.Token{{Address: number(0xaa, 0), Decimals: 18}, {Address: number(0xaa, 1), Decimals: 18}}
	source := &venue.Source{ID: "three", Family: univ3.Name, Type: venue.V3}
	r := rand.New(rand.NewPCG(1, 1))
	block := func() []venue.Pool {
		changed := make([]venue.Pool, pools)
		for i := range changed {
			lower := int32(r.IntN(size-1)) - size/2
			with, err := book.With(lower, lower+1+r.Int32N(size/2-lower), u256.From(1e9))
			if err != nil {
				b.Fatal(err)
			}
			at := ticks.Point{Price: ticks.GetSqrtRatioAtTick(int32(i) - 50).Add(u256.One), Tick: int32(i) - 50}
			changed[i] = univ3.NewPool(source, number(0x11, i), [2]common.Address{tokens[0].Address, tokens[1].Address}, 500, at, with)
		}
		return changed
	}
	s, err := market.New(market.Chain{WrappedNative: tokens[0].Address, Stables: []common.Address{tokens[1].Address}}).
		Next(market.Block{Number: 1}, block(), tokens)
	if err != nil {
		b.Fatal(err)
	}
	s.Graph()
	var worked []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		idle := processor()
		if s, err = s.Next(market.Block{Number: s.Block().Number + 1}, block(), nil); err != nil {
			b.Fatal(err)
		}
		s.Graph()
		worked = append(worked, processor()-idle)
	}
	slices.Sort(worked)
	b.ReportMetric(float64(worked[len(worked)/2].Microseconds())/1000, "median-cpu-ms")
}
