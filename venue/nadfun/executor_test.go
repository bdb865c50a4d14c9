package nadfun

import (
	"math/rand/v2"
	"testing"

	"braid/u256"
	"braid/venue"
)

// TestExecutor: what our contracts hand on is what was quoted.
func TestExecutor(t *testing.T) {
	c := newContract(t)
	c.Must(taker, wrapped, u256.One.Lsh(140), "WETH9", "deposit")
	c.NewExecutor(wrapped).SwapBothWays(c, 150, func(r *rand.Rand, p venue.Pool, in int) u256.Int {
		return upTo(r, u256.FromFloat(p.Depth(in)+1))
	})
}
