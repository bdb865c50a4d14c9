package ticks_test

import (
	"testing"

	"braid/ticks"
	"braid/u256"
)

// TestFeeGrowth: a tick is known to keep fees when some were earned beyond it, as
// seen from the price.
func TestFeeGrowth(t *testing.T) {
	const fee = 3000
	point := func(tick int32) ticks.Point {
		p := ticks.GetSqrtRatioAtTick(tick)
		return ticks.Point{Price: p.Add(u256.One), Tick: tick}
	}
	liquidity := u256.From(1e15)
	g := ticks.NewFeeGrowth()
	book, g, err := g.With(ticks.NewBook(10), -1000, 1000, liquidity)
	if err == nil {
		book, g, err = g.With(book, -100, 100, liquidity)
	}
	if err != nil {
		t.Fatal(err)
	}
	// holds are the ticks between two points, going down or up, with what is
	// known of them.
	holds := func(from, to int32) map[int32][2]bool {
		got := map[int32][2]bool{}
		c := ticks.NewCurve(book, fee, to < from)
		c.Path(point(from), point(to), &g, func(int32) {}, func(tick int32, h [2]bool) { got[tick] = h })
		return got
	}
	expect := func(when string, from, to, tick int32, want [2]bool) {
		t.Helper()
		got := holds(from, to)
		if h, crossed := got[tick]; !crossed || len(got) != 1 || h != want {
			t.Errorf("%s: %v", when, got)
		}
	}

	expect("untouched, down", 0, -150, -100, [2]bool{})
	g = g.After(book, fee, point(0), point(-150))
	if g.Zero != [2]bool{false, true} || g.NonZero != [2]bool{true, false} {
		t.Errorf("token 0 came in: %+v", g)
	}
	expect("crossed down, up again", -150, 0, -100, [2]bool{true, false})
	expect("never crossed: all was earned below", -50, 150, 100, [2]bool{})
	g = g.After(book, fee, point(-150), point(0))
	expect("crossed twice, down", 0, -150, -100, [2]bool{true, true})

	// A tick that begins now counts all that was earned as below it.
	if book, g, err = g.With(book, 50, 100, liquidity); err != nil {
		t.Fatal(err)
	}
	expect("begun above the price", 40, 60, 50, [2]bool{})
	expect("begun below the price", 60, 40, 50, [2]bool{true, true})
	expect("settled in the book", 0, -150, -100, [2]bool{true, true})

	// Of a pool that was not followed nothing is known.
	if (ticks.FeeGrowth{}).Zero != [2]bool{} {
		t.Error("an unknown past is taken for none")
	}
}
