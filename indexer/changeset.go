package indexer

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
)

// changeset is a state under construction: a base, and the pools that were changed
// or added since.
type changeset struct {
	base     *state
	storers  []venue.Storer
	pools    map[venue.ID]venue.Pool
	verdicts trie       // of trials
	order    []venue.ID // keys of pools in the order of their first change, so that equal chains give equal snapshots

	loaders   map[venue.ID]venue.Loader // of pools whose state must be completed by reads
	settled   bool                      // it covers many blocks: see limitLoads
	maxRounds int                       // of reads of pools that are not in the market; 0: no limit
	progress  func(done, of int)        // unless nil, called with the number of pools loaded
	quiet     bool                      // do not log unusable pools
}

func (x *Indexer) newChangeset(base *state) *changeset {
	return &changeset{base: base, storers: x.storers, verdicts: base.verdicts, pools: map[venue.ID]venue.Pool{}, loaders: map[venue.ID]venue.Loader{}}
}

// pool is the pool with its changes; nil if there is none.
func (changes *changeset) pool(id venue.ID) venue.Pool {
	if p := changes.pools[id]; p != nil {
		return p
	}
	if p, ok := changes.base.Pool(id); ok {
		return p
	}
	return changes.base.waiting.pool(changes.storers, id)
}

// admitted tells whether a pool is in the market of the base.
func (changes *changeset) admitted(id venue.ID) bool {
	_, ok := changes.base.PoolNo(id)
	return ok
}

// poolsOf are the pools of a source, also those that wait.
func (changes *changeset) poolsOf(source *venue.Source) (ids []venue.ID) {
	add := func(p venue.Pool) {
		if info := p.Info(); info.Source == source {
			ids = append(ids, info.ID)
		}
	}
	for _, p := range changes.base.Pools() {
		add(p)
	}
	for _, p := range changes.base.waiting.all(changes.storers) {
		add(p)
	}
	for _, id := range changes.order {
		if _, waits := changes.base.waiting.pools.get(id.Bytes()); !waits && !changes.admitted(id) {
			add(changes.pools[id])
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

// unusable replaces a pool that must not be used, because its state is not known or
// its source is paused, so that the other pools keep their indices. No family
// knows it, so its events are ignored. It quotes nothing.
type unusable struct {
	info     *venue.Info
	reason   string
	previous venue.Pool // the pool before its state became unknown, to be read again; nil if paused
}

// Info, Idle and the other methods implement codec.Unusable and venue.Idler.
func (p unusable) Info() *venue.Info    { return p.info }
func (p unusable) Idle() string         { return p.reason }
func (p unusable) Previous() venue.Pool { return p.previous }
func (p unusable) Quote(in, out int, amount u256.Int) (venue.Quote, error) {
	return venue.Quote{}, venue.ErrEmpty
}
func (p unusable) Swap(in, out int, amount u256.Int) (venue.Pool, error) {
	return nil, venue.ErrEmpty
}
func (p unusable) Spot(in, out int) float64    { return 0 }
func (p unusable) Depth(token int) float64     { return 0 }
func (p unusable) Call(in, out int) venue.Call { return venue.Call{} }
