package e2e_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"braid/venuetest"
)

// TestLadders: on the local market the price impact does not fall along a ladder of
// amounts of one pair, from $1 to $10M, but for a basis point. make ladders sets the
// number and prints by how much it falls.
func TestLadders(t *testing.T) {
	random := rand.New(rand.NewPCG(venuetest.Setting(t, "SEED", 1), 5))
	service := &loaded{base: env.base}
	tokens := service.pricedTokens(t)
	var falls []int
	for range venuetest.Setting(t, "LADDERS", 5) {
		in, out := twoOf(tokens, random)
		fall, most := 0, 0
		for exponent := 0.; exponent <= 7; exponent += 0.5 {
			amount := strconv.FormatFloat(math.Ceil(in.perDollar*math.Pow(10, exponent)), 'f', 0, 64)
			a, resp := env.get(t, "/quote", url.Values{"tokenIn": {in.address}, "tokenOut": {out.address}, "amount": {amount}})
			if resp.StatusCode != http.StatusOK {
				break // more than the market takes
			}
			fall = max(fall, most-a.PriceImpactBps)
			most = max(most, a.PriceImpactBps)
		}
		if fall > 1 {
			t.Errorf("%s to %s: the impact falls by %d bps", in.address, out.address, fall)
		}
		falls = append(falls, fall)
	}
	slices.Sort(falls)
	n := len(falls)
	fmt.Printf("local market ladders=%d impact falls by bps: median=%d p99=%d worst=%d\n", n, falls[n/2], falls[n*99/100], falls[n-1])
}
