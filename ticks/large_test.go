package ticks

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"braid/u256"
)

// dense is a book with n ticks at spacing 1 around tick 0, of positions of any
// width.
func dense(tb testing.TB, r *rand.Rand, n int) *Book {
	list := make([]Tick, n)
	var active u256.Int
	for i := range list {
		next := u256.From(1 + r.Uint64N(1<<50)).Lsh(uint(r.IntN(30)))
		if r.IntN(10) == 0 || i == n-1 {
			next = u256.Zero
		}
		list[i] = Tick{int32(i - n/2), u256.One.Lsh(100), next.Sub(active)}
		active = next
	}
	b, err := BookOf(1, list)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// TestMaxCrossed: a quote of a large book is what the contract's loop gives, as
// long as that crosses no more than MaxCrossed ticks, and else says so. Ranges
// end at the same place. How far other quotes went does not matter.
func TestMaxCrossed(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	refused, crossed := 0, 0
	for range 6 {
		b := dense(t, r, 3*MaxCrossed)
		for _, down := range []bool{true, false} {
			c := NewCurve(b, uint64(r.IntN(10_000)), down)
			for range 4 {
				at := inside(int32(r.IntN(600) - 300))
				whole := 0.0
				c.Ranges(at, func(_, _, length float64) { whole += length })
				for _, part := range []float64{0.01, 0.3, 0.9, 1 - 1e-9, 1 + 1e-9, 1.1, 100} {
					amount := u256.FromFloat(whole * part)
					want := Result{Point: at, Left: amount}
					for c.step(&want) && distance(b.at(at.Tick), b.at(want.Tick)) <= MaxCrossed {
					}
					got := c.Quote(at, amount)
					if tooFar := part > 1; (got.Crossed > MaxCrossed) != tooFar {
						t.Fatalf("%g of what ranges take: %d ticks crossed", part, got.Crossed)
					}
					if got.Crossed > MaxCrossed {
						refused++
						continue
					}
					crossed = max(crossed, got.Crossed)
					got.Crossed, got.Words = 0, 0
					if got != want {
						t.Fatalf("%v at %v: the loop gives %+v, the table gives %+v", amount, at, want, got)
					}
				}
				if rows := len(c.table.Load().rows); rows > 2*(MaxCrossed+maxWordEdges) {
					t.Fatalf("a table of %d rows", rows)
				}
			}
		}
	}
	if refused == 0 || crossed != MaxCrossed {
		t.Errorf("%d refused, at most %d ticks crossed", refused, crossed)
	}
}

// TestFullStep holds the amounts of full steps to the contract's formulas, also
// where an amount is a whole number or next to one.
func TestFullStep(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	fallbacks := 0
	for n := range 50_000 {
		tick := int32(r.IntN(2*MaxTick-300)) + MinTick
		a, b := GetSqrtRatioAtTick(tick), GetSqrtRatioAtTick(tick+1+r.Int32N(300))
		liquidity := u256.From(1 + r.Uint64()).Lsh(uint(r.IntN(64))).Rsh(uint(r.IntN(64))).Add(u256.One)
		if n%2 == 0 { // prices whose quotients with the liquidity are whole
			a, b = u256.One.Lsh(40+uint(r.IntN(60))), u256.One.Lsh(100+uint(r.IntN(59)))
		}
		d := wideOf(inverseOf(a).Sub(inverseOf(b)))
		for _, up := range []bool{true, false} {
			want := GetAmount0Delta(a, b, liquidity, up)
			got, sure := amount0Of(d, halfOf(liquidity), up)
			if !sure {
				fallbacks++
			} else if got.full() != want {
				t.Fatalf("%v from %v to %v: %v, not %v", liquidity, a, b, got.full(), want)
			}
			want, _ = liquidity.MulDiv(b.Sub(a), q96)
			if up && liquidity.Mul(b.Sub(a)) != want.Mul(q96) {
				want = want.Add(u256.One)
			}
			if got := GetAmount1Delta(a, b, liquidity, up); got != want {
				t.Fatalf("%v from %v to %v: %v, not %v", liquidity, a, b, got, want)
			}
		}
		in, fee := u256.From(r.Uint64()).Lsh(uint(r.IntN(120))), r.Uint64N(pips)
		if n%3 == 0 {
			in = u256.From(pips - fee).Mul(in) // no rest
		}
		if want, got := divRoundingUp(in.Mul(u256.From(pips)), u256.From(pips-fee)), addFee(wideOf(in), fee).full(); got != want {
			t.Fatalf("%v at a fee of %d: %v, not %v", in, fee, got, want)
		}
	}
	if fallbacks == 0 {
		t.Error("no amount was next to a whole number")
	}
}

// TestWork: what a change of a large book allocates does not grow with its
// ticks, nor does the number of its ranges, and a tick takes no more memory
// than before there was a tree.
func TestWork(t *testing.T) {
	const n, changes = 100_000, 200
	r := rand.New(rand.NewPCG(10, 1))
	b := dense(t, r, n)
	g := NewFeeGrowth()
	g.spans[0] = span{true, -20_000, 20_000} // to be moved into entries
	work := func(do func()) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	bytes := work(func() {
		for range changes {
			lower := r.Int32N(n-1) - n/2
			if _, _, err := g.With(b, lower, lower+1+r.Int32N(n/2-1-lower), u256.One); err != nil {
				t.Fatal(err)
			}
		}
	})
	if bytes > changes*100_000 {
		t.Errorf("a change allocates %d bytes", bytes/changes)
	}
	for _, down := range []bool{true, false} {
		ranges := 0
		NewCurve(b, 500, down).Ranges(inside(0), func(_, _, _ float64) { ranges++ })
		if ranges > MaxCrossed+1 {
			t.Errorf("%d ranges", ranges)
		}
	}
	if size := unsafe.Sizeof(entry{}); size > 112 {
		t.Errorf("a tick takes %d bytes", size)
	}
}

// TestUnsound: a change is refused for what it would do to subtrees that lie
// between its ends as a whole, where both ends would take it.
func TestUnsound(t *testing.T) {
	const n, third = 900, 300
	most := u256.One.Lsh(128).Sub(u256.One)
	for _, c := range []struct{ outer, inner, delta u256.Int }{
		{u256.From(5), u256.One, u256.Zero.Sub(u256.From(5))},
		{u256.One, most.Sub(u256.One), u256.From(2)},
	} {
		list, active := make([]Tick, n), u256.Zero
		for i := range list {
			next := c.outer
			if i == n-1 {
				next = u256.Zero
			} else if i >= third && i < 2*third && i%2 == 0 {
				next = c.inner
			}
			list[i] = Tick{int32(i), u256.One.Lsh(100), next.Sub(active)}
			active = next
		}
		b, err := BookOf(1, list)
		if err != nil {
			t.Fatal(err)
		}
		for _, upper := range []int32{third - 1, n - 1} {
			if _, err := b.With(0, upper, c.delta); (err == nil) != (upper < third) {
				t.Errorf("%v to ticks 0 to %d: %v", c.delta, upper, err)
			}
		}
	}
}
