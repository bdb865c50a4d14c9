package router

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"braid/market"
	"braid/markettest"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// honest is a market without an attack: two stablecoins, native at three cents, five
// other hubs and ten tokens beside them. Its pools are pairs and concentrated liquidity
// of 10,000 to 3,000,000 dollars, whose prices agree up to what a fee hides.
type honest struct {
	t testing.TB
	*markettest.World
	*rand.Rand
	usd map[string]float64 // of a whole token
}

const hubs = 8

func newHonest(t testing.TB, seed uint64) *honest {
	h := &honest{t, markettest.New(t), rand.New(rand.NewPCG(seed, 14)), map[string]float64{"NATIVE": 0.03, "USD": 1, "AUSD": 1}}
	h.Stables = append(h.Stables, "AUSD")
	for i := range 15 {
		h.usd[fmt.Sprint("T", i)] = math.Exp(h.NormFloat64() * 3)
	}
	names := []string{"NATIVE", "USD", "AUSD"}
	for i := range 15 {
		names = append(names, fmt.Sprint("T", i))
	}
	for _, name := range names {
		h.Verify(name)
	}
	for i := range hubs {
		for j := range i {
			for range 1 + h.IntN(3) {
				h.fair(names[j], names[i], 1e5*math.Exp(h.Float64()*math.Log(30)))
			}
		}
	}
	for i := hubs; i < len(names); i++ {
		for range 2 {
			h.fair(names[h.IntN(i)], names[i], 1e4*math.Exp(h.Float64()*math.Log(100)))
		}
	}
	return h
}

// fair adds a pool that holds so many dollars of each token.
func (h *honest) fair(a, b string, usd float64) {
	skew := math.Exp(h.NormFloat64() * 0.001)
	x, y := usd/h.usd[a]*1e18, usd/h.usd[b]*1e18*skew
	if h.IntN(2) == 0 {
		h.Pool("pairs", a, x, b, y)
		return
	}
	price, positions := ticks.Spread(10, u256.FromFloat(x), u256.FromFloat(y))
	h.RangesAt("ranges", a, b, ticks.Point{Price: price, Tick: ticks.GetTickAtSqrtRatio(price)}, positions...)
}

// executable are the dollars that pools between two tokens take both ways until their
// prices are 2 % worse.
func (h *honest) executable(a, b string) (sum float64) {
	for _, p := range h.Pools {
		if tokens := p.Info().Tokens; tokens[0] != h.Token(a) || tokens[1] != h.Token(b) {
			continue
		}
		least := math.Inf(1)
		for in, name := range []string{a, b} {
			s := venue.SupplyOf(p, in, 1-in)
			x, _, _, _ := s.Until(0.98 * s.Spot())
			least = min(least, x*h.usd[name]/1e18)
		}
		sum += least
	}
	return sum
}

// bent adds a position between two neighbouring ticks in a pool of its own, at so many
// times the honest price of a in b. It offers of each token what is worth so many dollars
// or, so that both sides are equally deep, less of one of them.
func (h *honest) bent(source, a, b string, times, usd float64) {
	tick := h.tick(times * h.usd[a] / h.usd[b])
	lower, upper := root(tick), root(tick+10)
	at := root(tick + 5)
	liquidity := min(usd/h.usd[a]*1e18/(1/at-1/upper), usd/h.usd[b]*1e18/(at-lower))
	h.attack(source, a, b, tick+5, 0, ticks.Position{Lower: tick, Upper: tick + 10, Liquidity: u256.FromFloat(liquidity)})
}

// dust adds a pool at the honest price that holds next to nothing, at any price.
func (h *honest) dust(a, b string, usd float64) {
	liquidity := usd / math.Sqrt(h.usd[a]*h.usd[b]) * 1e18
	h.attack("V4", a, b, h.tick(h.usd[a]/h.usd[b]), 0, ticks.Position{Lower: -887_270, Upper: 887_270, Liquidity: u256.FromFloat(liquidity)})
}

// edge adds a position of so many dollars of one token between two neighbouring ticks, at
// so many times the honest price. The price stands within a hair of the edge where the
// position has all of its money in that token, and offers dust of the other.
func (h *honest) edge(source, a, b string, times, usd float64, upper bool) {
	tick := h.tick(times * h.usd[a] / h.usd[b])
	low, high := root(tick), root(tick+10)
	if upper {
		liquidity := usd / h.usd[b] * 1e18 / (high - low)
		h.attack(source, a, b, tick+10, -1, ticks.Position{Lower: tick, Upper: tick + 10, Liquidity: u256.FromFloat(liquidity)})
		return
	}
	liquidity := usd / h.usd[a] * 1e18 / (1/low - 1/high)
	h.attack(source, a, b, tick, 1, ticks.Position{Lower: tick, Upper: tick + 10, Liquidity: u256.FromFloat(liquidity)})
}

func root(tick int32) float64 { return ticks.GetSqrtRatioAtTick(tick).Float() / 0x1p96 }

// tick is where a price is, rounded to the spacing and kept in what pools know.
func (h *honest) tick(price float64) int32 {
	return int32(max(-85_000, min(math.Log(price)/math.Log(1.0001)/10, 85_000))) * 10
}

// attack adds a pool of a V3 or V4 source at a tick, a hair above (1) or below it (-1).
func (h *honest) attack(source, a, b string, tick int32, side int, list ...ticks.Position) {
	at := ticks.Point{Price: ticks.GetSqrtRatioAtTick(tick), Tick: tick}
	hair := at.Price.Rsh(60).Add(u256.One)
	switch side {
	case 1:
		at.Price = at.Price.Add(hair)
	case -1:
		at = ticks.Point{Price: at.Price.Sub(hair), Tick: tick - 1}
	}
	if source == "V3" {
		h.RangesAt(source, a, b, at, list...)
		return
	}
	h.V4(a, b, at, list...)
}

// orders are of 10 to 3,000,000 dollars between honest tokens, of which pools leave at
// least 90 %: beyond that no plan is near any other.
func (h *honest) orders(s *market.Snapshot, n int) (orders []Order) {
	for len(orders) < n {
		in, out := h.Tokens[h.IntN(hubs)].Symbol, h.Tokens[h.IntN(2*hubs)].Symbol
		if in == out {
			continue
		}
		usd := 10 * math.Exp(h.Float64()*math.Log(3e5))
		o := order(h.World, in, usd/h.usd[in]*1e18, out)
		if p, err := Find(s, o); err == nil && p.AmountOut.Float()*h.usd[out]/1e18 > 0.9*usd {
			orders = append(orders, o)
		}
	}
	return orders
}

// pay is what Find pays for orders, net of gas at honest prices.
func (h *honest) pay(s *market.Snapshot, orders []Order) []float64 {
	nets := make([]float64, len(orders))
	for i, o := range orders {
		p, err := Find(s, o)
		if err != nil {
			h.t.Fatal(err)
		}
		gas := float64(p.Gas) * s.GasPrice().Float() * h.usd["NATIVE"]
		nets[i] = p.AmountOut.Float() - gas/h.usd[h.Symbol(o.TokenOut)]
	}
	return nets
}

// spreadOf says where the quantiles of figures lie.
func spreadOf(all []float64) string {
	slices.Sort(all)
	at := func(q float64) float64 { return all[int(q*float64(len(all)-1))] }
	return fmt.Sprintf("median %.3g, p90 %.3g, p99 %.3g, worst %.3g of %d", at(0.5), at(0.9), at(0.99), at(1), len(all))
}
