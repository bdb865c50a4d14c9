package router

import (
	"fmt"
	"math"
	"testing"

	"braid/market"
	"braid/markettest"
	"braid/plan"
	"braid/router/exact"
	"braid/ticks"
	"braid/u256"
)

// What anybody can do to prices and quotes, by pools of his own.
var attacks = []struct {
	name string
	play func(h *honest)
}{
	{"ten dollars at the edge of a tick, V4", func(h *honest) { h.edges("V4") }},
	{"ten dollars at the edge of a tick, V3", func(h *honest) { h.edges("V3") }},
	{"1 % of the depth", func(h *honest) { h.depth(0.01) }},
	{"10 % of the depth", func(h *honest) { h.depth(0.1) }},
	{"45 % of the depth", func(h *honest) { h.depth(0.45) }},
	{"45 % of the depth, just out of line", func(h *honest) {
		h.bent("V3", "NATIVE", "USD", 1+0.2*(h.Float64()-0.5), 0.45*h.executable("NATIVE", "USD"))
	}},
	{"45 % of the depth in a thousand pools", func(h *honest) {
		usd, times := h.executable("NATIVE", "USD")*0.45/1000, h.times()
		for range 1000 {
			h.bent("V3", "NATIVE", "USD", times*(1+0.01*h.Float64()), usd)
		}
	}},
	{"45 % of the depth in a thousand positions", func(h *honest) {
		var list []ticks.Position
		tick := h.tick(h.times() * h.usd["NATIVE"])
		usd := 0.45 * h.executable("NATIVE", "USD") / 1000
		for range 1000 {
			lower, upper := tick-10*int32(1+h.IntN(50)), tick+10*int32(1+h.IntN(50))
			liquidity := min(usd/h.usd["NATIVE"]/(1/root(tick)-1/root(upper)), usd/(root(tick)-root(lower))) * 1e18
			list = append(list, ticks.Position{Lower: lower, Upper: upper, Liquidity: u256.FromFloat(liquidity)})
		}
		h.attack("V4", "NATIVE", "USD", tick, 1, list...)
	}},
	{"two hops through an own token", func(h *honest) {
		h.usd["OWN"] = 1
		depth := 0.45 * h.executable("NATIVE", "USD")
		h.bent("V3", "OWN", "USD", 1, depth)
		h.bent("V4", "NATIVE", "OWN", h.times(), depth)
	}},
	{"a hundred own tokens behind one", func(h *honest) {
		h.usd["OWN"] = 1
		depth, times := 0.45*h.executable("NATIVE", "USD"), h.times()
		h.bent("V3", "OWN", "USD", 1, depth)
		for i := range 100 {
			name := fmt.Sprint("OWN", i)
			h.usd[name] = 1
			h.Pool("pairs", "OWN", 1e30, name, 1e30)
			h.bent("V3", "NATIVE", name, times, depth/100)
		}
	}},
	{"an own token that is priced first", func(h *honest) {
		// It is deeper than all others, so that tokens hear it before anybody else: ten
		// dollars of each, for any amount of it.
		h.usd["OWN"] = 1
		h.bent("V3", "OWN", "USD", 1, 1e7)
		for _, token := range h.Tokens[3:] {
			if token.Verified {
				h.Pool("pairs", token.Symbol, 10e18/h.usd[token.Symbol], "OWN", 1e33)
			}
		}
	}},
	{"a stablecoin look-alike", func(h *honest) {
		h.usd["USDC"] = 1
		h.Pool("pairs", "USDC", 1e33, "NATIVE", 1e18)
		h.Pool("pairs", "USDC", 1e33, "T0", 1e15)
		h.edge("V4", "USDC", "USD", 1, 10, true)
		h.bent("V3", "USDC", "USD", 1, 10)
	}},
	{"thousands of pools that hold a thousandth of a dollar", func(h *honest) {
		const pools, each = 20_000, 50
		for range pools / each {
			tokens := h.Pools[h.IntN(len(h.Pools))].Info().Tokens
			a, b := h.Symbol(tokens[0]), h.Symbol(tokens[1])
			for range each {
				h.dust(a, b, 0.001)
			}
		}
	}},
	{"a token of 77 decimals", func(h *honest) {
		h.Token("DEEP")
		h.Tokens[h.Names["DEEP"]].Decimals = 77
		h.Pool("pairs", "DEEP", 5e33, "NATIVE", 1e20)
		h.Pool("pairs", "DEEP", 1e3, "USD", 1e19)
		h.Pool("pairs", "DEEP", 5e33, "T0", 10*1e18/h.usd["T0"])
	}},
}

// times is how far off an attack puts a price: by 3 % up to a factor of a billion.
func (h *honest) times() float64 {
	off := math.Exp(math.Log(0.03) + h.Float64()*(math.Log(math.Log(1e9))-math.Log(0.03)))
	if h.IntN(2) == 0 {
		off = -off
	}
	return math.Exp(off)
}

