package indexer

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"braid/market"
	"braid/venue"
)

// The audit checks that logs tell the whole state of a pool. Every
// Config.AuditEvery blocks some pools of the newest snapshot are read from the
// chain at the same block, and compared with what following their logs gave. A
// pool that differs, or could not be read before and now can, is read again with
// the next block. A pool that differs maxMismatches times within mismatchWindow
// blocks is kept out of routes for as long: its contracts do something that their
// logs do not tell.
//
// A source is paused, until an operator resumes it, only if the pools that differ
// hold more than half of what all its pools of verified tokens hold: anybody can
// make pools of tokens of his own that differ in a good factory.

const (
	poolsPerAudit  = 32     // compared in one audit, in turn; and as many unusable ones
	maxMismatches  = 3      // of one pool keep it out; of all pools are needed to pause their source
	mismatchWindow = 20_000 // blocks; 100 minutes at 300 ms
)

// quarantined is the Idle of a pool that is kept out.
const quarantined = "it differed from the chain again and again"

// auditor has a goroutine of its own, Indexer.audit, which owns the fields after
// snapshots. The goroutine of Run sends snapshots.
type auditor struct {
	every        uint64 // blocks between audits; 0: none
	last         uint64 // number of the last audited block; written by offer
	snapshots    chan *state
	nextPool     int                              // index of the pool to begin with
	nextUnusable int                              // index of the unusable pool to begin with
	mismatches   map[string]map[venue.ID][]uint64 // by source and pool: block numbers
	keptOut      map[venue.ID]uint64              // quarantined pools: number of the block up to which
	paused       map[string]string                // by source: reason
}

func newAuditor(every uint64) auditor {
	return auditor{
		every: every, snapshots: make(chan *state),
		mismatches: map[string]map[venue.ID][]uint64{}, keptOut: map[venue.ID]uint64{}, paused: map[string]string{},
	}
}

// offer starts an audit of a snapshot if one is due and none is under way. It
// does not block.
func (a *auditor) offer(m *state) {
	n := m.Block().Number
	if a.every == 0 || n < a.last+a.every && n >= a.last {
		return
	}
	select {
	case a.snapshots <- m:
		a.last = n
	default:
	}
}

// audit runs audits until ctx ends.
func (x *Indexer) audit(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-x.auditor.snapshots:
			found, err := x.comparePools(ctx, m)
			if err != nil {
				x.log.Debug("audit was not completed", "err", err)
				continue
			}
			if len(found.reload)+len(found.quarantine) > 0 {
				x.report(ctx, m, found)
			}
		}
	}
}

// comparePools reads some pools of a snapshot at its block and finds those whose
// state differs from the chain's.
func (x *Indexer) comparePools(ctx context.Context, m *state) (found findings, err error) {
	a, changes := &x.auditor, x.newChangeset(m)
	changes.quiet = true
	maps.DeleteFunc(a.keptOut, func(_ venue.ID, until uint64) bool { return until < m.Block().Number })
	choose := func(pools []venue.Pool, next *int) {
		for range min(poolsPerAudit, len(pools)) {
			*next = (*next + 1) % len(pools)
			if _, out := a.keptOut[pools[*next].Info().ID]; !out {
				x.reloadPool(changes, pools[*next])
			}
		}
	}
	choose(m.Pools(), &a.nextPool)
	choose(unusablePools(m.Snapshot), &a.nextUnusable)
	asked := slices.Clone(changes.order)
	if err := x.loadPools(ctx, changes, m.Block(), nil); err != nil {
		return found, err
	}
	for _, id := range asked {
		ours, _ := m.Pool(id)
		theirs := changes.pools[id]
		x.metrics.audited.Inc()
		if bytes.Equal(encodePool(x.storers, ours), encodePool(x.storers, theirs)) {
			continue
		}
		_, known := ours.(unusable)
		if known || x.needsReads(ours) || !x.recordMismatch(m.Snapshot, ours) {
			found.reload = append(found.reload, id)
		} else {
			found.quarantine = append(found.quarantine, id)
		}
	}
	return found, nil
}

// unusablePools are the pools whose state is not known. Paused ones are not among
// them.
func unusablePools(m *market.Snapshot) (pools []venue.Pool) {
	for _, p := range m.Pools() {
		if u, ok := p.(unusable); ok && u.previous != nil {
			pools = append(pools, p)
		}
	}
	return pools
}

// needsReads tells whether the pool lacks state that must be read from the chain.
func (x *Indexer) needsReads(p venue.Pool) bool {
	return slices.ContainsFunc(x.storers, func(j venue.Storer) bool { return len(j.Wants(p)) > 0 })
}

// recordMismatch counts a difference, pauses the source if most of it differs, and
// tells whether the pool is to be kept out.
func (x *Indexer) recordMismatch(m *market.Snapshot, p venue.Pool) (keepOut bool) {
	a, info, block := &x.auditor, p.Info(), m.Block().Number
	source := info.Source.ID
	x.metrics.differences.WithLabelValues(source).Inc()
	if a.mismatches[source] == nil {
		a.mismatches[source] = map[venue.ID][]uint64{}
	}
	list := a.mismatches[source]
	list[info.ID] = append(list[info.ID], block)
	total := 0
	for id, blocks := range list {
		recent := slices.DeleteFunc(blocks, func(n uint64) bool { return n+mismatchWindow < block })
		if list[id] = recent; len(recent) == 0 {
			delete(list, id)
		}
		total += len(recent)
	}
	if keepOut = len(list[info.ID]) >= maxMismatches; keepOut {
		a.keptOut[info.ID] = block + mismatchWindow
	}
	x.log.Warn("pool differs from the chain", "block", block, "source", source, "pool", info.ID, "kept out", keepOut)
	if total < maxMismatches || a.paused[source] != "" {
		return keepOut
	}
	if part := x.verifiedPart(m, info.Source, list); part > 0.5 {
		a.paused[source] = fmt.Sprintf("pools with %.0f %% of its liquidity differed from the chain up to block %d", 100*part, block)
		x.Pause("audit", maps.Clone(a.paused))
	}
	return keepOut
}

// verifiedPart is which part of the liquidity of a source is in some of its pools.
// Only pools of verified tokens count.
func (x *Indexer) verifiedPart(m *market.Snapshot, source *venue.Source, some map[venue.ID][]uint64) float64 {
	prices, all, part := x.Head(), 0.0, 0.0
	for _, p := range m.Pools() {
		if u, ok := p.(unusable); ok && u.previous != nil {
			p = u.previous
		}
		info := p.Info()
		if info.Source != source {
			continue
		}
		depth := verifiedDepth(prices, p)
		if all += depth; some[info.ID] != nil {
			part += depth
		}
	}
	if all == 0 {
		return 0
	}
	return part / all
}

// verifiedDepth is the depth of a pool in dollars; 0 if a token is not verified.
func verifiedDepth(m *market.Snapshot, p venue.Pool) (usd float64) {
	for i, a := range p.Info().Tokens {
		no, ok := m.Token(a)
		if !ok || !m.Tokens()[no].Verified {
			return 0
		}
		usd += m.Price(no).USD * p.Depth(i)
	}
	return usd
}
