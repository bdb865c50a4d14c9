package ticks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"braid/u256"
)

// The values the contract's own tests name.
func TestTickMath(t *testing.T) {
	for tick, want := range map[int32]string{
		MinTick: "4295128739",
		-1:      "79224201403219477170569942574",
		0:       "79228162514264337593543950336",
		50:      "79426470787362580746886972461",
		250000:  "21246587762933397357449903968194344",
		MaxTick: "1461446703485210103287273052203988822378723970342",
	} {
		if got := GetSqrtRatioAtTick(tick); got != u256.MustDecimal(want) {
			t.Errorf("price of tick %d is %v, not %s", tick, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		tick := int32(r.IntN(2*MaxTick)) + MinTick
		low, high := GetSqrtRatioAtTick(tick), GetSqrtRatioAtTick(tick+1)
		inside := low.Add(u256.From(r.Uint64()).Mod(high.Sub(low)))
		for _, price := range []u256.Int{low, inside, high.Sub(u256.One)} {
			if got := GetTickAtSqrtRatio(price); got != tick {
				t.Fatalf("tick of %v is %d, not %d", price, got, tick)
			}
		}
	}
}

// someBook has positions wide and narrow, some of which touch.
func someBook(r *rand.Rand, spacing int32, positions int) *Book {
	b := NewBook(spacing)
	edge := MaxTick / spacing
	reach := int32(1) << r.IntN(20)
	for range positions {
		pick := func() int32 { return max(-edge, min(edge, r.Int32N(2*reach+1)-reach)) * spacing }
		lower, upper := pick(), pick()
		if lower == upper {
			upper += spacing
		}
		next, err := b.With(min(lower, upper), max(lower, upper), u256.From(1+r.Uint64()>>1).Lsh(uint(r.IntN(50))).Rsh(uint(r.IntN(60))).Add(u256.One))
		if err == nil {
			b = next
		}
	}
	return b
}

// somePoint is within a tick, at its price, or at its price once it was
// crossed downwards.
func somePoint(r *rand.Rand, b *Book) Point {
	tick := int32(r.IntN(2*MaxTick)) + MinTick
	if all := b.Ticks(); len(all) > 0 && r.IntN(4) > 0 {
		tick = all[r.IntN(len(all))].Index + int32(r.IntN(5)-2)*int32(1+r.IntN(300))
		tick = max(MinTick, min(MaxTick-1, tick))
	}
	low, high := GetSqrtRatioAtTick(tick), GetSqrtRatioAtTick(tick+1)
	switch r.IntN(3) {
	case 0:
		return Point{low, tick}
	case 1:
		return Point{low, max(tick-1, MinTick)}
	}
	return Point{low.Add(u256.From(r.Uint64()).Mod(high.Sub(low))), tick}
}

// TestStepTable holds the table to the contract's loop, step by step, also for
// amounts that end at a boundary or one unit beside it.
func TestStepTable(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	spacings := []int32{1, 10, 60, 200}
	for range 200 {
		b := someBook(r, spacings[r.IntN(4)], 1+r.IntN(30))
		for _, down := range []bool{true, false} {
			c := NewCurve(b, uint64(r.IntN(20_000)), down)
			for range 20 {
				at := somePoint(r, b)
				amounts := []u256.Int{u256.From(r.Uint64()).Lsh(uint(r.IntN(90))).Rsh(uint(r.IntN(64))).Add(u256.One)}
				for f := (Result{Point: at, Left: amounts[0]}); c.step(&f) && len(amounts) < 10; {
					full := amounts[0].Sub(f.Left)
					amounts = append(amounts, full, full.Add(u256.One), full.Sub(u256.One))
				}
				for _, amount := range amounts {
					looped := Result{Point: at, Left: amount}
					for c.step(&looped) {
					}
					fromTable := c.Quote(at, amount)
					fromTable.Crossed, fromTable.Words = 0, 0
					if fromTable != looped && !amount.IsZero() {
						t.Fatalf("%v at %v, down %v: the loop gives %+v, the table gives %+v", amount, at, down, looped, fromTable)
					}
				}
			}
		}
	}
}

// A position that is taken out leaves no trace.
func TestBook(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	b := someBook(r, 10, 20)
	type position struct {
		lower, upper int32
		delta        u256.Int
	}
	var in []position
	with := b
	for range 50 {
		lower := int32(r.IntN(1000)-500) * 10
		p := position{lower, lower + 10 + int32(r.IntN(100))*10, u256.From(1 + r.Uint64()>>8)}
		next, err := with.With(p.lower, p.upper, p.delta)
		if err != nil {
			t.Fatal(err)
		}
		with, in = next, append(in, p)
	}
	r.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
	for _, p := range in {
		next, err := with.With(p.lower, p.upper, u256.Zero.Sub(p.delta))
		if err != nil {
			t.Fatal(err)
		}
		with = next
	}
	if got, want := with.Ticks(), b.Ticks(); !slices.Equal(got, want) {
		t.Fatalf("%v are left of %v", got, want)
	}
	if _, err := b.With(0, 10, u256.Zero.Sub(u256.One.Lsh(100))); err == nil {
		t.Error("liquidity that was never there was taken out")
	}
}

// BenchmarkQuote crosses from no tick to most of 4000, then begins with a new
// book every time.
func BenchmarkQuote(b *testing.B) {
	book := NewBook(10)
	for i := int32(1); i <= 2000; i++ {
		book, _ = book.With(-10*i, 10*i, u256.From(1_000_000_000_000_000))
	}
	at := Point{GetSqrtRatioAtTick(3).Add(u256.From(12345)), 3}
	for _, down := range []bool{true, false} {
		for _, bits := range []uint{40, 53, 60} {
			c, amount := NewCurve(book, 3000, down), u256.One.Lsh(bits)
			b.Run(fmt.Sprintf("down=%v/ticks=%d", down, c.Quote(at, amount).Crossed), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.Quote(at, amount)
				}
			})
		}
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			NewCurve(book, 3000, true).Quote(at, u256.One.Lsh(53))
		}
	})
}
