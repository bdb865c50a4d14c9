// Package score measures plans on generated markets: against proved bounds, against other routers, and against another build.
//
// A market and its orders are functions of a Config and a seed. A judge replays every
// plan in integers before anything is compared.
package score

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"

	"braid/benchfile"
)

// Config is what a generated market looks like.
type Config struct {
	Pools, Tokens int
	Core          int     // tokens, hubs included, that may have a pool with a token that is no hub
	TailShare     float64 // fraction of the pools between two tokens of which none is a hub
	Noise         float64 // standard deviation of log prices beyond what fees cover; above 0 there is arbitrage
	OutOfLine     float64 // fraction of the pools that are small and off their price by 3 % to a factor of a thousand
	Seed          uint64
}

// Sized is the usual market of so many pools: up to 3,000 a dense one, 6 tokens for
// 100 pools; above, a few well connected tokens and a long tail with one or two
// pools each, as on mainnets.
func Sized(pools int, seed uint64) Config {
	c := Config{Pools: pools, Tokens: max(12, pools*6/100), TailShare: 0.18, Seed: seed}
	if pools > 3000 {
		c.Tokens, c.Core, c.TailShare = pools*65/100, 300, 0.12
	}
	if pools > 30_000 {
		c.Tokens = pools * 70 / 100
	}
	if c.Core == 0 {
		c.Core = c.Tokens
	}
	return c
}

// hubs are the tokens that most pools have on one side, and the fractions of those
// pools. The first is wrapped native, the second the dollar.
var hubs = []struct {
	benchfile.Token
	share float64
}{
	{benchfile.Token{Symbol: "WMON", Address: common.HexToAddress("0x3bd359C1119dA7Da1D913D1C4D2B7c461115433A"), Decimals: 18, USD: 0.03}, 0.42},
	{benchfile.Token{Symbol: "USDC", Address: common.HexToAddress("0x754704Bc059F8C67012fEd69BC8A327a5aafb603"), Decimals: 6, USD: 1}, 0.30},
	{benchfile.Token{Symbol: "USDT0", Address: common.HexToAddress("0xe7cd86e13AC4309349F30B3435a9d337750fC82D"), Decimals: 6, USD: 0.9995}, 0.10},
	{benchfile.Token{Symbol: "WETH", Address: common.HexToAddress("0xEE8c0E9f1BFFb4Eb878d8f15f368A02a35481242"), Decimals: 18, USD: 3100}, 0.13},
	{benchfile.Token{Symbol: "WBTC", Address: common.HexToAddress("0x0555E30da8f98308EdB960aa94C0Db47230d2B9c"), Decimals: 8, USD: 96000}, 0.05},
}

const (
	hubPairs = 0.06 // fraction of the pools between two hubs
	pairs    = 0.42 // fraction of constant-product pools
	pairFee  = 2500 // millionths
	gasWei   = "100000000000"
	leastUSD = 500    // value of a pool, at least
	poolUSD  = 20_000 // median value of a pool between a hub and another token
	spread   = 2.2    // standard deviation of the logarithm of values

	leastOff, greatestOff = 0.03, 7 // logarithms of how far a pool is out of line
)

// byHubs scales the value of a pool by how many of its tokens are hubs.
var byHubs = [3]float64{0.15, 1, 25}

// Market is a generated market. It is complete: File is what braid bench reads.
type Market struct {
	File  *benchfile.Market
	value []float64 // dollars in all pools of a token, both sides
	pools []int     // number of pools of a token
}

// Generate makes the market of a Config.
func Generate(c Config) *Market {
	g := &generator{Config: c, r: rand.New(rand.NewPCG(c.Seed, 0)), taken: map[[3]int]bool{}}
	g.m = &Market{File: &benchfile.Market{Stables: []int{1}}, value: make([]float64, c.Tokens), pools: make([]int, c.Tokens)}
	g.m.File.Gas.PriceWei = gasWei
	for i := range c.Tokens {
		g.m.File.Tokens = append(g.m.File.Tokens, g.token(i))
		g.popular = append(g.popular, math.Exp(0.9*g.r.NormFloat64()))
	}
	// A pair of tokens has one pool of a kind and fee, so small markets may end with
	// fewer pools.
	for range 100 * c.Pools {
		if len(g.m.File.Pools) == c.Pools {
			break
		}
		g.addPool()
	}
	return g.m
}

