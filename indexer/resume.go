package indexer

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
)

// saveInterval is the time between writes to the store: what a process that dies
// did since the last one must be done again.
const saveInterval = 3 * time.Second

// resume continues from what the store holds: a snapshot, or an unfinished
// discovery.
func (x *Indexer) resume() error {
	if x.store == nil || x.store.loaded == nil {
		return nil
	}
	contents := x.store.loaded
	x.store.loaded = nil
	if !contents.Complete {
		x.discovery = newDiscovery(contents.Block, contents.Next, contents.pools)
		x.log.Info("resuming the search for pools", "block", contents.Next, "pools", len(contents.pools))
		return nil
	}
	if contents.changed {
		return x.resumeOthers(contents)
	}
	pools, unproved := x.partProved(contents)
	empty, err := x.emptyState()
	if err != nil {
		return err
	}
	saved := &state{verdicts: contents.verdicts}
	if saved.Snapshot, err = empty.Next(contents.Block, pools, contents.tokens); err != nil {
		return err
	}
	x.saved = saved
	x.addState(saved)
	x.saver.last = saved
	for _, w := range contents.waiting {
		missing := 0
		if w.reason == waitToken {
			missing = max(0, slices.IndexFunc(w.pool.Info().Tokens, func(a common.Address) bool { _, ok := saved.Token(a); return !ok }))
		}
		saved.waiting = saved.waiting.with(x.storers, w.pool, w.reason, missing)
	}
	for _, p := range unproved {
		why := waitProof
		if x.needsReads(p) {
			why = waitRead
		}
		saved.waiting = saved.waiting.with(x.storers, p, why, 0)
	}
	var reload []venue.ID
	if x.prover == nil {
		for _, p := range saved.waiting.forProof() {
			reload = append(reload, p.Info().ID)
		}
	}
	for _, p := range pools {
		if x.needsReads(p) {
			reload = append(reload, p.Info().ID)
		}
	}
	x.record.add(findings{reload: reload})
	x.log.Info("resuming", "block", contents.Block.Number, "pools", len(contents.pools), "waiting", len(contents.waiting))
	return nil
}

// resumeOthers continues from a market of other sources: its pools need not be searched
// for again, only those of the rows that were added.
func (x *Indexer) resumeOthers(contents *storeContents) error {
	x.discovery = newDiscovery(contents.Block, contents.Block.Number+1, contents.pools)
	for _, w := range contents.waiting {
		x.discovery.add(w.pool)
	}
	x.discovery.resumed, x.discovery.added, x.carried = true, contents.added, contents.verdicts
	x.log.Info("resuming with other sources", "block", contents.Block.Number, "pools", len(x.discovery.pools), "sources added", len(contents.added))
	return nil
}

// saver passes settled snapshots from the goroutine of Run to that of
// Indexer.save.
type saver struct {
	next atomic.Pointer[state]
	last *state        // in the store; owned by Indexer.save
	wake chan struct{} // asks for a write at once
}

// offer replaces the snapshot to be written at the next interval.
func (s *saver) offer(m *state) { s.next.Store(m) }

// offerNow asks for a write at once: a snapshot made by reading all pools would
// take long to make again.
func (s *saver) offerNow(m *state) {
	s.offer(m)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// save writes the newest settled snapshot to the store every saveInterval, and once
// more when ctx ends.
func (x *Indexer) save(ctx context.Context) {
	if x.store == nil {
		return
	}
	tick := time.NewTicker(saveInterval)
	defer tick.Stop()
	for done := false; !done; {
		select {
		case <-tick.C:
		case <-x.saver.wake:
		case <-ctx.Done():
			done = true
		}
		m := x.saver.next.Load()
		if m == nil || m == x.saver.last {
			continue
		}
		if err := x.store.saveSnapshot(m); err != nil {
			x.log.Error("snapshot is not saved", "err", err)
			continue
		}
		x.saver.last = m
	}
}

// afterPublish offers the settled ancestor of a published snapshot to the store,
// and the snapshot itself to the audit.
func (x *Indexer) afterPublish(m *state) {
	if settled := x.recent.settledAncestor(m); settled != nil {
		x.saver.offer(settled)
	}
	if x.Head() != nil {
		x.auditor.offer(m)
	}
}

// partProved divides the pools of a stored market into those that may be in the market
// and those that wait: it may have been written without a Prover.
func (x *Indexer) partProved(contents *storeContents) (proved, unproved []venue.Pool) {
	for _, p := range contents.pools {
		if x.proved(contents.verdicts, p.Info().ID) {
			proved = append(proved, p)
		} else {
			unproved = append(unproved, p)
		}
	}
	return proved, unproved
}
