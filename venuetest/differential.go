package venuetest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"braid/evm"
	"braid/u256"
	"braid/venue"
)

// Contract is a venue's own contract in an EVM, with one pool at a time.
type Contract interface {
	// Next puts the contract into another random state by its own calls, and
	// returns the pool as the family derives it from the logs.
	Next(r *rand.Rand) (venue.Pool, error)

	// Swap makes a swap, undoes it, and returns what was paid; false, or the
	// error of a call that reverted, if the contract refused it.
	Swap(in, out int, amount u256.Int) (paid u256.Int, ok bool, err error)
}

// casesPerState is how many swaps are compared before the next state.
const casesPerState = 100

// Differential compares the family's quotes with its contract: over random
// states, directions and amounts both must pay the same or both refuse. CASES
// and SEED in the environment set the number of swaps and the random seed.
func Differential(t *testing.T, family string, c Contract) {
	cases, seed := Setting(t, "CASES", 5_000), Setting(t, "SEED", 1)
	r := rand.New(rand.NewPCG(seed, 0))
	start := time.Now()
	var states, done, mismatches uint64
	for ; done < cases; states++ {
		pool, err := c.Next(r)
		if err != nil {
			t.Fatalf("state %d: %v", states, err)
		}
		for range min(casesPerState, cases-done) {
			done++
			in, out := directions(r, len(pool.Info().Tokens))
			amount := someAmount(r, pool, in)
			q, quoteErr := pool.Quote(in, out, amount)
			paid, ok, err := c.Swap(in, out, amount)
			if err != nil && !evm.IsReverted(err) {
				t.Fatalf("state %d: %v", states, err)
			}
			if ok != (quoteErr == nil) || ok && paid != q.Out {
				if mismatches++; mismatches <= 10 {
					t.Errorf("state %d, %d to %d, amount %v: we say %v (%v), the contract %v (%v)",
						states, in, out, amount, q.Out, quoteErr, paid, ok)
				}
			}
		}
	}
	fmt.Printf("family=%s states=%d cases=%d mismatches=%d rate=%.0f/s\n",
		family, states, done, mismatches, float64(done)/time.Since(start).Seconds())
}

func directions(r *rand.Rand, tokens int) (in, out int) {
	in = r.IntN(tokens)
	return in, (in + 1 + r.IntN(tokens-1)) % tokens
}

// someAmount is mostly of the order of the pool's depth, sometimes tiny, of any
// size, or next to a power of two.
func someAmount(r *rand.Rand, p venue.Pool, in int) u256.Int {
	random := Word(r)
	switch r.IntN(10) {
	case 0:
		return u256.From(1 + r.Uint64N(1000))
	case 1:
		return random.Rsh(uint(r.IntN(256)))
	case 2:
		return u256.One.Lsh(uint(r.IntN(128))).Add(u256.From(r.Uint64N(3))).Sub(u256.One)
	}
	depth := u256.FromFloat(p.Depth(in) * 4)
	if depth.IsZero() {
		depth = u256.One.Lsh(128)
	}
	return random.Mod(depth).Rsh(uint(r.IntN(depth.BitLen()))).Add(u256.One)
}
