// Package router finds the plan that pays most for an order on a snapshot.
//
// An order passes a list of stages, each a function from a candidate to a candidate: the
// best single path; a network of paths that share the order (package flow), grown by paths
// that would pay more (package path) and rounded to integers (package exact); the best
// single path by integers; sequential paths where a network cannot express the optimum.
// Whatever proposes a plan, the best by net output is kept. Package bound proves how much
// any plan can pay. docs/router.md explains the stages and their mathematics.
package router

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/router/flow"
	"braid/router/path"
	"braid/u256"
)

// Order asks for the most of one token for a given amount of another.
type Order struct {
	TokenIn, TokenOut common.Address
	AmountIn          u256.Int
	Exclude           map[string]bool // source ids whose pools may not be used
	MaxHops           int             // longest chain of steps, from the first token on; 0: any, made of paths of DefaultMaxHops
	MaxSteps          int             // 0: DefaultMaxSteps
	VerifiedHops      bool            // no unverified tokens in mid-route
	Budget            int             // evaluations of supply curves before the search ends; 0: DefaultBudget
}

// Why there is no plan. The amount errors are venue.ErrTooSmall and
// venue.ErrTooLarge.
var (
	ErrUnknownToken = errors.New("token is not on the market")
	ErrNoRoute      = errors.New("no path of usable pools joins the tokens")
)

// Find is the plan that pays most, net of gas. It is pure and deterministic, and never
// worse than the best single path of up to DefaultMaxHops hops, but for what the gas on
// the way is worth in one token or another.
func Find(s *market.Snapshot, o Order) (plan.Plan, error) { return complete.find(s, o) }

// Single is the plan along one path that pays most, net of gas.
func Single(s *market.Snapshot, o Order) (plan.Plan, error) {
	p, err := newProblem(s, o, false)
	if err != nil {
		return plan.Plan{}, err
	}
	defer p.release()
	best, _, signs, err := p.single(o.AmountIn)
	if err != nil {
		return plan.Plan{}, p.refusal(signs)
	}
	return best, nil
}

// Stages are the names of the stages that FindWithout can leave out, in order.
func Stages() (names []string) {
	for _, s := range complete.network {
		if !s.needed {
			names = append(names, s.name)
		}
	}
	return append(names, stageLots, stageSplit, stageRetry, stageContest, stageSequential, stageInLine, stageCheck)
}

// FindWithout is Find without one of the stages. It serves to measure what a stage is
// worth.
func FindWithout(s *market.Snapshot, o Order, stage string) (plan.Plan, error) {
	return complete.without(stage).find(s, o)
}

// problem is an order on a snapshot, and the memory in which it is solved.
type problem struct {
	*path.Search
	pipeline *pipeline
	amount   u256.Int
	chain    int // longest chain of steps; 0: any
	net      flow.Network
	budget   flow.Budget

	// Memory of the stages of a network.
	pruned, displaced flow.Checkpoint
}

var problems = sync.Pool{New: func() any { return new(problem) }}

// newProblem begins a search, without pools that contradict the prices of their tokens if
// inLine.
func newProblem(s *market.Snapshot, o Order, inLine bool) (*problem, error) {
	in, ok := s.Token(o.TokenIn)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownToken, o.TokenIn)
	}
	out, ok := s.Token(o.TokenOut)
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownToken, o.TokenOut)
	}
	if in == out {
		return nil, ErrNoRoute
	}
	if o.MaxSteps <= 0 {
		o.MaxSteps = DefaultMaxSteps
	}
	chain := max(o.MaxHops, 0)
	if o.MaxHops <= 0 {
		o.MaxHops = DefaultMaxHops
	}
	if o.Budget <= 0 {
		o.Budget = DefaultBudget * o.MaxSteps
	}
	p := problems.Get().(*problem)
	p.pipeline, p.amount, p.chain, p.budget = &complete, o.AmountIn, chain, flow.Budget{Limit: o.Budget}
	p.Search = path.NewSearch(s, in, out, path.Limits{
		MaxHops: o.MaxHops, MaxSteps: o.MaxSteps, Exclude: o.Exclude, VerifiedHops: o.VerifiedHops, InLine: inLine,
	}, &p.budget)
	p.resetNetwork()
	return p, nil
}

func (p *problem) release() {
	p.Search.Release()
	p.net.Release()
	p.pruned.Release()
	p.displaced.Release()
	p.Search = nil
	problems.Put(p)
}

// resetNetwork empties the network.
func (p *problem) resetNetwork() {
	p.net.Reset(len(p.Snapshot.Tokens()), len(p.Pools), p.In, p.Out)
	p.net.GasPrice, p.net.Budget, p.net.MaxChain = p.GasPrice, &p.budget, p.chain
}

// pipeline is the stages that an order passes.
type pipeline struct {
	stages  []stage
	network []networkStage
	lots    func(*path.Problem, plan.Plan) plan.Plan
	inLine  bool // a second search without pools that contradict prices, where they made a difference
	check   bool // the single path and every pool alone are compared at the end
}

// without is the pipeline without a stage.
func (l pipeline) without(name string) *pipeline {
	switch name {
	case stageLots:
		l.lots = func(_ *path.Problem, p plan.Plan) plan.Plan { return p }
	case stageInLine:
		l.inLine = false
	case stageCheck:
		l.check = false
	}
	l.stages = slices.DeleteFunc(slices.Clone(l.stages), func(s stage) bool { return s.name == name })
	l.network = slices.DeleteFunc(slices.Clone(l.network), func(s networkStage) bool { return s.name == name && !s.needed })
	return &l
}
