package score

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/benchfile"
	"braid/market"
	"braid/plan"
	"braid/router"
	"braid/u256"
	"braid/venue"
)

// Errors of a plan that does not do what it claims.
var (
	ErrClaim     = errors.New("the claim is wrong")
	ErrOversells = errors.New("a step takes more than is held")
	ErrLeftOver  = errors.New("a token is made and not used up")
	ErrTooLong   = errors.New("more steps than the order allows")
)

// Replay executes steps in integers, one after the other on the same pools, which it
// takes from the snapshot, and holds them to the order and to what they claim: the
// input and output of each step, and the output of all. A step's output of zero is no
// claim. It gives the gas of all steps. Order.MaxSteps of 0 is any number.
func Replay(s *market.Snapshot, o router.Order, steps []plan.Step, out u256.Int) (gas uint64, err error) {
	if o.MaxSteps > 0 && len(steps) > o.MaxSteps {
		return 0, fmt.Errorf("%w: %d of %d", ErrTooLong, len(steps), o.MaxSteps)
	}
	held := map[common.Address]u256.Int{o.TokenIn: o.AmountIn}
	after := map[venue.ID]venue.Pool{}
	for i := range steps {
		step := &steps[i]
		id := step.Pool.Info().ID
		pool := after[id]
		if pool == nil {
			if pool, _ = s.Pool(id); pool == nil {
				return 0, fmt.Errorf("step %d: %w: pool %s is not on the market", i, ErrClaim, id)
			}
		}
		if held[step.TokenIn()].Lt(step.AmountIn) || step.AmountIn.IsZero() {
			return 0, fmt.Errorf("step %d: %w: %v of %v", i, ErrOversells, step.AmountIn, held[step.TokenIn()])
		}
		q, err := pool.Quote(step.In, step.Out, step.AmountIn)
		if err != nil {
			return 0, fmt.Errorf("step %d: %w", i, err)
		}
		if !step.AmountOut.IsZero() && step.AmountOut != q.Out {
			return 0, fmt.Errorf("step %d: %w: it pays %v, not %v", i, ErrClaim, q.Out, step.AmountOut)
		}
		if after[id], err = pool.Swap(step.In, step.Out, step.AmountIn); err != nil {
			return 0, fmt.Errorf("step %d: %w", i, err)
		}
		held[step.TokenIn()] = held[step.TokenIn()].Sub(step.AmountIn)
		held[step.TokenOut()] = held[step.TokenOut()].Add(q.Out)
		gas += q.Gas
	}
	if held[o.TokenOut] != out {
		return 0, fmt.Errorf("%w: the steps pay %v, not %v", ErrClaim, held[o.TokenOut], out)
	}
	delete(held, o.TokenOut)
	for token, left := range held {
		if !left.IsZero() {
			return 0, fmt.Errorf("%w: %v of %s", ErrLeftOver, left, token)
		}
	}
	return gas, nil
}

// StepsOf is the plan of a file as steps, and what it claims to pay.
func StepsOf(s *market.Snapshot, r *benchfile.Result) (steps []plan.Step, out u256.Int, err error) {
	if r.Error != "" {
		return nil, out, errors.New(r.Error)
	}
	if out, err = benchfile.Decimal(r.Out).Int(); err != nil {
		return nil, out, fmt.Errorf("amountOut: %w", err)
	}
	for i, f := range r.Steps {
		if f.Pool < 0 || f.Pool >= len(s.Pools()) {
			return nil, out, fmt.Errorf("steps[%d]: %w: there is no pool %d", i, ErrClaim, f.Pool)
		}
		step := plan.Step{Pool: s.Pools()[f.Pool], In: -1, Out: -1}
		for k, a := range step.Pool.Info().Tokens {
			switch n, _ := s.Token(a); n {
			case f.In:
				step.In = k
			case f.Out:
				step.Out = k
			}
		}
		if step.In < 0 || step.Out < 0 {
			return nil, out, fmt.Errorf("steps[%d]: %w: pool %d does not swap token %d for %d", i, ErrClaim, f.Pool, f.In, f.Out)
		}
		if step.AmountIn, err = benchfile.Decimal(f.Amount).Int(); err != nil {
			return nil, out, fmt.Errorf("steps[%d].amountIn: %w", i, err)
		}
		steps = append(steps, step)
	}
	return steps, out, nil
}
