package univ3_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ3"
)

// dusty is a pool with n ticks at spacing 1 around the price: one wide position,
// and many that are small and narrow.
func dusty(tb testing.TB, n int32) (*univ3.Family, venue.Pool) {
	dust, most := u256.From(1e9), u256.From(1e18)
	list := make([]ticks.Tick, n)
	for i := range list {
		net := dust
		if i%2 == 1 {
			net = u256.Zero.Sub(dust)
		}
		list[i] = ticks.Tick{Index: int32(i) - n/2, Gross: dust, Net: net}
	}
	first, last := &list[0], &list[n-1]
	first.Net, first.Gross = first.Net.Add(most), first.Gross.Add(most)
	last.Net, last.Gross = last.Net.Sub(most), last.Gross.Add(most)
	book, err := ticks.BookOf(1, list)
	if err != nil {
		tb.Fatal(err)
	}
	source := &venue.Source{ID: "Dusty", Family: univ3.Name, Type: venue.V3}
	at := ticks.Point{Price: ticks.GetSqrtRatioAtTick(0).Add(u256.One)}
	return univ3.New([]venue.Source{*source}), univ3.NewPool(source, common.Address{1}, [2]common.Address{{2}, {3}}, 500, at, book)
}

// someMint is a mint of a range of any width in a pool with n ticks.
func someMint(tb testing.TB, f *univ3.Family, r *rand.Rand, n int32) venue.Event {
	lower, upper := r.Int32N(n)-n/2, r.Int32N(n)-n/2
	if lower == upper {
		upper++
	}
	log := &types.Log{Address: common.Address{1}, Data: make([]byte, 4*32)}
	log.Topics = []common.Hash{f.Topics()[2], {}, common.BytesToHash(venue.Signed(min(lower, upper))), common.BytesToHash(venue.Signed(max(lower, upper)))}
	log.Data[60] = 1
	e, err := f.Decode(log)
	if err != nil || e == nil {
		tb.Fatal(e, err)
	}
	return e
}

func apply(tb testing.TB, f *univ3.Family, p venue.Pool, e venue.Event) venue.Pool {
	next, err := f.Apply(p, e)
	if err != nil || next.(*univ3.Pool).Idle() != "" {
		tb.Fatal(err)
	}
	return next
}

// worked are the processor times of what is measured: its times on a machine
// that does nothing else.
type worked []time.Duration

func (w *worked) add(do func()) {
	was := processor()
	do()
	*w = append(*w, processor()-was)
}

// report tells the median and the least of them, in microseconds, divided by
// how many events each is about.
func (w worked) report(b *testing.B, each int) {
	slices.Sort(w)
	b.ReportMetric(float64(w[len(w)/2].Nanoseconds())/1000/float64(each), "median-cpu-us")
	b.ReportMetric(float64(w[0].Nanoseconds())/1000/float64(each), "least-cpu-us")
}

// processor is the time that all cores have worked for this process.
func processor() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkEvent100kTicks are 256 mints in a pool of 100,000 ticks: at most
// 50 us each, which median-cpu-us tells.
func BenchmarkEvent100kTicks(b *testing.B) {
	for _, n := range []int32{20, 200, 100_000} {
		b.Run(fmt.Sprintf("ticks=%d", n), func(b *testing.B) {
			f, p := dusty(b, n)
			r := rand.New(rand.NewPCG(1, 1))
			events := make([]venue.Event, 256)
			for i := range events {
				events[i] = someMint(b, f, r, n)
			}
			var w worked
			b.ReportAllocs()
			for b.Loop() {
				w.add(func() {
					for _, e := range events {
						p = apply(b, f, p, e)
					}
				})
			}
			w.report(b, len(events))
		})
	}
}

// BenchmarkBlock1000Events is a block with 1,000 mints in a pool of 100,000
// ticks, and what the market asks of the pool after it: at most 30 ms.
func BenchmarkBlock1000Events(b *testing.B) {
	const n = 100_000
	f, p := dusty(b, n)
	r := rand.New(rand.NewPCG(2, 1))
	events := make([]venue.Event, 1000)
	for i := range events {
		events[i] = someMint(b, f, r, n)
	}
	var w worked
	b.ReportAllocs()
	for b.Loop() {
		w.add(func() {
			q := p
			for _, e := range events {
				q = apply(b, f, q, e)
			}
			for in := range 2 {
				venue.SupplyOf(q, in, 1-in)
			}
		})
	}
	w.report(b, 1)
}

// BenchmarkFirstQuote100kTicks is the first quote of a pool of 100,000 ticks
// after a mint, whether it crosses a few ticks or more than a transaction can
// pay for: at most 300 us.
func BenchmarkFirstQuote100kTicks(b *testing.B) {
	const n = 100_000
	f, p := dusty(b, n)
	r := rand.New(rand.NewPCG(3, 1))
	for _, move := range []float64{0.001, 0.01, 0.1, 1} {
		amount := u256.FromFloat(move * 1e18)
		b.Run(fmt.Sprintf("amount=%g", move), func(b *testing.B) {
			var w worked
			for b.Loop() {
				b.StopTimer()
				q := apply(b, f, p, someMint(b, f, r, n))
				b.StartTimer()
				w.add(func() { q.Quote(0, 1, amount) })
			}
			w.report(b, 1)
		})
	}
}
