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
	for asking := changes.order; ; {
		var calls []chain.Call
		var next []venue.ID
		counts := map[venue.ID]int{}
		for _, id := range asking {
			if changes.loaders[id] == nil {
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

// reloadPool adds a pool to a changeset without its state, so that loadPools reads
// all of it; false if no family can read the pool.
func (x *Indexer) reloadPool(changes *changeset, p venue.Pool) bool {
	if u, ok := p.(unusable); ok && u.previous != nil {
		p = u.previous
	}
	for _, j := range x.storers {
		if blank := j.Unloaded(p); blank != nil {
			changes.put(blank)
			changes.loaders[blank.Info().ID] = j
			return true
		}
	}
	return false
}
