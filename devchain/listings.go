package devchain

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
)

// Each pool of a pair has depthRatioPercent of the depth of the one before. None
// but the first is opened below minDepthUSD.
const (
	depthRatioPercent = 60
	minDepthUSD       = 80_000
)

// listings are the pools of the local market. The seed decides which source lists
// which pair, how deep, and by how much prices differ.
func listings(sources []venue.Source, seed uint64) []venue.Listing {
	tokens := map[string]market.Token{}
	for _, t := range monad.Tokens() {
		tokens[t.Symbol] = t
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var list []venue.Listing
	for _, row := range table {
		depth := row.depth
		for _, against := range strings.Fields(row.pairs) {
			a, b := tokens[row.symbol], tokens[against]
			list = append(list, pools(random, sources, a, b, depth)...)
			depth /= 2
		}
	}
	return list
}

// pools are the pools of one pair over several sources, deepest first.
func pools(random *rand.Rand, sources []venue.Source, a, b market.Token, depth uint64) []venue.Listing {
	var list []venue.Listing
	for _, i := range random.Perm(len(sources)) {
		if sources[i].Type == venue.BondingCurve {
			continue // curves launch tokens of their own
		}
		dollars := depth * (85 + random.Uint64N(31)) / 100
		amount := amountFor(a, dollars)
		// Prices of the same pair agree within five basis points.
		amount = amount.Mul(u256.From(99_950 + random.Uint64N(101))).Div(u256.From(100_000))
		list = append(list, venue.Listing{
			Source:  &sources[i],
			Tokens:  []common.Address{a.Address, b.Address},
			Amounts: []u256.Int{amount, amountFor(b, dollars)},
		})
		if depth = depth * depthRatioPercent / 100; depth < minDepthUSD {
			break
		}
	}
	return list
}

// amountFor is the amount of a token, in raw units, that the dollars buy. The only
// float operation is to round the price to 1e-8 dollars; the rest is integers, so
// that the chain is the same on every machine.
func amountFor(t market.Token, dollars uint64) u256.Int {
	const unit = 100_000_000
	price := u256.From(uint64(math.Round(usd(t.Symbol) * unit)))
	n := u256.From(dollars).Mul(u256.From(unit))
	for range t.Decimals {
		n = n.Mul(u256.From(10))
	}
	return n.Div(price)
}
