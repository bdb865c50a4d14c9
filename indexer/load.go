package indexer

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/chain"
	"braid/market"
	"braid/venue"
)

// loadPools completes the pools of a changeset by reads at block b, in as many
// rounds as they ask for: what one read returns may tell what to read next.
// progress, unless nil, is called with the number of complete pools and of all.
func (x *Indexer) loadPools(ctx context.Context, changes *changeset, b market.Block, progress func(done, of int)) error {
	for round, asking := 0, changes.order; ; round++ {
		var calls []chain.Call
		var next []venue.ID
		counts := map[venue.ID]int{}
		for _, id := range asking {
			if changes.loaders[id] == nil || changes.maxRounds > 0 && round >= changes.maxRounds && !changes.admitted(id) {
				continue
			}
			if changes.settled && venue.IsDormant(changes.pools[id]) {
				continue
			}
			reads := changes.loaders[id].Wants(changes.pools[id])
			for _, r := range reads {
				if r.To == (common.Address{}) {
					r.To = chain.Lens
				}
				calls = append(calls, chain.Call{To: r.To, Data: r.Data, Gas: r.Gas})
			}
			if len(reads) > 0 {
				next, counts[id] = append(next, id), len(reads)
			}
		}
		if progress != nil {
			progress(len(changes.order)-len(next), len(changes.order))
		}
		if len(calls) == 0 {
			return nil
		}
		results, err := x.node.Calls(ctx, b.Hash, calls)
		if err != nil {
			return fmt.Errorf("block %d: pools: %w", b.Number, err)
		}
		for _, id := range next {
			x.loadPool(changes, id, b, results[:counts[id]])
			results = results[counts[id]:]
		}
		asking = next
	}
}

// loadPool completes a pool with the results of its calls, or makes it unusable.
func (x *Indexer) loadPool(changes *changeset, id venue.ID, b market.Block, results []chain.Result) {
	answers := make([][]byte, len(results))
	for i, r := range results {
		if r.OK {
			answers[i] = r.Data
		}
	}
	p, err := changes.loaders[id].Load(changes.pools[id], answers)
	if err != nil {
		x.markUnusable(changes, id, fmt.Errorf("block %d: %w", b.Number, err))
		return
	}
	changes.put(p)
}

// Limits of the reads that a block waits for: those of pools that are not in the
// market yet, which anybody can create. What a family reads of a new pool is a few
// getters, which take the node about the same time for one pool as for 64. A pool
// that is read whole takes up to 10 rounds of 7M gas, and more with more than 4,000
// ticks. What is left waits, and is read beside the blocks (see readWaiting).
const (
	maxNewLoads   = 64 // pools
	maxWholeLoads = 1  // pools that waited to be read, among these
	maxNewRounds  = 16 // rounds of reads
)

// limitLoads applies these limits to a changeset, unless it covers many blocks:
// then all pools are read, but dormant ones no further than that they are.
func (x *Indexer) limitLoads(changes *changeset, b market.Block) {
	loads, wholes, left := 0, 0, 0
	for _, id := range changes.order {
		p, l := changes.pools[id], changes.loaders[id]
		if l == nil || changes.admitted(id) || len(l.Wants(p)) == 0 {
			continue
		}
		e, waits := changes.base.waiting.pools.get(id.Bytes())
		whole := waits && (e.reason() == waitRead || e.reason() == waitDormant)
		if whole {
			x.reloadPool(changes, p) // what is read contains the logs of this block
			wholes++
		}
		if loads++; !changes.settled && (loads > maxNewLoads || whole && wholes > maxWholeLoads) {
			changes.put(unusable{p.Info(), "not read yet", p})
			delete(changes.loaders, id)
			left++
		}
	}
	if !changes.settled {
		changes.maxRounds = maxNewRounds
	}
	if left > 0 { // one line for all: anyone can create thousands in a block
		x.log.Warn("pools wait to be read: too many at once", "block", b.Number, "pools", left)
	}
}

// unloaded is a pool without its state; nil if no family can read the pool.
func (x *Indexer) unloaded(p venue.Pool) venue.Pool {
	if u, ok := p.(unusable); ok && u.previous != nil {
		p = u.previous
	}
	for _, j := range x.storers {
		if blank := j.Unloaded(p); blank != nil {
			return blank
		}
	}
	return nil
}

// reloadPool adds a pool to a changeset without its state, so that loadPools reads
// all of it; false if no family can read the pool.
func (x *Indexer) reloadPool(changes *changeset, p venue.Pool) bool {
	blank := x.unloaded(p)
	if blank == nil {
		return false
	}
	for _, j := range x.storers {
		if j.Unloaded(blank) != nil {
			changes.loaders[blank.Info().ID] = j
		}
	}
	changes.put(blank)
	return true
}
