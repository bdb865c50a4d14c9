package siege_test

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"braid/monad"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// extremes: pools whose numbers are as large or as small as contracts allow: fees of
// nothing and of everything, the least and the greatest price, as much liquidity as a
// tick can hold, a token with 77 decimals. None costs money: each position lies on
// the side of the price where it consists of the attacker's token, or of dust.
func (s *siege) extremes(r *report) {
	_, before := s.marketOf()
	effects := []effect{s.effectOf("extremes", func() []venue.Tx {
		for _, fee := range []int64{0, 1, 2, 999_998, 999_999, 1_000_000} {
			for _, spacing := range []int64{1, 32767} {
				s.extremePool(newKey(common.Address{}, monad.USDC, fee, spacing), [...]u256.Int{
					ticks.MinSqrtRatio, ticks.MaxSqrtRatio.Sub(u256.One), ticks.GetSqrtRatioAtTick(0),
				}[fee%3])
			}
		}
		for _, token := range []common.Address{monad.USDC, {}} {
			s.hugePool(token)
		}
		return nil
	})}
	r.reportWorst(effects)
	s.stayLive(r, before)
}

// extremePool makes a pool, with much liquidity where it takes dust: at the end of
// the range of prices that is farther from the price.
func (s *siege) extremePool(k key, price u256.Int) {
	s.Helper()
	p := &pool{key: k, tokens: [2]common.Address{k.Currency0, k.Currency1}, spacing: int32(k.TickSpacing.Int64()), tick: ticks.GetTickAtSqrtRatio(price)}
	lower := p.floor(ticks.MaxTick) - p.spacing
	if p.tick > 0 {
		lower = p.floor(ticks.MinTick) + p.spacing
	}
	s.block(
		s.call("UniswapV4PoolManager", s.manager, "initialize", p.key, price.Big()),
		s.ladder(p, lower, p.spacing, 0, 1, new(big.Int).Lsh(big.NewInt(1), 80)),
	)
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
	p := s.newPool(own, with, 1, price)
	most := new(big.Int).Lsh(big.NewInt(1), 72) // its amount is near the manager's limit, 2^127
	lower := p.tick + 1
	if own.Cmp(with) > 0 {
		lower = p.tick - 1
	}
	s.block(s.ladder(p, lower, 1, 0, 1, most))
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
				i, o := s.inAndOut(p, p.floor(p.tick)-p.spacing*txLadder/2, p.spacing, p.spacing, txLadder, 1000)
				in, out = append(in, i...), append(out, o...)
			}
			s.block(in...)
			s.block(out...)
			progress("%d of %d blocks in which positions came and went", n+1, s.blocks)
		}
	})
}
