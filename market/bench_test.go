package market_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	_ "braid/router/graph" // made with every snapshot
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
	"braid/venue/univ3"
)

// BenchmarkNext is a block that changes 200 of 10,000 pools, half of them
// pairs and half concentrated liquidity of about 60 ticks, with every model
// that the router reads built anew, and the processor time it takes: that is
// its time on a machine that does nothing else.
func BenchmarkNext(b *testing.B) {
	const pools, tokens, changes = 10_000, 6_500, 200
	r := rand.New(rand.NewPCG(1, 1))
	list := make([]market.Token, tokens)
	for i := range list {
		list[i] = market.Token{Address: number(0xaa, i), Symbol: "T", Decimals: 18}
	}
	all := make([]venue.Pool, pools)
	v2 := &venue.Source{ID: "two", Family: univ2.Name, Type: venue.V2, Params: univ2.Fee(30)}
	v3 := &venue.Source{ID: "three", Family: univ3.Name, Type: venue.V3}
	for i := range all {
		pair := [2]common.Address{list[i%64].Address, list[64+i%(tokens-64)].Address}
		if i%2 == 0 {
			all[i] = univ2.NewPool(v2, number(0x11, i), pair, u256.FromFloat(1e24*(1+r.Float64())), u256.FromFloat(1e24))
			continue
		}
		book, err := ticks.NewBook(10), error(nil)
		for range 30 {
			lower := int32(r.IntN(400)-200) * 10
			if book, err = book.With(lower, lower+int32(1+r.IntN(200))*10, u256.FromFloat(1e22*r.Float64()+1)); err != nil {
				b.Fatal(err)
			}
		}
		all[i] = univ3.NewPool(v3, number(0x11, i), pair, 500, ticks.Point{Price: ticks.GetSqrtRatioAtTick(0)}, book)
	}
	chain := market.Chain{WrappedNative: list[0].Address, Stables: []common.Address{list[1].Address}}
	s, err := market.New(chain).Next(market.Block{Number: 1}, all, list)
	if err != nil {
		b.Fatal(err)
	}
	s.Graph()
	var worked []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		changed := make([]venue.Pool, changes)
		for i := range changed {
			p := s.Pools()[r.IntN(pools)]
			if changed[i], err = p.Swap(r.IntN(2), 0, u256.From(1e18)); err != nil {
				changed[i], err = p.Swap(0, 1, u256.From(1e18))
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		idle := processor()
		b.StartTimer()
		if s, err = s.Next(market.Block{Number: s.Block().Number + 1}, changed, nil); err != nil {
			b.Fatal(err)
		}
		s.Graph()
		worked = append(worked, processor()-idle)
	}
	slices.Sort(worked)
	b.ReportMetric(float64(worked[len(worked)/2].Microseconds())/1000, "median-cpu-ms")
}

// BenchmarkAdd is a block that adds a pool and its token to 50,000 of both.
func BenchmarkAdd(b *testing.B) {
	const many = 50_000
	dollar, source := number(0xaa, 0), &venue.Source{Params: univ2.Fee(30)}
	launch := func(i int) (venue.Pool, market.Token) {
		t := market.Token{Address: number(0xaa, i)}
		return univ2.NewPool(source, number(0x11, i), [2]common.Address{dollar, t.Address}, u256.From(1e18), u256.From(1e18)), t
	}
	pools, tokens := make([]venue.Pool, many), make([]market.Token, many)
	for i := range pools {
		pools[i], tokens[i] = launch(i + 1)
	}
	s, err := market.New(market.Chain{}).Next(market.Block{}, pools, append(tokens, market.Token{Address: dollar}))
	for i := many + 1; b.Loop(); i++ {
		p, t := launch(i)
		if s, err = s.Next(market.Block{}, []venue.Pool{p}, []market.Token{t}); err != nil {
			b.Fatal(err)
		}
	}
}

func number(kind byte, n int) (a common.Address) {
	a[0] = kind
	binary.BigEndian.PutUint32(a[16:], uint32(n))
	return a
}

// processor is the time that all cores have worked for this process.
func processor() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
