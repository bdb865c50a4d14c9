package devchain

import (
	"context"
	"slices"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethclient"

	"braid/venue"
)

// follower keeps the state of the pools of all families at a block, by their logs
// and by contract reads of what logs do not tell.
type follower struct {
	chain    *Chain
	node     *ethclient.Client
	families []venue.Family

	next    uint64      // number of the first block that was not read
	last    common.Hash // hash of the block before it
	pools   map[venue.ID]*tracked
	trading [][]*tracked // by family: those that have an opening price

	// Prices of each pool when it could first trade; they are kept when the chain is
	// read again after a reorg.
	opened map[venue.ID]prices
}

// tracked is a pool at the follower's block, the position of its family, and its
// opening prices.
type tracked struct {
	family int
	pool   venue.Pool
	opened prices
}

// prices are the spot prices of every pair of a pool's tokens, by in and out; 0
// where both are the same.
type prices [][]float64

func newFollower(chain *Chain, families []venue.Family) follower {
	return follower{
		chain: chain, node: ethclient.NewClient(chain.stack.Attach()),
		families: families, opened: map[venue.ID]prices{},
	}
}

// follow reads the blocks up to the head. If a reorg has replaced the last block
// that was read, it starts again with the first one and returns true. Logs that a
// family cannot decode are ignored.
func (f *follower) follow(ctx context.Context) (again bool) {
	chain := f.chain.eth.BlockChain()
	if again = f.next == 0 || chain.GetCanonicalHash(f.next-1) != f.last; again {
		f.next, f.pools, f.trading = 0, map[venue.ID]*tracked{}, make([][]*tracked, len(f.families))
	}
	var changed []*tracked
	for ; f.next <= f.chain.Head().Number.Uint64(); f.next++ {
		f.last = chain.GetCanonicalHash(f.next)
		for _, r := range chain.GetReceiptsByHash(f.last) {
			for _, log := range r.Logs {
				if p := f.apply(log); p != nil && !slices.Contains(changed, p) {
					changed = append(changed, p)
				}
			}
		}
	}
	for _, p := range changed {
		f.load(ctx, p)
		if p.opened == nil && f.open(p) {
			f.trading[p.family] = append(f.trading[p.family], p)
		}
	}
	return again
}

// apply applies a log to its pool and returns that; nil if the log is of no pool.
func (f *follower) apply(log *types.Log) *tracked {
	for i, family := range f.families {
		event, err := family.Decode(log)
		if err != nil || event == nil {
			continue
		}
		p := f.pools[event.Pool()]
		if p == nil {
			p = &tracked{family: i}
		}
		if pool, err := family.Apply(p.pool, event); err == nil {
			p.pool = pool
			f.pools[event.Pool()] = p
			return p
		}
	}
	return nil
}

// load reads from the chain what logs do not tell about a pool.
func (f *follower) load(ctx context.Context, p *tracked) {
	loader, ok := f.families[p.family].(venue.Loader)
	if !ok {
		return
	}
	wants := loader.Wants(p.pool)
	if len(wants) == 0 {
		return
	}
	answers := make([][]byte, len(wants))
	for i, want := range wants {
		if answer, err := f.node.CallContractAtHash(ctx, ethereum.CallMsg{To: &want.To, Data: want.Data}, f.last); err == nil {
			answers[i] = answer
		}
	}
	if pool, err := loader.Load(p.pool, answers); err == nil {
		p.pool = pool
	}
}

// open records the opening prices, if the pool trades every pair both ways.
func (f *follower) open(p *tracked) bool {
	info := p.pool.Info()
	if p.opened = f.opened[info.ID]; p.opened != nil {
		return true
	}
	spots := make(prices, len(info.Tokens))
	for in := range spots {
		spots[in] = make([]float64, len(info.Tokens))
		for out := range spots {
			if in == out {
				continue
			}
			if spots[in][out] = p.pool.Spot(in, out); spots[in][out] == 0 {
				return false
			}
		}
	}
	p.opened, f.opened[info.ID] = spots, spots
	return true
}
