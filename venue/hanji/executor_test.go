package hanji

import (
	"math/rand/v2"
	"testing"

	"braid/u256"
	"braid/venue"
)

// TestExecutor: what our contracts hand on is what was quoted, and dust is the
// sender's.
func TestExecutor(t *testing.T) {
	c := newContract(t)
	c.NewExecutor(wrapped).SwapBothWays(c, 200, func(r *rand.Rand, p venue.Pool, in int) u256.Int {
		limit := u256.Min(u256.FromFloat(p.Depth(in)*2+1), u256.Max.Rsh(128))
		return upTo(r, limit.Rsh(uint(r.IntN(limit.BitLen()))))
	})
}
