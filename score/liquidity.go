package score

import (
	"maps"
	"math"
	"math/big"
	"slices"

	"braid/benchfile"
	"braid/ticks"
	"braid/u256"
)

// v3Kinds are the usual fees of concentrated liquidity, with the tick spacing and
// the median half width of a position, as a difference of log prices.
var v3Kinds = []v3Kind{{100, 1, 0.006}, {500, 10, 0.05}, {3000, 60, 0.25}, {10000, 200, 0.6}}

type v3Kind struct {
	feePpm  uint64
	spacing int32
	width   float64
}

const maxPositions = 90

// position is liquidity between two ticks, worth so many dollars.
type position struct {
	lower, upper int32
	usd          float64
}

// concentrate makes a V3 pool of so many dollars, at a price in raw units of token 1
// for one of token 0, where raw is dollars for a raw unit of token 0. It is false if
// no liquidity is active at the price.
func (g *generator) concentrate(p *benchfile.Pool, kind *v3Kind, price, usd, raw float64) bool {
	root := math.Sqrt(price)
	x96, _ := new(big.Float).Mul(big.NewFloat(root), big.NewFloat(0x1p96)).Int(nil)
	p.Type, p.TickSpacing = "v3", kind.spacing
	p.SqrtPriceX96, p.Tick = benchfile.Decimal(x96.String()), ticks.GetTickAtSqrtRatio(u256.FromBig(x96))
	net, active := map[int32]*big.Int{}, false
	add := func(tick int32, n *big.Int) {
		if net[tick] == nil {
			net[tick] = new(big.Int)
		}
		net[tick].Add(net[tick], n)
	}
	for _, q := range g.positions(kind, price, usd) {
		n := q.liquidity(root, raw, raw/price)
		if n.Sign() <= 0 {
			continue
		}
		add(q.lower, n)
		add(q.upper, new(big.Int).Neg(n))
		active = active || q.lower <= p.Tick && p.Tick < q.upper
	}
	for _, tick := range slices.Sorted(maps.Keys(net)) {
		if net[tick].Sign() != 0 {
			p.Ticks = append(p.Ticks, benchfile.Tick{Index: tick, Net: net[tick].String()})
		}
	}
	return active
}

// positions are one over all prices with 3 to 13 % of the value, and some around the
// present price; more in pools of more value.
func (g *generator) positions(kind *v3Kind, price, usd float64) []position {
	last := ticks.MaxTick / kind.spacing * kind.spacing
	wide := usd * (0.03 + 0.1*g.r.Float64())
	n := min(maxPositions, 3+int(math.Exp(0.7*g.r.NormFloat64())*min(25, 3+2*math.Log10(usd))))
	shares, sum := make([]float64, n), 0.0
	for i := range shares {
		shares[i] = math.Exp(1.2 * g.r.NormFloat64())
		sum += shares[i]
	}
	list := []position{{-last, last, wide}}
	logTick, spacing := math.Log(1.0001), float64(kind.spacing)
	for _, share := range shares {
		half := kind.width * math.Exp(0.8*g.r.NormFloat64())
		middle := math.Log(price) + 0.4*half*g.r.NormFloat64()
		lower := int32(math.Floor((middle-half)/logTick/spacing)) * kind.spacing
		upper := max(lower+kind.spacing, int32(math.Ceil((middle+half)/logTick/spacing))*kind.spacing)
		list = append(list, position{max(lower, -last), min(upper, last), (usd - wide) * share / sum})
	}
	return list
}

// liquidity is that of the position at a square root of the price, where usd0 and
// usd1 are dollars for a raw unit of each token.
func (q *position) liquidity(root, usd0, usd1 float64) *big.Int {
	at := func(tick int32) float64 { return math.Exp(float64(tick) * math.Log(1.0001) / 2) }
	lower, upper := at(q.lower), at(q.upper)
	within := min(max(root, lower), upper)
	n, _ := big.NewFloat(q.usd / ((1/within-1/upper)*usd0 + (within-lower)*usd1)).Int(nil)
	return n
}
