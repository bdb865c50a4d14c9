package router

import (
	"errors"
	"fmt"
	"testing"

	"braid/markettest"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

const e18 = 1e18

// Each script is a market, an order and the plan that a trader would draw.
func TestScripts(t *testing.T) {
	scripts := []struct {
		name   string
		pools  func(w *markettest.World)
		in     string
		amount float64
		out    string
		change func(o *Order)
		want   string
	}{
		{
			name:  "direct",
			pools: func(w *markettest.World) { w.Pool("one", "A", 1e6*e18, "B", 2e6*e18) },
			in:    "A", amount: 10 * e18, out: "B",
			want: "one A>B 10000",
		},
		{
			name: "two equal pools share equally",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "B", 1e6*e18)
				w.Pool("two", "A", 1e6*e18, "B", 1e6*e18)
			},
			in: "A", amount: 5e4 * e18, out: "B",
			want: "one A>B 5000, two A>B 5000",
		},
		{
			name: "a pool three times as deep takes three parts of four",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "B", 1e6*e18)
				w.Pool("two", "A", 3e6*e18, "B", 3e6*e18)
			},
			in: "A", amount: 5e4 * e18, out: "B",
			want: "two A>B 7500, one A>B 2500",
		},
		{
			name: "a detour beats the direct pool",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "B", 0.9e6*e18)
				w.Pool("two", "A", 1e6*e18, "C", 1e6*e18)
				w.Pool("two", "C", 1e6*e18, "B", 1e6*e18)
			},
			in: "A", amount: 10 * e18, out: "B",
			want: "two A>C 10000, two C>B 10000",
		},
		{
			name: "four hops when there is nothing else",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "B", 1e6*e18)
				w.Pool("one", "B", 1e6*e18, "C", 1e6*e18)
				w.Pool("one", "C", 1e6*e18, "D", 1e6*e18)
				w.Pool("one", "D", 1e6*e18, "E", 1e6*e18)
			},
			in: "A", amount: 10 * e18, out: "E",
			want: "one A>B 10000, one B>C 10000, one C>D 10000, one D>E 10000",
		},
		{
			name: "a long way round a thin pool in the middle",
			pools: func(w *markettest.World) {
				w.PoolFee("one", 5, "A", 1e7*e18, "B", 1e7*e18)
				w.PoolFee("one", 5, "B", 1e5*e18, "C", 1e5*e18)
				w.PoolFee("one", 5, "C", 1e7*e18, "D", 1e7*e18)
				for _, pair := range []string{"BE", "EF", "FG", "GC"} {
					w.PoolFee("two", 5, pair[:1], 1e7*e18, pair[1:], 1e7*e18)
				}
			},
			in: "A", amount: 1e4 * e18, out: "D",
			want: "one A>B 10000, two B>E 9543, two E>F 9543, two F>G 9543, two G>C 9543, one B>C 457, one C>D 10000",
		},
		{
			name: "two ways in merge before the one way out",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "M", 1e6*e18)
				w.Pool("two", "A", 1e6*e18, "M", 1e6*e18)
				w.Pool("one", "M", 1e6*e18, "B", 1e6*e18)
			},
			in: "A", amount: 5e4 * e18, out: "B",
			want: "one A>M 5000, two A>M 5000, one M>B 10000",
		},
		{
			name: "one way in splits in the middle",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "M", 1e6*e18)
				w.Pool("one", "M", 1e6*e18, "B", 1e6*e18)
				w.Pool("two", "M", 1e6*e18, "B", 1e6*e18)
			},
			in: "A", amount: 5e4 * e18, out: "B",
			want: "one A>M 10000, one M>B 5000, two M>B 5000",
		},
		{
			name: "chains stay together",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "C", 1e6*e18)
				w.Pool("one", "A", 1e6*e18, "D", 1e6*e18)
				w.Pool("one", "C", 1e6*e18, "B", 1e6*e18)
				w.Pool("one", "D", 1e6*e18, "B", 1e6*e18)
			},
			in: "A", amount: 5e4 * e18, out: "B",
			want: "one A>C 5000, one C>B 5000, one A>D 5000, one D>B 5000",
		},
		{
			name: "an excluded source is not used",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "B", 1e6*e18)
				w.Pool("two", "A", 1e6*e18, "B", 0.9e6*e18)
			},
			in: "A", amount: 10 * e18, out: "B",
			change: func(o *Order) { o.Exclude = map[string]bool{"one": true} },
			want:   "two A>B 10000",
		},
		{
			name: "no unverified token in mid-route",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "B", 0.8e6*e18)
				w.Pool("two", "A", 1e6*e18, "C", 1e6*e18)
				w.Pool("two", "C", 1e6*e18, "B", 1e6*e18)
				w.Pool("three", "A", 1e6*e18, "D", 1e6*e18)
				w.Pool("three", "D", 1e6*e18, "B", 0.9e6*e18)
				w.Verify("D")
			},
			in: "A", amount: 10 * e18, out: "B",
			change: func(o *Order) { o.VerifiedHops = true },
			want:   "three A>D 10000, three D>B 10000",
		},
		{
			// USD 10,000 of native a unit of 1e18: a swap burns 75 dollars.
			name: "a leg that does not earn its gas is left out",
			pools: func(w *markettest.World) {
				w.Pool("one", "USD", 1e8*e18, "NATIVE", 1e4*e18)
				w.Pool("one", "USD", 1e6*e18, "B", 1e6*e18)
				w.Pool("two", "USD", 1e6*e18, "B", 1e6*e18)
			},
			in: "USD", amount: 1e3 * e18, out: "B",
			want: "one USD>B 10000",
		},
		{
			name: "and the same leg is used when it earns it",
			pools: func(w *markettest.World) {
				w.Pool("one", "USD", 1e8*e18, "NATIVE", 1e4*e18)
				w.Pool("one", "USD", 1e6*e18, "B", 1e6*e18)
				w.Pool("two", "USD", 1e6*e18, "B", 1e6*e18)
			},
			in: "USD", amount: 5e4 * e18, out: "B",
			want: "one USD>B 5000, two USD>B 5000",
		},
		{
			// Round C and D there is money to be had, but never twice
			// through one token.
			name: "no circle, however it pays",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "C", 1e6*e18)
				w.Pool("one", "C", 1e6*e18, "D", 3e6*e18)
				w.Pool("two", "D", 1e6*e18, "C", 1e6*e18)
				w.Pool("one", "C", 1e6*e18, "B", 1e6*e18)
			},
			in: "A", amount: 10 * e18, out: "B",
			want: "one A>C 10000, one C>B 10000",
		},
		{
			// All of A comes in below tick -100 only at a far worse price:
			// the range is filled to its end and the pair takes the rest.
			name: "a tick cliff sends the rest elsewhere",
			pools: func(w *markettest.World) {
				w.Ranges("three", "A", "B",
					ticks.Position{Lower: -100, Upper: 100, Liquidity: u256.FromFloat(1e6 * e18)},
					ticks.Position{Lower: -80000, Upper: -60000, Liquidity: u256.FromFloat(1e6 * e18)})
				w.Pool("two", "A", 1e6*e18, "B", 1e6*e18)
			},
			in: "A", amount: 1e4 * e18, out: "B",
			want: "three A>B 5015, two A>B 4985",
		},
		{
			// Neither takes it all: a range ends, and nothing lies beyond.
			name: "what is too much for each goes through both",
			pools: func(w *markettest.World) {
				w.Ranges("three", "A", "B", ticks.Position{Lower: -100, Upper: 100, Liquidity: u256.FromFloat(1e6 * e18)})
				w.Ranges("four", "A", "B", ticks.Position{Lower: -100, Upper: 100, Liquidity: u256.FromFloat(1e6 * e18)})
			},
			in: "A", amount: 8e3 * e18, out: "B",
			want: "three A>B 5000, four A>B 5000",
		},
		{
			// A thousand at 1, and nothing worth having behind them.
			name: "a level of an order book is taken to its end",
			pools: func(w *markettest.World) {
				w.Book("book", "A", "B", markettest.Level{1000, 1e3 * e18}, markettest.Level{900, 1e5 * e18})
				w.Pool("two", "A", 1e6*e18, "B", 1e6*e18)
			},
			in: "A", amount: 2e3 * e18, out: "B",
			want: "book A>B 5000, two A>B 5000",
		},
		{
			// Twice as good as the other way, but no more than its range takes.
			name: "a full pool behind another",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "C", 2e6*e18)
				w.Ranges("three", "C", "B", ticks.Position{Lower: -100, Upper: 100, Liquidity: u256.FromFloat(1e6 * e18)})
				w.Pool("two", "A", 1e6*e18, "B", 1e6*e18)
			},
			in: "A", amount: 1e4 * e18, out: "B",
			want: "one A>C 2521, three C>B 2521, two A>B 7479",
		},
		{
			// The way from C to D pays for all; the other way, for little, more.
			name: "what came first leaves where it bars what pays more",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e7*e18, "C", 1e7*e18)
				w.Pool("one", "A", 1e7*e18, "D", 1e7*e18)
				w.Pool("one", "C", 1e7*e18, "B", 1e7*e18)
				w.Pool("one", "D", 1e7*e18, "B", 1e7*e18)
				w.Pool("two", "C", 1e7*e18, "D", 1.02e7*e18)
				w.Pool("three", "D", 1e2*e18, "C", 1e3*e18)
			},
			in: "A", amount: 1e4 * e18, out: "B",
			change: func(o *Order) { o.MaxSteps = 5 },
			want:   "one A>D 5225, one D>B 5008, three D>C 217, one A>C 4775, one C>B 4992",
		},
		{
			name: "what leads both ways between two tokens goes one after the other",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e7*e18, "C", 1e7*e18)
				w.Pool("one", "A", 1e7*e18, "D", 1e7*e18)
				w.Pool("one", "C", 1e7*e18, "B", 1e7*e18)
				w.Pool("one", "D", 1e7*e18, "B", 1e7*e18)
				w.Pool("two", "C", 1e7*e18, "D", 1.02e7*e18)
				w.Pool("three", "D", 1e2*e18, "C", 1e3*e18)
			},
			in: "A", amount: 1e4 * e18, out: "B",
			want: "one A>C 9786, two C>D 9786, one D>B 9786, one A>D 214, three D>C 214, one C>B 214",
		},
		{
			// From C one gets more E, and back to C with a gain, than from D.
			name: "a circle hides no path of another token",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e8*e18, "D", 1e8*e18)
				w.Pool("one", "D", 1e8*e18, "C", 1e8*e18)
				w.Pool("one", "C", 1e8*e18, "B", 1e8*e18)
				w.Pool("two", "C", 3e4*e18, "E", 3.3e4*e18)
				w.Pool("two", "D", 3e4*e18, "E", 3e4*e18)
				w.Pool("two", "E", 3e4*e18, "F", 3.3e4*e18)
				w.Pool("two", "F", 3e4*e18, "C", 3.3e4*e18)
			},
			in: "A", amount: 1e4 * e18, out: "B",
			want: "one A>D 10000, one D>C 9055, two D>E 945, two E>F 945, two F>C 945, one C>B 10000",
		},
		{
			// Of so few units the fee takes two, not one and a half.
			name: "the last lot of a book, for less than floats promise",
			pools: func(w *markettest.World) {
				w.Ranges("one", "A", "C", ticks.Position{Lower: -1000, Upper: 1000, Liquidity: u256.FromFloat(1e12)})
				w.Pool("two", "C", 1e12, "D", 1e12*1e13)
				w.Book("book", "D", "B", markettest.Level{1100, 1e15})
				w.Pool("two", "D", 1e6*e18, "B", 1e6*e18)
			},
			in: "A", amount: 2921, out: "B",
			want: "one A>C 10000, two C>D 10000, book D>B 344, two D>B 9656",
		},
		{
			name: "less than a lot goes elsewhere",
			pools: func(w *markettest.World) {
				w.Book("book", "A", "B", markettest.Level{1000, 1e3 * e18})
				w.Pool("two", "A", 1e6*e18, "B", 1e6*e18)
			},
			in: "A", amount: 5e14, out: "B",
			want: "two A>B 10000",
		},
		{
			// A thousand tokens cost 1010.1 native, which 99% of 1020.3 are.
			name: "a curve sells what it still has",
			pools: func(w *markettest.World) {
				w.Curve("curve", "B", 1e3*e18)
				w.Pool("two", "NATIVE", 1e6*e18, "B", 0.9e6*e18)
			},
			in: "NATIVE", amount: 2e3 * e18, out: "B",
			want: "curve NATIVE>B 5102, two NATIVE>B 4898",
		},
		{
			name: "a middle pool shared by two ways in",
			pools: func(w *markettest.World) {
				w.Pool("one", "A", 1e6*e18, "C", 1e6*e18)
				w.Pool("two", "A", 1e6*e18, "C", 1e6*e18)
				w.Pool("one", "C", 1e9*e18, "B", 1e9*e18)
			},
			in: "A", amount: 5e4 * e18, out: "B",
			want: "one A>C 5000, two A>C 5000, one C>B 10000",
		},
		{
			name: "of six pools the two deepest when two are allowed",
			pools: func(w *markettest.World) {
				for i := range 6 {
					depth := float64(1+i%4) * 1e6 * e18
					w.Pool(fmt.Sprint("s", i), "A", depth, "B", depth)
				}
			},
			in: "A", amount: 5e5 * e18, out: "B",
			change: func(o *Order) { o.MaxSteps = 2 },
			want:   "s3 A>B 5714, s2 A>B 4286",
		},
	}
	for _, sc := range scripts {
		t.Run(sc.name, func(t *testing.T) {
			w := markettest.New(t)
			sc.pools(w)
			o := order(w, sc.in, sc.amount, sc.out)
			if sc.change != nil {
				sc.change(&o)
			}
			s := w.Snapshot()
			p, err := Find(s, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.Show(p); got != sc.want {
				t.Errorf("got  %s\nwant %s", got, sc.want)
			}
			checkPlan(t, s, o, p)
		})
	}
}

