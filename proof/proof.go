// Package proof tries pools: the chain's own node executes swaps on the chain's own state, and what they pay is held to the quotes.
//
// A trial is one eth_call, pinned to a block hash. Router and Executor are placed
// at their addresses by state overrides, so that no deployment is needed, and a
// trader of ours (contracts/src/Trial.sol) at an address that is drawn anew: no
// contract can know it. The trader buys and sells through each pool and tells what
// it received. An answer that a node refuses or cannot give is never a verdict.
package proof

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"golang.org/x/time/rate"

	"braid/calldata"
	"braid/chain"
	"braid/contracts"
	"braid/evm"
	"braid/market"
	"braid/u256"
	"braid/venue"
)

// Status is what is known of a pool.
type Status byte

// The numbers are part of the store's format.
const (
	Untried Status = iota // no trial has told yet
	Proved                // every swap of the trial paid what was quoted, to the wei
	Refused               // one did not
)

// String is the word for a status.
func (s Status) String() string { return [...]string{"untried", "proved", "refused"}[s] }

// Verdict is the outcome of a trial of one pool.
type Verdict struct {
	Pool    venue.ID
	Status  Status
	Block   uint64 // in whose state it was tried
	Swaps   int    // that were compared
	Gas     uint64 // of the dearest of them, as the node counts it
	Reason  string // why it is refused, or still untried
	Variant uint64 // see venue.Variable; 0: the pool is none
	Code    Code
}

// Node executes calls; *chain.Client is one.
type Node interface {
	Execute(ctx context.Context, block common.Hash, e chain.Execution) ([]byte, error)
}

// Prover tries pools. It is safe for concurrent use.
type Prover struct {
	node      Node
	contracts calldata.Contracts
	code      map[common.Address]chain.Account // Router and Executor
	limiter   *rate.Limiter

	mu    sync.Mutex
	gas   uint64                        // of a request; less than chain.MaxExecutionGas where a node refuses that much
	slots map[common.Address]slotLayout // where tokens keep balances, as far as it was searched for
}

// New is a Prover of routes through these contracts, which makes so many requests a
// second at most; 0: any number.
func New(node Node, c calldata.Contracts, limit float64) (*Prover, error) {
	p := &Prover{node: node, contracts: c, limiter: rate.NewLimiter(rate.Inf, 0), code: map[common.Address]chain.Account{}, gas: chain.MaxExecutionGas, slots: map[common.Address]slotLayout{}}
	if limit > 0 {
		p.limiter = rate.NewLimiter(rate.Limit(limit), concurrency)
	}
	m := evm.New(evm.Rules(1))
	for at, init := range map[common.Address][]byte{c.Router: contracts.RouterInit(c.WrappedNative), c.Executor: contracts.ExecutorInit(c.Router, c.WrappedNative)} {
		account, err := m.Etch(common.Address{1}, at, init)
		if err != nil {
			return nil, fmt.Errorf("proof: code of %s: %w", at, err)
		}
		p.code[at] = chain.Account{Code: account.Code}
	}
	return p, nil
}

// Prove tries pools in the state after the block of s. Tokens other than wrapped
// native are bought in pools of s, which must all be proved. A pool that nothing can
// be tried with yet stays untried. On an error there are no verdicts for the pools
// whose trials failed; those that there are hold.
func (p *Prover) Prove(ctx context.Context, s *market.Snapshot, pools []venue.Pool) ([]Verdict, error) {
	t := &trial{Prover: p, snapshot: s, routes: reach(s), gasPrice: s.GasPrice()}
	verdicts := make([]Verdict, len(pools))
	subjects := make([]*subject, len(pools))
	for i, pool := range pools {
		verdicts[i] = Verdict{Pool: pool.Info().ID, Block: s.Block().Number}
		subjects[i] = &subject{pool: pool, verdict: &verdicts[i]}
	}
	err := t.try(ctx, subjects)
	retry := slices.DeleteFunc(slices.Clone(subjects), func(j *subject) bool { return !j.variable() })
	if err == nil && len(retry) > 0 {
		err = t.findVariants(ctx, retry)
	}
	if err == nil {
		err = t.recordCode(ctx, subjects)
	}
	var known []Verdict
	for i, j := range subjects {
		if j.tried || verdicts[i].Reason != "" {
			known = append(known, verdicts[i])
		}
	}
	return known, err
}

// execute makes a request when the limit allows it.
func (p *Prover) execute(ctx context.Context, block common.Hash, e chain.Execution) ([]byte, error) {
	if err := p.limiter.Wait(ctx); err != nil {
		return nil, err
	}
	return p.node.Execute(ctx, block, e)
}

// trial is the work of one call of Prove.
type trial struct {
	*Prover
	snapshot *market.Snapshot
	routes   map[common.Address]route
	gasPrice u256.Int
}

// subject is a pool on trial.
type subject struct {
	pool     venue.Pool
	verdict  *Verdict
	trips    []*trip
	tried    bool // the trial has told
	mismatch bool // it paid something else than quoted, or would pay more
}

// variable tells whether another variant of the pool may be what the chain has.
func (j *subject) variable() bool {
	_, ok := j.pool.(venue.Variable)
	return ok && j.mismatch
}

// errInconclusive is for trips that told nothing of the pool itself.
var errInconclusive = errors.New("what the trial is paid with could not be bought")

// try makes the trips of all subjects and judges them.
func (t *trial) try(ctx context.Context, subjects []*subject) error {
	var all []*trip
	for _, j := range subjects {
		j.trips, j.tried, j.mismatch = t.tripsOf(j.pool), false, false
		if len(j.trips) == 0 {
			j.verdict.Reason = "nothing to try it with yet: no proved pool sells its tokens, or it takes too little"
		}
		all = append(all, j.trips...)
	}
	if err := t.run(ctx, all); err != nil {
		return err
	}
	var unsold []*trip
	for _, j := range subjects {
		for _, r := range j.trips {
			if r.soldNothing() {
				unsold = append(unsold, r)
			}
		}
	}
	if err := t.sellAlone(ctx, unsold); err != nil {
		return err
	}
	for _, j := range subjects {
		j.judge()
	}
	return nil
}

// judge makes the verdict of the trips.
func (j *subject) judge() {
	v := j.verdict
	v.Swaps, v.Gas = 0, 0
	if len(j.trips) == 0 {
		return
	}
	if w, ok := j.pool.(venue.Variable); ok {
		v.Variant = w.Variant()
	}
	v.Status, v.Reason, j.tried = Proved, "", true
	for _, r := range j.trips {
		swaps, dearest, err := r.judge()
		v.Swaps += swaps
		v.Gas = max(v.Gas, dearest)
		switch {
		case errors.Is(err, errInconclusive):
			if v.Status == Proved {
				v.Status, v.Reason = Untried, err.Error()
			}
		case err != nil && v.Status != Refused:
			v.Status, v.Reason, j.mismatch = Refused, err.Error(), true
		}
	}
}
