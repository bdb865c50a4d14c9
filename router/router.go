// Package router finds the plan that pays most for an order on a snapshot.
//
// Find takes the best single path, lets further paths join it while one pays
// more for a part of the order than the routes at hand, shares the order out
// among all their pools at once, and takes legs away that do not earn their
// gas. Floats rank and share; what is promised is computed in integers by the
// pools themselves, and the single path wins unless the split truly pays more.
package router

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/u256"
)

// Order asks for the most of one token for a given amount of another.
type Order struct {
	TokenIn, TokenOut common.Address
	AmountIn          u256.Int
	Exclude           map[string]bool // source ids whose pools may not be used
	MaxHops           int             // 0: DefaultMaxHops
	MaxSteps          int             // 0: DefaultMaxSteps
}

const (
	DefaultMaxHops  = 4
	DefaultMaxSteps = 32
)

// Why there is no plan. The amount errors are venue.ErrTooSmall and
// venue.ErrTooLarge.
var (
	ErrUnknownToken = errors.New("token is not on the market")
	ErrNoRoute      = errors.New("no path of usable pools joins the tokens")
)

// Find is the plan that pays most, net of gas. It is pure and deterministic,
// and never worse than the best single path.
func Find(s *market.Snapshot, o Order) (plan.Plan, error) {
	f, err := newFinder(s, o)
	if err != nil {
		return plan.Plan{}, err
	}
	defer f.release()

	single, ok := f.search(o.AmountIn, 0)
	if !ok {
		return plan.Plan{}, f.refusal(o.AmountIn)
	}
	best, err := plan.Run(o.TokenIn, o.TokenOut, o.AmountIn, single.steps(f.pools))
	if err != nil {
		return plan.Plan{}, fmt.Errorf("best path: %w", err)
	}
	f.grow(single, o.AmountIn)
	f.net.prune(f.maxSteps)
	if split, ok := f.split(o); ok && f.net.beats(split.AmountOut, split.Gas, best.AmountOut, best.Gas) {
		best = split
	}
	return best, nil
}

// split is the net as a plan, when it is more than one path. Where a part is
// too small for its pool, the least leg leaves and the others get more.
func (f *finder) split(o Order) (plan.Plan, bool) {
	for f.net.splits() {
		if p, err := plan.Run(o.TokenIn, o.TokenOut, o.AmountIn, f.net.steps()); err == nil {
			return p, true
		}
		f.net.dropLeast()
	}
	return plan.Plan{}, false
}