func TestRefusals(t *testing.T) {
	w := markettest.New(t)
	w.Pool("one", "A", 1e6*e18, "B", 1e6) // B has few decimals
	w.Pool("two", "B", 1e6, "C", 1e6)
	w.Pool("one", "X", 1e6*e18, "Y", 1e6*e18)
	w.Pool("one", "A", 0, "Z", 0)
	w.Pool("one", "C", 1e6, "D", 1e6)
	w.Pool("one", "D", 1e6, "E", 1e6)
	w.Pool("one", "E", 1e6, "F", 1e6)
	w.Pool("one", "F", 1e6, "G", 1e6)
	s := w.Snapshot()
	unknown := order(w, "A", 1, "B")
	unknown.TokenOut[3]++
	excluded := order(w, "A", e18, "C")
	excluded.Exclude = map[string]bool{"two": true}
	unlisted := order(w, "A", e18, "C")
	unlisted.VerifiedHops = true
	short := order(w, "A", 5*e18, "C")
	short.MaxSteps = 1
	most := order(w, "A", 0, "B")
	most.AmountIn = u256.Max
	for name, c := range map[string]struct {
		order Order
		want  error
	}{
		"an unknown token":                   {unknown, ErrUnknownToken},
		"no pool between":                    {order(w, "A", e18, "X"), ErrNoRoute},
		"an empty pool":                      {order(w, "A", e18, "Z"), ErrNoRoute},
		"a token for itself":                 {order(w, "A", e18, "A"), ErrNoRoute},
		"six hops":                           {order(w, "A", 1e3*e18, "G"), ErrNoRoute},
		"the only way excluded":              {excluded, ErrNoRoute},
		"only through an unverified token":   {unlisted, ErrNoRoute},
		"fewer steps than hops":              {short, ErrNoRoute},
		"nothing":                            {order(w, "A", 0, "B"), venue.ErrTooSmall},
		"less than a unit comes out":         {order(w, "A", 1e11, "B"), venue.ErrTooSmall},
		"a reserve would pass 112 bits":      {order(w, "A", 0x1p112, "B"), venue.ErrTooLarge},
		"all there can be":                   {most, venue.ErrTooLarge},
		"the second pool gives nothing back": {order(w, "A", 1.1e12, "C"), venue.ErrTooSmall},
	} {
		if _, err := Find(s, c.order); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	w := markettest.New(t)
	w.Pool("one", "A", 1e6*e18, "B", 1e6)
	w.Pool("one", "B", 1e6, "C", 1e12)
	w.Pool("one", "X", 1, "Y", 1)
	s := w.Snapshot()
	o := order(w, "A", 0, "C")

	least, ok := MinIn(s, o)
	if !ok {
		t.Fatal("no least amount")
	}
	o.AmountIn = least
	if _, err := Find(s, o); err != nil {
		t.Errorf("the least amount %v: %v", least, err)
	}
	o.AmountIn = least.Sub(u256.One)
	if _, err := Find(s, o); !errors.Is(err, venue.ErrTooSmall) {
		t.Errorf("one unit less than the least: %v", err)
	}

	most, ok := MaxIn(s, o)
	if !ok {
		t.Fatal("no greatest amount")
	}
	o.AmountIn = most
	if _, err := Find(s, o); err != nil {
		t.Errorf("the greatest amount %v: %v", most, err)
	}
	o.AmountIn = most.Add(most.Rsh(9))
	if _, err := Find(s, o); !errors.Is(err, venue.ErrTooLarge) {
		t.Errorf("a fifth of a percent more than the greatest: %v", err)
	}

	for _, o := range []Order{order(w, "X", 0, "Y"), order(w, "A", 0, "X"), {}} {
		if _, ok := MinIn(s, o); ok {
			t.Errorf("%v has a least amount", o)
		}
		if _, ok := MaxIn(s, o); ok {
			t.Errorf("%v has a greatest amount", o)
		}
	}
}
