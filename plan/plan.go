// Package plan says what to do, in order: the paper between router and calldata.
//
// A plan is a list of steps over one amount per token. Each step takes a share
// of what is held of its token at that moment through one pool; the last step
// that takes a token takes all of it. Splits, merges and detours are the same
// thing, and the list maps to the contract's route one to one. A token of which
// nothing is left may be made again: what is held of it then is another place.
package plan

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// All is the share of a step that takes whatever is held.
const All Share = 0

// Share is a fraction over 2^32. Its zero value means all.
type Share uint32

// Of is the part of held that the share stands for, rounded as the Executor
// rounds. It fails where the contract's checked product would.
func (s Share) Of(held u256.Int) (part u256.Int, ok bool) {
	if s == All {
		return held, true
	}
	p, over := held.MulOver(u256.From(uint64(s)))
	return p.Rsh(32), !over
}

// ShareOf is the largest share whose part of held is at most amount; at least
// the smallest there is, at most just under all.
func ShareOf(amount, held u256.Int) Share {
	if !amount.Lt(held) {
		return 1<<32 - 1
	}
	// Its part rounds down, so the first share too large is the one that
	// reaches amount+1.
	next := amount.Add(u256.One)
	q, _ := next.MulDiv(u256.From(1<<32), held)
	if q.Mul(held) == next.Lsh(32) {
		q = q.Sub(u256.One)
	}
	return Share(max(1, min(q.Uint64(), 1<<32-1)))
}

// Step sends a share of what is held of one token through one pool.
type Step struct {
	Pool    venue.Pool
	In, Out int // positions in the pool
	Share   Share

	// What the step takes and makes on the snapshot's state, to the wei.
	AmountIn, AmountOut u256.Int
}

func (s *Step) TokenIn() common.Address  { return s.Pool.Info().Tokens[s.In] }
func (s *Step) TokenOut() common.Address { return s.Pool.Info().Tokens[s.Out] }

// Plan turns AmountIn of one token into AmountOut of another.
type Plan struct {
	TokenIn, TokenOut   common.Address
	AmountIn, AmountOut u256.Int
	Steps               []Step
	Gas                 uint64 // burnt inside the pools, by their own word
}

// What is wrong with a list of steps, whatever the pools say.
var (
	ErrNothingHeld = errors.New("a step takes a token of which nothing is held")
	ErrLeftOver    = errors.New("a token is made and not used up")
	ErrPoolTwice   = errors.New("a pool is used twice")
	ErrBackwards   = errors.New("a step leaves the last token or enters the first")
)

// The places of the first and the last token.
const First, Last = 0, 1

// Places are where each step takes from and adds to: what is held of a token
// until nothing is left of it. They are numbered as they come and no steps lead
// from one back to itself. The plan must come from Run.
func (p *Plan) Places() (from, to []int) {
	type place struct {
		number int
		held   u256.Int
	}
	open := map[common.Address]*place{p.TokenIn: {First, p.AmountIn}, p.TokenOut: {number: Last}}
	count := len(open)
	for i := range p.Steps {
		s := &p.Steps[i]
		at := open[s.TokenIn()]
		from = append(from, at.number)
		if at.held = at.held.Sub(s.AmountIn); at.held.IsZero() {
			delete(open, s.TokenIn())
		}
		at = open[s.TokenOut()]
		if at == nil {
			at = &place{number: count}
			open[s.TokenOut()] = at
			count++
		}
		to = append(to, at.number)
		at.held = at.held.Add(s.AmountOut)
	}
	return from, to
}

// Run carries the steps out in integers, as the contract will, and returns
// the plan with every amount filled in. The steps given are not touched.
func Run(tokenIn, tokenOut common.Address, amountIn u256.Int, steps []Step) (Plan, error) {
	p := Plan{TokenIn: tokenIn, TokenOut: tokenOut, AmountIn: amountIn, Steps: append([]Step(nil), steps...)}
	held := map[common.Address]u256.Int{tokenIn: amountIn}
	for i := range p.Steps {
		s := &p.Steps[i]
		in, out := s.TokenIn(), s.TokenOut()
		if in == tokenOut || out == tokenIn {
			return Plan{}, ErrBackwards
		}
		for j := range i {
			if p.Steps[j].Pool.Info().ID == s.Pool.Info().ID {
				return Plan{}, ErrPoolTwice
			}
		}
		part, ok := s.Share.Of(held[in])
		if !ok {
			return Plan{}, fmt.Errorf("step %d: %w", i, venue.ErrTooLarge)
		}
		if held[in].IsZero() {
			return Plan{}, ErrNothingHeld
		}
		q, err := s.Pool.Quote(s.In, s.Out, part)
		if err != nil {
			return Plan{}, fmt.Errorf("step %d: %w", i, err)
		}
		sum, over := held[out].AddOver(q.Out)
		if over {
			return Plan{}, fmt.Errorf("step %d: %w", i, venue.ErrTooLarge)
		}
		s.AmountIn, s.AmountOut = part, q.Out
		held[in] = held[in].Sub(part)
		held[out] = sum
		p.Gas += q.Gas
	}
	p.AmountOut = held[tokenOut]
	delete(held, tokenOut)
	for _, left := range held {
		if !left.IsZero() {
			return Plan{}, ErrLeftOver
		}
	}
	return p, nil
}
