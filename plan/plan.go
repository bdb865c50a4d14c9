// Package plan is what a swap does, step by step: the interface between router and calldata.
//
// A plan is a list of steps over one balance per token. Each step swaps a share
// of the balance of its input token at that moment in one pool; the last step
// that takes a token takes all of it. This covers splits and merges of any
// shape, and maps to the Executor's route step by step. A token whose balance is
// used up may be made again: it then counts as another place of the flow.
// Amounts are raw units.
package plan

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// All is the share of a step that takes the whole balance.
const All Share = 0

// Share is a fraction of a balance, in units of 2^-32. Its zero value is All.
type Share uint32

// Of is that share of a balance, rounded down as the Executor does. It is false
// where the contract's checked product overflows.
func (s Share) Of(held u256.Int) (part u256.Int, ok bool) {
	if s == All {
		return held, true
	}
	p, over := held.MulOver(u256.From(uint64(s)))
	return p.Rsh(32), !over
}

// ShareOf is the largest share of the balance held that is at most amount;
// between the smallest share there is and the largest below All.
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

	// What the step takes and pays on the state of the snapshot, exactly.
	AmountIn, AmountOut u256.Int
}

// TokenIn is the token that the step takes.
func (s *Step) TokenIn() common.Address { return s.Pool.Info().Tokens[s.In] }

// TokenOut is the token that the step pays.
func (s *Step) TokenOut() common.Address { return s.Pool.Info().Tokens[s.Out] }

// Plan turns AmountIn of one token into AmountOut of another.
type Plan struct {
	TokenIn, TokenOut   common.Address
	AmountIn, AmountOut u256.Int
	Steps               []Step
	Gas                 uint64 // of all steps inside their pools, by their quotes
}

// Errors of a list of steps, whatever the pools quote.
var (
	ErrNothingHeld = errors.New("a step takes a token of which nothing is held")
	ErrLeftOver    = errors.New("a token is made and not used up")
	ErrPoolTwice   = errors.New("a pool is used twice")
	ErrBackwards   = errors.New("a step leaves the last token or enters the first")
)

// First and Last are the places of the plan's input and output token.
const First, Last = 0, 1

// Places tells from which place each step takes and to which it pays. A place is
// a node of the flow: the balance of a token until it is used up. Places are
// numbered as steps first pay to them, and no cycle of steps leads through one.
// The plan must come from Run.
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

// Chain is the number of steps on the longest way from the first token to the last. The
// plan must come from Run.
func (p *Plan) Chain() (longest int) {
	from, to := p.Places()
	depth := make([]int, len(p.Steps)+2) // by place
	for i := range from {
		depth[to[i]] = max(depth[to[i]], depth[from[i]]+1)
	}
	return depth[Last]
}

// Run executes the steps in integers, as the contract will, and returns the plan
// with all amounts. The steps given are not changed.
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