type generator struct {
	Config
	r       *rand.Rand
	m       *Market
	popular []float64       // by token: scales the value of its pools
	taken   map[[3]int]bool // pairs of tokens with a kind
}

func (g *generator) token(i int) benchfile.Token {
	if i < len(hubs) {
		return hubs[i].Token
	}
	decimals := uint8(18)
	switch x := g.r.Float64(); {
	case x < 0.12:
		decimals = 6
	case x < 0.18:
		decimals = 8
	case x < 0.22:
		decimals = 9
	}
	return benchfile.Token{Symbol: fmt.Sprint("T", i), Address: g.address(), Decimals: decimals, USD: math.Exp(2.5*g.r.NormFloat64() - 1)}
}

func (g *generator) address() (a common.Address) {
	binary.BigEndian.PutUint64(a[:], g.r.Uint64())
	binary.BigEndian.PutUint64(a[8:], g.r.Uint64())
	binary.BigEndian.PutUint32(a[16:], g.r.Uint32())
	return a
}

// pair picks the tokens of a pool.
func (g *generator) pair() (a, b int) {
	tail := func(of int) int { return len(hubs) + g.r.IntN(of-len(hubs)) }
	switch x := g.r.Float64(); {
	case x < hubPairs:
		return g.r.IntN(len(hubs)), g.r.IntN(len(hubs))
	case x < 1-g.TailShare:
		y, hub := g.r.Float64(), 0
		for y > hubs[hub].share && hub < len(hubs)-1 {
			y -= hubs[hub].share
			hub++
		}
		return hub, tail(g.Tokens)
	default:
		return tail(g.Core), tail(g.Core)
	}
}

// addPool adds a pool, unless the pair has one of the kind already.
func (g *generator) addPool() {
	a, b := g.pair()
	kind := -1
	if g.r.Float64() > pairs {
		kind = g.r.IntN(len(v3Kinds))
	}
	tokens := g.m.File.Tokens
	if bytes.Compare(tokens[a].Address[:], tokens[b].Address[:]) > 0 {
		a, b = b, a
	}
	if a == b || g.taken[[3]int{a, b, kind}] {
		return
	}
	g.taken[[3]int{a, b, kind}] = true
	withHubs := 0
	for _, t := range []int{a, b} {
		if t < len(hubs) {
			withHubs++
		}
	}
	usd := poolUSD * byHubs[withHubs] * math.Sqrt(g.popular[a]*g.popular[b]) * math.Exp(spread*g.r.NormFloat64())
	if usd < leastUSD {
		usd = leastUSD * (1 + g.r.Float64())
	}
	fee := uint64(pairFee)
	if kind >= 0 {
		fee = v3Kinds[kind].feePpm
	}
	// Within the fee no trade earns from the difference to the reference price.
	skew := 0.9*(2*g.r.Float64()-1)*-math.Log1p(-float64(fee)/1e6) + g.Noise*g.r.NormFloat64()
	if g.OutOfLine > 0 && g.r.Float64() < g.OutOfLine {
		usd = leastUSD * (1 + g.r.Float64())
		skew = leastOff * math.Pow(greatestOff/leastOff, g.r.Float64()) * float64(1-2*g.r.IntN(2))
	}
	raw := tokens[a].USD / math.Pow10(int(tokens[a].Decimals)) // dollars for a raw unit
	price := raw * math.Pow10(int(tokens[b].Decimals)) / tokens[b].USD * math.Exp(skew)
	p := benchfile.Pool{ID: len(g.m.File.Pools), Address: g.address(), T0: a, T1: b, FeePpm: fee}
	if kind < 0 {
		r0 := usd / 2 / raw
		p.Type, p.R0, p.R1 = "v2", decimal(r0), decimal(r0*price)
		if len(p.R0) < 4 || len(p.R1) < 4 {
			return // too few raw units to have a price
		}
	} else if !g.concentrate(&p, &v3Kinds[kind], price, usd, raw) {
		return
	}
	g.m.File.Pools = append(g.m.File.Pools, p)
	for _, t := range []int{a, b} {
		g.m.value[t] += usd
		g.m.pools[t]++
	}
}

// decimal is the integer part of a number of raw units.
func decimal(x float64) benchfile.Decimal {
	n, _ := big.NewFloat(x).Int(nil)
	return benchfile.Decimal(n.String())
}
