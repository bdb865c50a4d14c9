package ticks

import (
	"math/rand/v2"
	"testing"

	"braid/u256"
)

// TestDearest: whatever others trade before a swap, up to the amount of Reach and in
// either direction, the swap that Dearest finds weighs as much.
func TestDearest(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	spacings := []int32{1, 10, 60, 200}
	heavier := 0 // than the swap from where the pool stands
	for range 3_000 {
		b := someBook(r, spacings[r.IntN(4)], 1+r.IntN(6))
		curves := [2]*Curve{NewCurve(b, 3000, true), NewCurve(b, 3000, false)}
		at, in, g := somePoint(r, b), r.IntN(2), NewFeeGrowth()
		c := curves[in]
		amount := u256.From(r.Uint64()).Lsh(uint(r.IntN(60))).Rsh(uint(r.IntN(60))).Add(u256.From(100))
		if end := c.Quote(at, amount); !end.Left.IsZero() {
			continue
		}
		traded := amount.Div(u256.From(16))
		behind, ahead := Reach(curves, in, at, traded)
		from, to, then := c.Dearest(at, behind, ahead, amount, g)
		starts := 0
		c.Path(behind, ahead, &g, func(int32) { starts++ }, func(int32, [2]bool) { starts++ })
		if starts > maxStarts {
			continue
		}
		found := c.weight(from, to, &then)
		if found > c.weight(at, c.Quote(at, amount).Point, &g) {
			heavier++
		}
		back := c.Quote(at, traded).Out
		for range 20 {
			moved, growth := c.Swap(at, u256.FromFloat(traded.Float()*r.Float64())).Point, g
			if r.IntN(2) == 0 {
				moved = curves[1-in].Swap(at, u256.FromFloat(back.Float()*r.Float64())).Point
				growth.Zero = [2]bool{}
			}
			if f := c.Quote(moved, amount); f.Left.IsZero() && c.weight(moved, f.Point, &growth) > found {
				t.Fatalf("%v at %v, from %v to %v: weighs %d, found %d", amount, at, moved, f.Point, c.weight(moved, f.Point, &growth), found)
			}
		}
	}
	if heavier < 50 {
		t.Errorf("only %d swaps weigh more after trades", heavier)
	}
}
