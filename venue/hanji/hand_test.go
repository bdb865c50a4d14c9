package hanji

import (
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/contracts"
	"braid/u256"
)

// TestHand: through our own contracts the recipient gets what was quoted, is
// refused what was refused, and nothing stays behind: dust is the sender's.
func TestHand(t *testing.T) {
	c, err := newContract()
	if err != nil {
		t.Fatal(err)
	}
	router, err := c.machine.Create(taker, contracts.RouterInit(wrapped))
	if err != nil {
		t.Fatal(err)
	}
	executor, err := c.machine.Create(taker, contracts.ExecutorInit(router, wrapped))
	if err != nil {
		t.Fatal(err)
	}
	recipient := common.HexToAddress("0x00000000000000000000000000000000000000b0")
	holds := func(token, who common.Address) u256.Int {
		r, err := c.call(taker, token, u256.Zero, contracts.Token, "balanceOf", who)
		if err != nil {
			t.Fatal(err)
		}
		return u256.FromBytes(r.Return)
	}
	r, made := rand.New(rand.NewPCG(3, 0)), [2]int{}
	for range 200 {
		if _, err := c.Next(r); err != nil {
			t.Fatal(err)
		}
		tokens := c.pool.info.Tokens
		for in, tokenIn := range tokens {
			limit := u256.Min(u256.FromFloat(c.pool.Depth(in)*2+1), u256.Max.Rsh(128))
			amount, tokenOut := upTo(r, limit.Rsh(uint(r.IntN(limit.BitLen())))), tokens[1-in]
			quote, quoteErr := c.pool.Quote(in, 1-in, amount)
			call := c.pool.Call(in, 1-in)
			route := append([]byte{0, call.Kind, 0, 1, 0, 0, 0, 0}, call.Body...)
			c.machine.Undo(func() {
				had := holds(tokenOut, recipient)
				if _, err := c.call(taker, tokenIn, u256.Zero, contracts.Token, "approve", router, amount.Big()); err != nil {
					t.Fatal(err)
				}
				_, err := c.call(taker, router, u256.Zero, contracts.Router, "swap",
					tokenIn, amount.Big(), tokenOut, u256.One.Big(), recipient, u256.Max.Big(), executor, route)
				if (err == nil) != (quoteErr == nil) {
					t.Errorf("%d to %d, amount %v: we say %v, the Router %v", in, 1-in, amount, quoteErr, err)
				}
				if got := holds(tokenOut, recipient).Sub(had); got != quote.Out {
					t.Errorf("%d to %d, amount %v: got %v, quoted %v", in, 1-in, amount, got, quote.Out)
				}
				for _, token := range tokens {
					if !holds(token, executor).IsZero() || !c.machine.Balance(executor).IsZero() {
						t.Errorf("%d to %d, amount %v: some stays behind", in, 1-in, amount)
					}
				}
				if err == nil {
					made[in]++
				}
			})
		}
	}
	if made[x] < 20 || made[y] < 20 {
		t.Errorf("only %v trades were made", made)
	}
}
