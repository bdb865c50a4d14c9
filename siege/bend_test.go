package siege_test

import (
	"math"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/monad"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// effect is what an attack does to prices and honest orders while it stands.
type effect struct {
	shape             string
	movedBps, lossBps float64
	failed            int
}

// effectOf is that of an attack, which returns how to undo it.
func (s *siege) effectOf(shape string, attack func() (undo []venue.Tx)) effect {
	s.Helper()
	s.catchUp()
	usd, _ := s.marketOf()
	before := s.quotes(s.honest)
	undo := attack()
	s.catchUp()
	bent, _ := s.marketOf()
	e := effect{shape: shape, movedBps: moved(usd, bent)}
	e.lossBps, e.failed = s.loss(s.honest, before, s.quotes(s.honest))
	progress("%s: moved_bps=%.4g loss_bps=%.4g failed=%d", shape, e.movedBps, e.lossBps, e.failed)
	if len(undo) > 0 {
		s.block(undo...)
	}
	return e
}

// worst reports the worst figures of some attacks, and the shape that moved prices
// most.
func (r *report) worst(effects []effect, maxLossBps float64) {
	worst := effects[0]
	for _, e := range effects[1:] {
		if e.movedBps > worst.movedBps {
			worst.movedBps, worst.shape = e.movedBps, e.shape
		}
		worst.lossBps, worst.failed = max(worst.lossBps, e.lossBps), max(worst.failed, e.failed)
	}
	r.add("shape", "%s", worst.shape)
	r.atMost("moved_bps", worst.movedBps, maxMovedBps)
	r.atMost("loss_bps", worst.lossBps, maxLossBps)
	r.atMost("refused", float64(worst.failed), 0)
}

// bendByEdge: a position of one tick just above its lower edge holds native currency
// alone, and $10 of it look like a depth of 20,000 times as much at any price.
func (s *siege) bendByEdge(r *report) {
	const usd = 10
	var effects []effect
	for _, factor := range []float64{1e11, 100} {
		effects = append(effects, s.effectOf("edge", func() []venue.Tx {
			native := common.Address{}
			amount := usd / s.market.rawUSD(native)
			price := sqrtPrice(native, monad.USDC, factor*s.market.rawUSD(native)/s.market.rawUSD(monad.USDC))
			lower := ticks.GetTickAtSqrtRatio(price)
			edge, upper := ticks.GetSqrtRatioAtTick(lower), ticks.GetSqrtRatioAtTick(lower+1)
			liquidity := amount / (math.Ldexp(1/edge.Float(), 96) - math.Ldexp(1/upper.Float(), 96))
			p := s.newPool(native, monad.USDC, edge.Add(u256.One))
			return s.hold(func() (in, out []venue.Tx) {
				return s.inAndOut(p, lower, 1, 0, 1, liquidity)
			})
		}))
	}
	r.worst(effects, maxLossBps)
}

// hold sends transactions that put money at risk, and counts it.
func (s *siege) hold(make func() (in, out []venue.Tx)) (undo []venue.Tx) {
	s.Helper()
	worth := func() (sum float64) {
		for _, t := range append(monad.Tokens(), market.Token{}) {
			sum += s.balance(t.Address, s.contract).Float() * s.market.rawUSD(t.Address)
		}
		return sum
	}
	in, out := make()
	had := worth()
	s.block(in...)
	s.atRiskUSD = max(s.atRiskUSD, had-worth())
	return out
}

// inAndOut are transactions that make a ladder and take it out again.
func (s *siege) inAndOut(p *pool, lower, width, step int32, n int, liquidity float64) (in, out []venue.Tx) {
	whole, _ := big.NewFloat(liquidity).Int(nil)
	for done := 0; done < n; {
		some := min(txLadder, n-done)
		from := lower + int32(done)*step
		in = append(in, s.ladder(p, from, width, step, some, whole))
		out = append(out, s.ladder(p, from, width, step, some, new(big.Int).Neg(whole)))
		done += some
	}
	return in, out
}

// bending is one way to offer a token at a bent price with real money: so many
// dollars can be traded either way before the price is 2 % worse.
type bending struct {
	name string
	open func(s *siege, token common.Address, factor, usd float64) (in, out []venue.Tx)
}

var bendings = []bending{
	{"v4", func(s *siege, token common.Address, factor, usd float64) (in, out []venue.Tx) {
		return s.offer(token, monad.USDC, factor, usd, s.newPool, 1)
	}},
	{"wide", func(s *siege, token common.Address, factor, usd float64) (in, out []venue.Tx) {
		return s.offer(token, monad.USDC, factor, usd, s.newWidePool, 1)
	}},
	{"v3", func(s *siege, token common.Address, factor, usd float64) (in, out []venue.Tx) {
		return s.offer(token, monad.USDC, factor, usd, s.newForkPool, 1)
	}},
	{"many", func(s *siege, token common.Address, factor, usd float64) (in, out []venue.Tx) {
		const pools = 10
		for range pools {
			i, o := s.offer(token, monad.USDC, factor, usd/pools, s.newPool, s.positions/pools)
			in, out = append(in, i...), append(out, o...)
		}
		return in, out
	}},
	{"hop", func(s *siege, token common.Address, factor, usd float64) (in, out []venue.Tx) {
		return s.offerThrough("Hop", "HOP", 18, token, factor, usd)
	}},
	{"look-alike", func(s *siege, token common.Address, factor, usd float64) (in, out []venue.Tx) {
		return s.offerThrough("USDC", "USDC", 6, token, factor, usd)
	}},
}

// offer are the transactions that offer a token for another one at factor times its
// honest price, in positions of a new pool that all hold the price: each is one
// spacing longer than there are positions, and begins one spacing above the one
// before. So all the money lies as close to the price as it can.
func (s *siege) offer(token, other common.Address, factor, usd float64, create func(a, b common.Address, price u256.Int) *pool, positions int) (in, out []venue.Tx) {
	s.Helper()
	unit := s.market.rawUSD(other)
	price := sqrtPrice(token, other, factor*s.market.rawUSD(token)/unit)
	price = ticks.GetSqrtRatioAtTick(ticks.GetTickAtSqrtRatio(price)) // as much lies below as above
	p := create(token, other, price)
	// A position holds, on either side of the price, liquidity times (or divided by)
	// the square root of the price times half of its logarithmic width there, which
	// is that of half of the positions on average, and not more than 2 %.
	width := math.Log(1.0001) * float64(p.spacing) * float64(1+positions) / 2
	liquidity := usd / unit / (min(width, 0.02) / 2)
	if root := math.Ldexp(price.Float(), -96); p.tokens[0] == other {
		liquidity *= root
	} else {
		liquidity /= root
	}
	n := int32(positions)
	return s.inAndOut(p, p.tick-n*p.spacing, (n+1)*p.spacing, p.spacing, positions, liquidity/float64(positions))
}

// offerThrough offers a token through a token of the attacker's own, which trades
// for dollars one to one.
func (s *siege) offerThrough(name, symbol string, decimals uint8, token common.Address, factor, usd float64) (in, out []venue.Tx) {
	s.Helper()
	own := s.deploy("Token", name, symbol, decimals, s.contract, new(big.Int).Lsh(big.NewInt(1), 120))
	s.market.usd[own], s.market.decimals[own] = 1, int(decimals)
	in, out = s.offer(own, monad.USDC, 1, usd, s.newPool, 1)
	i, o := s.offer(token, own, factor, usd, s.newPool, 1)
	return append(in, i...), append(out, o...)
}

// bendByMoney: a token is offered at a bent price with a share of the executable
// depth of its honest pair, for one block, in all shapes or in those that the seed
// chooses. What honest orders lose is reported without a limit: the money that an
// attacker leaves at such a price is anybody's.
func (s *siege) bendByMoney(r *report, share float64) {
	factors := []float64{1.03, 1.3, 10, 1e6, 0.7}
	tokens := []common.Address{monad.WrappedNative}
	for _, t := range monad.Tokens() {
		if t.Symbol == "WETH" || t.Symbol == "WBTC" {
			tokens = append(tokens, t.Address)
		}
	}
	shapes := s.random.Perm(len(bendings))
	if s.shapes > 0 {
		shapes = shapes[:s.shapes]
	}
	var effects []effect
	for _, i := range shapes {
		token, factor := tokens[s.random.IntN(len(tokens))], factors[s.random.IntN(len(factors))]
		effects = append(effects, s.effectOf(bendings[i].name, func() []venue.Tx {
			return s.hold(func() (in, out []venue.Tx) {
				return bendings[i].open(s, token, factor, share*s.market.pairUSD(token, monad.USDC))
			})
		}))
	}
	r.worst(effects, math.Inf(1))
}
