package venuetest

import (
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"

	"braid/contracts"
	"braid/evm"
	"braid/u256"
	"braid/venue"
)

// Hand is our Router and Executor in a rig, used by the taker.
type Hand struct {
	*Rig
	Router, Executor common.Address
}

// recipient holds nothing but what a hand gave it.
var recipient = common.HexToAddress("0x00000000000000000000000000000000000000b0")

// NewHand deploys both contracts.
func (r *Rig) NewHand(wrapped common.Address) Hand {
	r.Helper()
	router, err := r.Create(Taker, contracts.RouterInit(wrapped))
	if err != nil {
		r.Fatal(err)
	}
	executor, err := r.Create(Taker, contracts.ExecutorInit(router, wrapped))
	if err != nil {
		r.Fatal(err)
	}
	return Hand{r, router, executor}
}

// Swap makes a swap by way of one pool. The recipient gets what was quoted, is
// refused what was refused, and nothing stays behind.
func (h Hand) Swap(p venue.Pool, in, out int, amount u256.Int) (evm.Result, error) {
	h.Helper()
	tokens, call := p.Info().Tokens, p.Call(in, out)
	quote, quoteErr := p.Quote(in, out, amount)
	had := h.Holds(tokens[out], recipient)
	h.Must(Taker, tokens[in], u256.Zero, "Token", "approve", h.Router, amount.Big())
	route := append([]byte{0, call.Kind, 0, 1, 0, 0, 0, 0}, call.Body...)
	r, err := h.Try(Taker, h.Router, u256.Zero, "Router", "swap", tokens[in], amount.Big(), tokens[out],
		u256.One.Big(), recipient, u256.Max.Big(), h.Executor, route)
	if (err == nil) != (quoteErr == nil) {
		h.Errorf("%d to %d, amount %v: we say %v, the Router %v", in, out, amount, quoteErr, err)
	}
	if got := h.Holds(tokens[out], recipient).Sub(had); got != quote.Out {
		h.Errorf("%d to %d, amount %v: got %v, quoted %v", in, out, amount, got, quote.Out)
	}
	for _, who := range []common.Address{h.Router, h.Executor} {
		for _, token := range tokens {
			if left := h.Holds(token, who); !left.IsZero() || !h.Balance(who).IsZero() {
				h.Errorf("%d to %d, amount %v: %v of %s stays behind", in, out, amount, left, token)
			}
		}
	}
	return r, err
}

// Wander makes swaps both ways in that many states of a contract of two
// tokens, each of an amount of choice, and takes them back.
func (h Hand) Wander(c Contract, states int, amount func(r *rand.Rand, p venue.Pool, in int) u256.Int) {
	h.Helper()
	r, made := rand.New(rand.NewPCG(3, 0)), [2]int{}
	for range states {
		p, err := c.Next(r)
		if err != nil {
			h.Fatal(err)
		}
		for in := range made {
			x := amount(r, p, in)
			h.Undo(func() {
				if _, err := h.Swap(p, in, 1-in, x); err == nil {
					made[in]++
				}
			})
		}
	}
	if made[0] < 20 || made[1] < 20 {
		h.Errorf("only %v trades were made", made)
	}
}
