package indexer

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/venue"
)

// buildState is the state after block b: the changeset, completed by reads at b, and
// what the record says of the blocks after its base. Pools that cannot be admitted
// wait. Blocks do not wait for tokens, except those from which a market is made
// anew: before anything was published, and when the chain is started over. For
// these, tokens are described as of block at.
func (x *Indexer) buildState(ctx context.Context, changes *changeset, b market.Block, at common.Hash) (*state, error) {
	touched := slices.DeleteFunc(slices.Clone(changes.order), changes.admitted)
	base := changes.base.Block().Number
	for _, f := range x.record.between(base, b.Number) {
		x.applyFindings(changes, f)
	}
	x.limitLoads(changes, b)
	if err := x.loadPools(ctx, changes, b, changes.progress); err != nil {
		return nil, err
	}
	if x.tip == nil || changes.base.Block() == (market.Block{}) {
		tokens, err := x.describe(ctx, at, changes.missingTokens(x.known(changes.base, b.Number)))
		if err != nil {
			return nil, fmt.Errorf("block %d: tokens: %w", b.Number, err)
		}
		x.record.addFrom(findings{tokens: tokens}, b.Number)
	}
	return x.admit(changes, b, touched)
}

// applyFindings adds to a changeset what was learned of pools.
func (x *Indexer) applyFindings(changes *changeset, f findings) {
	for _, p := range f.loaded {
		id := p.Info().ID
		if changes.pools[id] == nil && !changes.admitted(id) && changes.base.unchangedSince(f.at, id) {
			changes.put(p)
		}
	}
	for _, v := range f.verdicts {
		v.from = f.from
		x.applyVerdict(changes, v)
	}
	for _, id := range f.reload {
		if p := changes.pool(id); p != nil && (!changes.admitted(id) || x.proved(changes.verdicts, id)) {
			x.reloadPool(changes, p)
		}
	}
	for _, id := range f.quarantine {
		if p := changes.pool(id); p != nil {
			if _, already := p.(unusable); !already {
				changes.put(unusable{p.Info(), quarantined, p})
				delete(changes.loaders, id)
			}
		}
	}
	for _, t := range f.tokens {
		for _, id := range changes.base.waiting.waitingFor(t.Address) {
			changes.put(changes.pool(id))
		}
	}
}

// known tells whether a token is described in block b: it is in the market, on the
// list or in the record.
func (x *Indexer) known(base *state, b uint64) func(common.Address) bool {
	return func(a common.Address) bool {
		if _, ok := base.Token(a); ok {
			return true
		}
		if _, ok := x.listed[a]; ok {
			return true
		}
		_, ok := x.record.token(a, b)
		return ok
	}
}

// missingTokens are the tokens that changed pools wait for.
func (changes *changeset) missingTokens(known func(common.Address) bool) (list []common.Address) {
	seen := map[common.Address]bool{}
	for _, id := range changes.order {
		if _, waits := changes.waits(id); waits {
			continue
		}
		for _, a := range changes.pools[id].Info().Tokens {
			if !seen[a] && !known(a) {
				list = append(list, a)
			}
			seen[a] = true
		}
	}
	return list
}

// waits tells whether a pool waits, whatever its tokens, and why.
func (changes *changeset) waits(id venue.ID) (reason, bool) {
	p := changes.pools[id]
	if _, unknown := p.(unusable); unknown {
		return waitRead, true
	}
	l := changes.loaders[id]
	switch {
	case l != nil && venue.IsDormant(p): // it wants much, which takes long to say
		return waitDormant, true
	case l != nil && len(l.Wants(p)) > 0:
		return waitRead, true
	}
	return waitLiquidity, venue.Idle(p) != ""
}

// admit is the state with the changed pools in the market or among those that wait.
func (x *Indexer) admit(changes *changeset, b market.Block, touched []venue.ID) (*state, error) {
	next := &state{waiting: changes.base.waiting, verdicts: changes.verdicts, touched: changes.base.touch(b.Hash, touched), epoch: x.epoch}
	known := x.known(changes.base, b.Number)
	var pools []venue.Pool
	var tokens []market.Token
	for _, id := range changes.order {
		p := changes.pools[id]
		if changes.admitted(id) {
			pools = append(pools, p)
			continue
		}
		missing := -1
		why, waits := changes.waits(id)
		if !waits {
			missing = slices.IndexFunc(p.Info().Tokens, func(a common.Address) bool { return !known(a) })
		}
		switch {
		case waits:
			if blank := x.unloaded(p); blank != nil && why != waitLiquidity {
				p = blank
			}
			next.waiting = next.waiting.with(x.storers, p, why, 0)
		case missing >= 0:
			next.waiting = next.waiting.with(x.storers, p, waitToken, missing)
		case !x.proved(next.verdicts, id):
			next.waiting = next.waiting.with(x.storers, p, waitProof, 0)
		default:
			next.waiting = next.waiting.without(id)
			pools = append(pools, p)
			for _, a := range p.Info().Tokens {
				if t, ok := x.listed[a]; ok {
					tokens = append(tokens, t)
				} else if t, ok := x.record.token(a, b.Number); ok {
					tokens = append(tokens, t)
				}
			}
		}
	}
	var err error
	if next.Snapshot, err = changes.base.Next(b, pools, tokens); err != nil {
		return nil, fmt.Errorf("block %d: %w", b.Number, err)
	}
	return next, nil
}
