package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/market"
	"braid/u256"
	"braid/venue"
)

// changeset is a snapshot under construction: a base, and the pools that were
// changed or added since.
type changeset struct {
	base  *market.Snapshot
	pools map[venue.ID]venue.Pool
	order []venue.ID // keys of pools in the order of their first change, so that equal chains give equal snapshots

	loaders  map[venue.ID]venue.Loader // of pools whose state must be completed by reads
	progress func(done, of int)        // unless nil, called with the number of pools loaded
	quiet    bool                      // do not log unusable pools
}

func newChangeset(base *market.Snapshot) *changeset {
	return &changeset{base: base, pools: map[venue.ID]venue.Pool{}, loaders: map[venue.ID]venue.Loader{}}
}

// pool is the pool with its changes; nil if there is none.
func (changes *changeset) pool(id venue.ID) venue.Pool {
	if p := changes.pools[id]; p != nil {
		return p
	}
	p, _ := changes.base.Pool(id)
	return p
}

// poolsOf are the pools of a source.
func (changes *changeset) poolsOf(source *venue.Source) (ids []venue.ID) {
	for _, p := range changes.base.Pools() {
		if info := p.Info(); info.Source == source {
			ids = append(ids, info.ID)
		}
	}
	for _, id := range changes.order {
		if _, old := changes.base.Pool(id); !old && changes.pools[id].Info().Source == source {
			ids = append(ids, id)
		}
	}
	return ids
}

func (changes *changeset) put(p venue.Pool) {
	id := p.Info().ID
	if changes.pools[id] == nil {
		changes.order = append(changes.order, id)
	}
	changes.pools[id] = p
}

// applyLog applies a log to the pools it concerns. Logs of unknown pools are
// ignored. If a log of a known pool cannot be decoded or applied, the state of
// that pool is not known any more: it becomes unusable, and no other is affected.
func (x *Indexer) applyLog(changes *changeset, log *types.Log) {
	if len(log.Topics) == 0 {
		return
	}
	for _, f := range x.families[log.Topics[0]] {
		e, err := f.Decode(log)
		if e == nil && err == nil {
			continue
		}
		if all, ok := e.(venue.SourceEvent); ok && err == nil {
			for _, id := range changes.poolsOf(all.Source()) {
				x.applyEvent(changes, f, id, e, log)
			}
			return
		}
		id := venue.AddressID(log.Address)
		if err != nil {
			x.markUnusable(changes, id, fmt.Errorf("block %d: %w", log.BlockNumber, err))
			return
		}
		if x.applyEvent(changes, f, e.Pool(), e, log) {
			return
		}
	}
}

// applyEvent is false if the family does not know the pool.
func (x *Indexer) applyEvent(changes *changeset, f venue.Family, id venue.ID, e venue.Event, log *types.Log) bool {
	p, err := f.Apply(changes.pool(id), e)
	switch {
	case errors.Is(err, venue.ErrUnknownPool):
		return false
	case err != nil:
		x.markUnusable(changes, id, fmt.Errorf("block %d: %w", log.BlockNumber, err))
		return true
	}
	changes.put(p)
	if l, ok := f.(venue.Loader); ok {
		changes.loaders[id] = l
	}
	return true
}

// markUnusable makes a pool unusable, and logs that once.
func (x *Indexer) markUnusable(changes *changeset, id venue.ID, err error) {
	p := changes.pool(id)
	if p == nil {
		x.log.Warn("log cannot be decoded", "err", err)
		return
	}
	if _, already := p.(unusable); !already {
		if !changes.quiet {
			x.log.Warn("pool is unusable", "pool", id, "err", err)
		}
		changes.put(unusable{p.Info(), "its state is not known", p})
	}
}

// buildSnapshot is the snapshot after block b. It completes the pools of the
// changeset by reads at b, reads the pools in x.reload again, and describes new
// tokens as of block at. A pool of a token without decimals is left out.
func (x *Indexer) buildSnapshot(ctx context.Context, changes *changeset, b market.Block, at common.Hash) (*market.Snapshot, error) {
	x.reload = append(x.reload, x.auditor.take()...)
	reloaded := len(x.reload)
	for _, id := range x.reload {
		if p := changes.pool(id); p != nil {
			x.reloadPool(changes, p)
		}
	}
	if err := x.loadPools(ctx, changes, b, changes.progress); err != nil {
		return nil, err
	}
	tokens, err := x.tokens(ctx, at, changes.newTokens())
	if err != nil {
		return nil, fmt.Errorf("block %d: tokens: %w", b.Number, err)
	}
	pools, leftOut := changes.poolsWithTokens(tokens)
	if len(leftOut) > 0 { // one line for all: anyone can create thousands in a block
		x.log.Warn("pools are left out: a token has no decimals", "block", b.Number, "pools", len(leftOut), "first", leftOut[0])
	}
	s, err := changes.base.Next(b, pools, tokens)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", b.Number, err)
	}
	x.reload = x.reload[reloaded:]
	return s, nil
}

// newTokens are the tokens of changed pools that the base does not have.
func (changes *changeset) newTokens() (list []common.Address) {
	seen := map[common.Address]bool{}
	for _, id := range changes.order {
		for _, a := range changes.pools[id].Info().Tokens {
			if _, ok := changes.base.Token(a); !ok && !seen[a] {
				seen[a] = true
				list = append(list, a)
			}
		}
	}
	return list
}

// poolsWithTokens are the changed pools whose tokens are all in the base or in
// tokens; leftOut are the others.
func (changes *changeset) poolsWithTokens(tokens []market.Token) (pools []venue.Pool, leftOut []venue.ID) {
	described := map[common.Address]bool{}
	for _, t := range tokens {
		described[t.Address] = true
	}
	missing := func(a common.Address) bool {
		_, ok := changes.base.Token(a)
		return !ok && !described[a]
	}
	for _, id := range changes.order {
		if slices.ContainsFunc(changes.pools[id].Info().Tokens, missing) {
			leftOut = append(leftOut, id)
		} else {
			pools = append(pools, changes.pools[id])
		}
	}
	return pools, leftOut
}

// unusable replaces a pool that must not be used, because its state is not known or
// its source is paused, so that the other pools keep their indices. No family
// knows it, so its events are ignored. It quotes nothing.
type unusable struct {
	info     *venue.Info
	reason   string
	previous venue.Pool // the pool before its state became unknown, to be read again; nil if paused
}

// Info, Idle and the other methods implement venue.Pool and venue.Idler.
func (p unusable) Info() *venue.Info { return p.info }
func (p unusable) Idle() string      { return p.reason }
func (p unusable) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	return venue.Quote{}, venue.ErrEmpty
}
func (p unusable) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	return nil, venue.ErrEmpty
}
func (p unusable) Spot(in, out int) float64    { return 0 }
func (p unusable) Depth(token int) float64     { return 0 }
func (p unusable) Call(in, out int) venue.Call { return venue.Call{} }
