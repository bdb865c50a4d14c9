package siege_test

import (
	"math"
	"math/big"
	"net/http"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/devchain"
	"braid/monad"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// extremes: pools whose numbers are as large or as small as contracts allow: fees of
// nothing and of everything, the least and the greatest price, much liquidity where
// it costs dust, a token with 77 decimals.
func (s *siege) extremes(r *report) {
	_, before := s.marketOf()
	effects := []effect{s.effectOf("extremes", func() []venue.Tx {
		var txs []venue.Tx
		for _, fee := range []int64{0, 1, 2, 999_998, 999_999, 1_000_000} {
			for _, spacing := range []int64{1, 32767} {
				txs = append(txs, s.extremePool(newKey(common.Address{}, monad.USDC, fee, spacing), [...]u256.Int{
					ticks.MinSqrtRatio, ticks.MaxSqrtRatio.Sub(u256.One), ticks.GetSqrtRatioAtTick(0),
				}[fee%3])...)
			}
		}
		s.block(txs...)
		for _, token := range []common.Address{monad.USDC, {}} {
			s.hugePool(token)
		}
		return nil
	})}
	r.worst(effects, maxLossBps)
	s.stayLive(r, before)
}

// extremePool makes a pool, with liquidity at the end of the range of prices that is
// farther from the price.
func (s *siege) extremePool(k key, price u256.Int) []venue.Tx {
	s.Helper()
	p := poolOf(k, price)
	lower := p.floor(ticks.MaxTick) - p.spacing
	if p.tick > 0 {
		lower = p.floor(ticks.MinTick) + p.spacing
	}
	return []venue.Tx{
		s.call("UniswapV4PoolManager", s.manager, "initialize", p.key, price.Big()),
		s.ladder(p, lower, p.spacing, 0, 1, new(big.Int).Lsh(big.NewInt(1), 80)),
	}
}

// hugePool pairs a token with one of 77 decimals and a supply of nearly 2^256, at the
// price at which its position holds the attacker's token alone.
func (s *siege) hugePool(with common.Address) {
	s.Helper()
	own := s.deploy("HostileToken", uint8(4), uint8(77), s.contract, u256.Max.Big())
	price := ticks.GetSqrtRatioAtTick(ticks.MinTick + 1)
	if own.Cmp(with) > 0 {
		price = ticks.GetSqrtRatioAtTick(ticks.MaxTick - 1)
	}
	p := s.newPool(own, with, price)
	most := new(big.Int).Lsh(big.NewInt(1), 72) // its amount is near the manager's limit, 2^127
	lower := p.tick + 1
	if own.Cmp(with) > 0 {
		lower = p.tick - 1
	}
	s.block(s.ladder(p, lower, 1, 0, 1, most))
}

// launch is no attack: a new token that its maker sells from its first price on, and
// that nobody could sell yet, is routed and priced however the service defends itself.
func (s *siege) launch(r *report) {
	const usd, width = 1000, 1000 // of an order; ticks
	own := s.deploy("Token", "Launch", "NEW", uint8(18), s.contract, new(big.Int).Lsh(big.NewInt(1), 120))
	s.market.usd[own], s.market.decimals[own] = 0.01, 18
	tick := ticks.GetTickAtSqrtRatio(sqrtPrice(own, monad.USDC, s.market.rawUSD(own)/s.market.rawUSD(monad.USDC)))
	// The position holds nothing but the token: the price is at its edge, just inside.
	edge, lower := ticks.GetSqrtRatioAtTick(tick).Add(u256.One), tick
	if own.Cmp(monad.USDC) > 0 {
		edge, lower = ticks.GetSqrtRatioAtTick(tick).Sub(u256.One), tick-width
	}
	p := s.newPool(own, monad.USDC, edge)
	liquidity := 100 * usd / math.Sqrt(s.market.rawUSD(own)*s.market.rawUSD(monad.USDC))
	in, _ := s.inAndOut(p, lower, width, 0, 1, liquidity)
	s.block(in...)
	s.catchUp()
	// The service asks for a new token beside the blocks: it may take some of them.
	buy := order{monad.USDC, own, u256.FromFloat(usd / s.market.rawUSD(monad.USDC))}
	status, blocks := s.quote(buy).status, 0
	for ; status != http.StatusOK && blocks < maxLaunchBlocks; blocks++ {
		time.Sleep(blockTime) // a block without transactions
		s.catchUp()
		status = s.quote(buy).status
	}
	price := s.priceOf(own)
	r.add("status", "%d", status)
	r.add("blocks", "%d", blocks)
	r.add("price_usd", "%g", price)
	r.must(status == http.StatusOK, "the launched token is not routed: %d", status)
	r.must(math.Abs(price/s.market.usd[own]-1) < 0.05, "the launched token is priced at %g, not near %g", price, s.market.usd[own])
}

// flip: positions come and go in every block in the pools that honest orders use.
func (s *siege) flip(r *report) {
	var pools []*pool
	for _, v := range s.market.snapshot.Pools() {
		if v.Info().Source.Family == "univ4" && s.market.live[v.Info().Source.ID] {
			pools = append(pools, s.find(v))
		}
	}
	s.burden(r, s.honest, func() {
		for n := range s.blocks {
			var in, out []venue.Tx
			for range blockTxs {
				p := pools[s.random.IntN(len(pools))]
				i, o := s.inAndOut(p, p.tick-p.spacing*txLadder/2, p.spacing, p.spacing, txLadder, 1000)
				in, out = append(in, i...), append(out, o...)
			}
			s.block(in...)
			s.block(out...)
			progress("%d of %d blocks in which positions came and went", n+1, s.blocks)
		}
	})
}

// dustPools: pools between listed tokens that hold a thousandth of a dollar, which
// costs little more than to hold nothing.
func (s *siege) dustPools(r *report) {
	const usd, spacing = 0.001, 60
	s.standing(r, func() {
		s.load("dust pools", s.dustyPools, txLadder/2, func(_, n int) venue.Tx {
			k, price := s.newKeys(n, spacing)
			liquidity := max(1, usd/math.Sqrt(s.market.rawUSD(k.Currency0)*s.market.rawUSD(k.Currency1)))
			p := poolOf(k, price)
			lower := p.floor(ticks.MinTick) + spacing
			return s.call("Attacker", s.contract, "createFilled", k, big.NewInt(int64(n)), price.Big(),
				big.NewInt(int64(lower)), big.NewInt(int64(-lower)), u256.FromFloat(liquidity).Big())
		})
	})
	r.add("pools", "%d", s.dustyPools)
}

// bookOrders: very many small orders far from the price in an honest order book. Each
// order but the first few has a price of its own.
func (s *siege) bookOrders(r *report) {
	const usd = 0.001 // of an order
	book, quote := s.book()
	params := venue.NewWords(s.read(book, "getMarketParams()"))
	pricePrecision, sizePrecision := u256.FromBytes(params.Raw(0)).Float(), u256.FromBytes(params.Raw(1)).Float()
	bid := u256.FromBytes(s.read(book, "bestBidAsk()")[:32]).Float() / 1e18
	size, _ := big.NewFloat(math.Ceil(usd / s.market.usd[quote] / (bid / 2) * sizePrecision)).Int(nil)
	lowest := uint32(bid * pricePrecision / 2)
	s.burden(r, s.honest, func() {
		s.load("orders", s.booked, txLadder, func(first, n int) venue.Tx {
			prices, amounts := make([]uint32, n), make([]*big.Int, n)
			for i := range prices {
				prices[i], amounts[i] = lowest+uint32(first+i)%(lowest/2), size
			}
			return s.call("KuruOrderBook", book, "placeMultipleBuyOrders", prices, amounts, true)
		})
	})
	r.add("orders", "%d", s.booked)
}

// book is an order book of Kuru that is paid in a token, which the attacker has paid
// into its margin account.
func (s *siege) book() (book, quote common.Address) {
	s.Helper()
	for _, v := range s.market.snapshot.Pools() {
		if v.Info().Source.Family != "kuru" || !s.market.live[v.Info().Source.ID] {
			continue
		}
		if quote = v.Info().Tokens[1]; quote == monad.WrappedNative {
			continue // it is paid in native currency
		}
		margin, deposit := venue.Custody(v), u256.FromFloat(1000/s.market.rawUSD(quote)).Big()
		s.block(
			s.call("Token", quote, "approve", margin, deposit),
			s.call("KuruMargin", margin, "deposit", devchain.DevAccount, quote, deposit),
		)
		return common.HexToAddress(string(v.Info().ID)), quote
	}
	s.Fatal("there is no order book that is paid in a token")
	return book, quote
}
