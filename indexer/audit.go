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
// the next block. A source with maxMismatches differences within mismatchWindow
// blocks is paused until an operator resumes it: its contracts do something that
// their logs do not tell.

const (
	poolsPerAudit  = 32     // compared in one audit, in turn; and as many unusable ones
	maxMismatches  = 3      // of one source within mismatchWindow pause it
	mismatchWindow = 20_000 // blocks; 100 minutes at 300 ms
)

// auditor has a goroutine of its own, Indexer.audit, which owns the fields after
// mismatched. The goroutine of Run sends snapshots and receives mismatched pools.
type auditor struct {
	every        uint64 // blocks between audits; 0: none
	last         uint64 // number of the last audited block; written by offer
	snapshots    chan *market.Snapshot
	mismatched   chan []venue.ID
	nextPool     int                 // index of the pool to begin with
	nextUnusable int                 // index of the unusable pool to begin with
	mismatches   map[string][]uint64 // by source: block numbers
	paused       map[string]string   // by source: reason
}

func newAuditor(every uint64) auditor {
	return auditor{
		every: every, snapshots: make(chan *market.Snapshot), mismatched: make(chan []venue.ID, 1),
		mismatches: map[string][]uint64{}, paused: map[string]string{},
	}
}

// offer starts an audit of a snapshot if one is due and none is under way. It
// does not block.
func (a *auditor) offer(m *market.Snapshot) {
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

// take gives the mismatched pools of a finished audit, to be read again; nil if
// there are none.
func (a *auditor) take() []venue.ID {
	select {
	case ids := <-a.mismatched:
		return ids
	default:
		return nil
	}
}

// audit runs audits until ctx ends.
func (x *Indexer) audit(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-x.auditor.snapshots:
			wrong, err := x.comparePools(ctx, m)
			if err != nil {
				x.log.Debug("audit was not completed", "err", err)
				continue
			}
			if len(wrong) == 0 {
				continue
			}
			select {
			case x.auditor.mismatched <- wrong:
			case <-ctx.Done():
			}
		}
	}
}

// comparePools reads some pools of a snapshot at its block and returns those whose
// state differs from the chain's.
func (x *Indexer) comparePools(ctx context.Context, m *market.Snapshot) (wrong []venue.ID, err error) {
	a, changes := &x.auditor, newChangeset(m)
	changes.quiet = true
	choose := func(pools []venue.Pool, next *int) {
		for range min(poolsPerAudit, len(pools)) {
			*next = (*next + 1) % len(pools)
			x.reloadPool(changes, pools[*next])
		}
	}
	choose(m.Pools(), &a.nextPool)
	choose(unusablePools(m), &a.nextUnusable)
	asked := slices.Clone(changes.order)
	if err := x.loadPools(ctx, changes, m.Block(), nil); err != nil {
		return nil, err
	}
	for _, id := range asked {
		ours, _ := m.Pool(id)
		theirs := changes.pools[id]
		x.metrics.audited.Inc()
		if bytes.Equal(encodePool(x.storers, ours), encodePool(x.storers, theirs)) {
			continue
		}
		wrong = append(wrong, id)
		if _, known := ours.(unusable); known || x.needsReads(ours) {
			continue // it was known to differ
		}
		x.recordMismatch(m.Block().Number, ours.Info())
	}
	return wrong, nil
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

// recordMismatch counts a difference, and pauses the source if there are too many.
func (x *Indexer) recordMismatch(block uint64, info *venue.Info) {
	a, source := &x.auditor, info.Source.ID
	x.metrics.differences.WithLabelValues(source).Inc()
	x.log.Warn("pool differs from the chain: it is read again", "block", block, "source", source, "pool", info.ID)
	recent := slices.DeleteFunc(a.mismatches[source], func(n uint64) bool { return n+mismatchWindow < block })
	a.mismatches[source] = append(recent, block)
	if len(a.mismatches[source]) < maxMismatches || a.paused[source] != "" {
		return
	}
	a.paused[source] = fmt.Sprintf("%d of its pools differed from the chain up to block %d", len(a.mismatches[source]), block)
	x.Pause("audit", maps.Clone(a.paused))
}
