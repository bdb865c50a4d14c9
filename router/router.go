// Package router finds the plan that pays most for an order on a snapshot.
package router

import (
	"errors"

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
	panic("being written")
}

// MaxIn is about the largest amount for which Find has a plan, and MinIn the
// smallest; false when there is none.
func MaxIn(s *market.Snapshot, o Order) (u256.Int, bool) { panic("being written") }
func MinIn(s *market.Snapshot, o Order) (u256.Int, bool) { panic("being written") }