// edges are one-tick positions at both edges.
func (h *honest) edges(source string) {
	h.edge(source, "NATIVE", "USD", h.times(), 10, false)
	h.edge(source, "NATIVE", "USD", h.times(), 10, true)
	h.edge(source, "NATIVE", "USD", 1e11, 10, false)
}

// depth is a part of what native and a stablecoin have, off by any factor.
func (h *honest) depth(part float64) {
	h.bent("V4", "NATIVE", "USD", h.times(), part*h.executable("NATIVE", "USD"))
}

// TestAttacks: whatever is played, in many markets, no price of a listed token moves by
// more than 1 %, and no order gets more than a basis point less than without it, net of
// gas. Pools that give money away may add to it.
func TestAttacks(t *testing.T) {
	const seeds = 12
	moved, lost := make([][]float64, len(attacks)), make([][]float64, len(attacks))
	for seed := range uint64(seeds) {
		h := newHonest(t, seed)
		before := h.Snapshot()
		orders := h.orders(before, 8)
		quiet := h.pay(before, orders)
		for i, a := range attacks {
			h := newHonest(t, seed)
			a.play(h)
			after := h.Snapshot()
			moved[i] = append(moved[i], h.moved(before, after)...)
			for k, net := range h.pay(after, orders) {
				lost[i] = append(lost[i], 1e4*(1-net/quiet[k]))
			}
		}
	}
	for i, a := range attacks {
		t.Logf("%s: prices move by %%: %s", a.name, spreadOf(moved[i]))
		t.Logf("%s: orders lose bps: %s", a.name, spreadOf(lost[i]))
		if worst := moved[i][len(moved[i])-1]; !(worst <= 1) {
			t.Errorf("%s: a price moves by %.3g %%", a.name, worst)
		}
		if worst := lost[i][len(lost[i])-1]; !(worst <= 1) {
			t.Errorf("%s: an order loses %.3g basis points", a.name, worst)
		}
	}
}

// moved is by how many percent the prices of listed tokens differ; 100 where one is gone.
func (h *honest) moved(before, after *market.Snapshot) (percent []float64) {
	for i, token := range before.Tokens() {
		was, is := before.USD(token.Address), after.USD(token.Address)
		switch {
		case was == 0:
			h.t.Errorf("%s has no price without an attack", h.Tokens[i].Symbol)
		case is == 0:
			percent = append(percent, 100)
		default:
			percent = append(percent, 100*math.Abs(is/was-1))
		}
	}
	return percent
}

// TestLaunches: a fresh bonding curve and a pool that only sells so far are priced by what
// they sell for, and routed, whoever else makes pools.
func TestLaunches(t *testing.T) {
	h := newHonest(t, 1)
	h.Curve("curve", "FRESH", 1e4*e18)
	h.attack("V3", "NATIVE", "LAUNCH", 0, 0, ticks.Position{Lower: -20_000, Upper: 0, Liquidity: u256.FromFloat(1e23)})
	for _, attacked := range []bool{false, true} {
		if attacked {
			h.edges("V4")
		}
		s := h.Snapshot()
		for _, token := range []string{"FRESH", "LAUNCH"} {
			if usd := s.USD(h.Token(token)) * 1e18; math.Abs(usd/h.usd["NATIVE"]-1) > 0.02 {
				t.Errorf("attacked %v: %s sells for a native of 0.03 and has a price of %g", attacked, token, usd)
			}
			p, err := Find(s, order(h.World, "AUSD", 100*e18, token))
			if err != nil {
				t.Fatal(err)
			}
			if got := p.AmountOut.Float() / e18; got < 0.9*100/0.03 || got > 1.2*100/0.03 { // an attack may add to it
				t.Errorf("attacked %v: 100 dollars buy %g of %s at 0.03", attacked, got, token)
			}
		}
	}
}

// TestCheck: whatever a search ends with, what one pool or the best path pays more is
// returned instead.
func TestCheck(t *testing.T) {
	w := markettest.New(t)
	w.Pool("one", "A", 1e6*e18, "B", 1e6*e18)
	w.Pool("two", "A", 1e6*e18, "C", 1e6*e18)
	w.Pool("two", "C", 0.9e6*e18, "B", 0.8e6*e18)
	s, o := w.Snapshot(), order(w, "A", 10*e18, "B")
	p, err := newProblem(s, o, false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.release()
	worse, err := plan.Run(o.TokenIn, o.TokenOut, o.AmountIn, []plan.Step{{Pool: w.Pools[1], In: 0, Out: 1}, {Pool: w.Pools[2], In: 0, Out: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Show(exact.OnePool(&p.Problem, o.AmountIn, worse)); got != "one A>B 10000" {
		t.Errorf("a worse plan ends as %s", got)
	}
	worst := worse
	worst.AmountOut = worse.AmountOut.Rsh(1)
	if p.keep(&worst, worse); worst.AmountOut != worse.AmountOut {
		t.Errorf("a plan of %v stands against a path of %v", worst.AmountOut, worse.AmountOut)
	}
}
