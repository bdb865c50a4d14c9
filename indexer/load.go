package indexer

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/chain"
	"braid/market"
	"braid/venue"
)

// load reads what the pools of a draft want to know beside their logs, as it
// stood after the block, in as many rounds as they ask for. tell, unless nil,
// hears how many pools of how many are done.
func (x *Indexer) load(ctx context.Context, d *draft, b market.Block, tell func(done, of int)) error {
	for asking := d.order; ; {
		var calls []chain.Call
		var next []venue.ID
		counts := map[venue.ID]int{}
		for _, id := range asking {
			if d.loaders[id] == nil {
				continue
			}
			reads := d.loaders[id].Wants(d.pools[id])
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
		if tell != nil {
			tell(len(d.order)-len(next), len(d.order))
		}
		if len(calls) == 0 {
			return nil
		}
		results, err := x.node.Calls(ctx, b.Hash, calls)
		if err != nil {
			return fmt.Errorf("block %d: pools: %w", b.Number, err)
		}
		for _, id := range next {
			x.fill(d, id, b, results[:counts[id]])
			results = results[counts[id]:]
		}
		asking = next
	}
}

// fill loads a pool with what its calls gave.
func (x *Indexer) fill(d *draft, id venue.ID, b market.Block, results []chain.Result) {
	answers := make([][]byte, len(results))
	for i, r := range results {
		if r.OK {
			answers[i] = r.Data
		}
	}
	p, err := d.loaders[id].Load(d.pools[id], answers)
	if err != nil {
		x.spoil(d, id, fmt.Errorf("block %d: %w", b.Number, err))
		return
	}
	d.put(p)
}

// blank puts a pool into a draft to be read whole; false if no family can.
func (x *Indexer) blank(d *draft, p venue.Pool) bool {
	if u, ok := p.(unusable); ok && u.was != nil {
		p = u.was
	}
	for _, j := range x.joiners {
		if blank := j.Blank(p); blank != nil {
			d.put(blank)
			d.loaders[blank.Info().ID] = j
			return true
		}
	}
	return false
}
