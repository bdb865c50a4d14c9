package devchain

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/monad"
	"braid/venue"
	"braid/venue/univ2"
)

// TestTable: every listed token is in the table once and trades against some above
// it.
func TestTable(t *testing.T) {
	var seen, listed []string
	for _, row := range table {
		for _, against := range strings.Fields(row.pairs) {
			if !slices.Contains(seen, against) {
				t.Errorf("%s trades against %s, which is not above it", row.symbol, against)
			}
		}
		if row.usd <= 0 {
			t.Errorf("the price of %s is %v", row.symbol, row.usd)
		}
		seen = append(seen, row.symbol)
	}
	for _, token := range monad.Tokens() {
		listed = append(listed, token.Symbol)
	}
	slices.Sort(seen)
	slices.Sort(listed)
	if !slices.Equal(seen, listed) {
		t.Errorf("table %v\nlist  %v", seen, listed)
	}
}

func TestListings(t *testing.T) {
	tokens := map[common.Address]market.Token{}
	for _, token := range monad.Tokens() {
		tokens[token.Address] = token
	}
	for seed := range uint64(20) {
		list := listings(monad.Sources(), seed)
		if len(list) < 300 || len(list) > 500 {
			t.Errorf("seed %d: %d pools", seed, len(list))
		}
		pairs := map[string]bool{}
		sources := map[string]int{}
		for _, l := range list {
			var dollars [2]float64
			for i, amount := range l.Amounts {
				token := tokens[l.Tokens[i]]
				dollars[i] = amount.Float() / math.Pow10(int(token.Decimals)) * usd(token.Symbol)
				// A pair stores 112 bits: leave some for trades.
				if amount.BitLen() > 104 {
					t.Errorf("seed %d: %s of %s", seed, amount, token.Symbol)
				}
			}
			if dollars[0] < 5_000 || dollars[0] > 25_000_000 || math.Abs(dollars[0]/dollars[1]-1) > 0.0006 {
				t.Errorf("seed %d: pool of $%.0f and $%.0f", seed, dollars[0], dollars[1])
			}
			key := l.Source.ID + l.Tokens[0].Hex() + l.Tokens[1].Hex()
			if pairs[key] {
				t.Errorf("seed %d: %s lists a pair twice", seed, l.Source.ID)
			}
			pairs[key] = true
			sources[l.Source.ID]++
		}
		for _, s := range monad.Sources() {
			if sources[s.ID] < 10 && s.Type != venue.BondingCurve {
				t.Errorf("seed %d: %d pools on %s", seed, sources[s.ID], s.ID)
			}
		}
		if far := hops(list, monad.USDC); len(far) != len(tokens) || slices.Max(values(far)) != 3 {
			t.Errorf("seed %d: %d tokens within reach, the farthest %d hops away", seed, len(far), slices.Max(values(far)))
		}
	}
}

// hops is the distance of each token from one of them.
func hops(list []venue.Listing, from common.Address) map[common.Address]int {
	far := map[common.Address]int{from: 0}
	for queue := []common.Address{from}; len(queue) > 0; queue = queue[1:] {
		for _, l := range list {
			for i, token := range l.Tokens {
				other := l.Tokens[1-i]
				if _, known := far[other]; token == queue[0] && !known {
					far[other] = far[token] + 1
					queue = append(queue, other)
				}
			}
		}
	}
	return far
}

func values(m map[common.Address]int) (v []int) {
	for _, n := range m {
		v = append(v, n)
	}
	return v
}

func BenchmarkStart(b *testing.B) {
	sources := monad.Sources()
	for b.Loop() {
		chain, err := Start(context.Background(), Config{
			RPCAddr: "127.0.0.1:0", Artifacts: "../build/artifacts", Seed: 1, Sources: sources,
			Families: []venue.Family{univ2.New(sources)},
		})
		if err != nil {
			b.Fatal(err)
		}
		chain.Close()
	}
}
