package venuetest

import (
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"

	"braid/contracts"
	"braid/evm"
	"braid/u256"
	"braid/venue"
)

// Executor makes swaps by our own contracts in a rig, sent by Taker.
type Executor struct {
	*Rig
	Router, Executor common.Address
}

// recipient holds nothing but what these swaps paid it.
var recipient = common.HexToAddress("0x00000000000000000000000000000000000000b0")

// NewExecutor deploys the Router and the Executor.
func (r *Rig) NewExecutor(wrapped common.Address) Executor {
	r.Helper()
	router, err := r.Create(Taker, contracts.RouterInit(wrapped))
	if err != nil {
		r.Fatal(err)
	}
	executor, err := r.Create(Taker, contracts.ExecutorInit(router, wrapped))
	if err != nil {
		r.Fatal(err)
	}
	return Executor{r, router, executor}
}

// Swap makes a swap in one pool by the Router. The recipient must be paid what
// the pool quotes, the swap must revert if the pool refuses it, and neither of
// our contracts may keep anything.
func (x Executor) Swap(p venue.Pool, in, out int, amount u256.Int) (evm.Result, error) {
	x.Helper()
	tokens, call := p.Info().Tokens, p.Call(in, out)
	quote, quoteErr := p.Quote(in, out, amount)
	had := x.Holds(tokens[out], recipient)
	x.Must(Taker, tokens[in], u256.Zero, "Token", "approve", x.Router, amount.Big())
	route := append([]byte{0, call.Kind, 0, 1, 0, 0, 0, 0}, call.Body...)
	r, err := x.Try(Taker, x.Router, u256.Zero, "Router", "swap", tokens[in], amount.Big(), tokens[out],
		u256.One.Big(), recipient, u256.Max.Big(), x.Executor, route)
	if (err == nil) != (quoteErr == nil) {
		x.Errorf("%d to %d, amount %v: quoted %v, the Router says %v", in, out, amount, quoteErr, err)
	}
	if got := x.Holds(tokens[out], recipient).Sub(had); got != quote.Out {
		x.Errorf("%d to %d, amount %v: got %v, quoted %v", in, out, amount, got, quote.Out)
	}
	for _, who := range []common.Address{x.Router, x.Executor} {
		for _, token := range tokens {
			if left := x.Holds(token, who); !left.IsZero() || !x.Balance(who).IsZero() {
				x.Errorf("%d to %d, amount %v: %v of %s is kept", in, out, amount, left, token)
			}
		}
	}
	return r, err
}

// SwapBothWays makes swaps in both directions in that many states of a contract
// of two tokens, each of the amount that a function gives, and undoes them.
func (x Executor) SwapBothWays(c Contract, states int, amount func(r *rand.Rand, p venue.Pool, in int) u256.Int) {
	x.Helper()
	r, made := rand.New(rand.NewPCG(3, 0)), [2]int{}
	for range states {
		p, err := c.Next(r)
		if err != nil {
			x.Fatal(err)
		}
		for in := range made {
			given := amount(r, p, in)
			x.Undo(func() {
				if _, err := x.Swap(p, in, 1-in, given); err == nil {
					made[in]++
				}
			})
		}
	}
	if made[0] < 20 || made[1] < 20 {
		x.Errorf("only %v trades were made", made)
	}
}
