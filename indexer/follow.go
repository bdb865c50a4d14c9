package indexer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"braid/chain"
)

// finalizedInterval is the time between requests for the newest final block.
const finalizedInterval = 2 * time.Second

// Run joins the chain and follows it. It returns nil when ctx ends, and
// chain.ErrWrongChain if the nodes turn out to follow another chain. All other
// failures are retried.
func (x *Indexer) Run(ctx context.Context) error {
	if err := x.resume(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	heads := x.node.Heads(ctx)
	var g sync.WaitGroup
	g.Go(func() { x.watchFinalized(ctx) })
	g.Go(func() { x.save(ctx) })
	g.Go(func() { x.audit(ctx) })
	g.Go(func() { x.describeWaiting(ctx) })
	g.Go(func() { x.readWaiting(ctx) })
	g.Go(func() { x.proveWaiting(ctx) })
	defer func() {
		cancel()
		g.Wait()
		for range heads { // until its goroutine has ended
		}
	}()
	for head := range heads {
		for failures := 0; ; failures++ {
			err := x.handleHead(ctx, head)
			if ctx.Err() != nil {
				return nil
			}
			if err == nil {
				x.recordRecovery(failures)
				break
			}
			if errors.Is(err, chain.ErrWrongChain) {
				return err
			}
			x.recordFault(err, failures)
			head = newestHead(ctx, heads, head, failures)
		}
	}
	return nil
}

// handleHead brings the snapshot to a new head.
func (x *Indexer) handleHead(ctx context.Context, head chain.HeadUpdate) error {
	x.recordHead(head)
	if head.Err != nil {
		return head.Err
	}
	ours := x.tip
	if known, ok := x.recent.blocks[head.Hash]; ok && ours != nil {
		// A head that is an ancestor of ours is from nodes that are behind: no
		// reorg, and no confirmation of our head.
		if known.Hash != ours.Block().Hash && !x.recent.forked(ours.Block(), known) {
			return nil
		}
		if s := x.recent.byHash[head.Hash]; s != nil {
			x.publish(s, head)
			return nil
		}
	}
	base, path, err := x.path(ctx, head.Header)
	if errors.Is(err, errJoinTooSlow) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, b := range path {
		parent := base
		if base, err = x.nextState(ctx, parent, b); err != nil {
			return err
		}
		x.addState(base)
		x.metrics.blocks.Inc()
		if x.hook != nil {
			x.hook(parent.Snapshot, base.Snapshot)
		}
	}
	x.publish(base, head)
	x.afterPublish(base)
	return nil
}

// nextState is the state after a block, made from that of its parent.
func (x *Indexer) nextState(ctx context.Context, parent *state, h chain.Header) (*state, error) {
	x.takeFindings(parent.Block())
	logs, err := x.node.Logs(ctx, h, x.topics)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", h.Number, err)
	}
	changes := x.newChangeset(parent)
	for i := range logs {
		x.applyLog(changes, &logs[i])
	}
	return x.buildState(ctx, changes, h.Block, h.Hash)
}

// addState keeps a state for reorgs.
func (x *Indexer) addState(s *state) {
	x.recent.add(s)
	x.record.built(s.Block().Number, x.keep)
}

// publish makes a snapshot the Head, without the pools of paused sources, if it is
// not published already. After a join, that waits for the first trials of pools.
func (x *Indexer) publish(next *state, head chain.HeadUpdate) {
	ours, paused, first := x.tip, x.paused.Load(), x.head.Load() == nil
	withheld := first && x.prover != nil && x.saved == nil && !x.firstProofs.Load()
	switch {
	case ours == nil:
		x.log.Info("joined", "block", next.Block().Number, "pools", len(next.Pools()), "tokens", len(next.Tokens()), "waiting", next.waiting.pools.count)
	case ours != next && x.recent.forked(next.Block(), ours.Block()):
		x.metrics.reorgs.Inc()
		x.log.Info("reorg", "from", ours.Block().Number, "to", next.Block().Number)
	}
	if ours != next || x.publishedPauses != paused {
		view, err := paused.withoutPaused(next.Snapshot)
		if err != nil { // cannot be: the pools are of this snapshot
			x.log.Error("snapshot is not published", "err", err)
			return
		}
		// Readers' indices are built before they see the snapshot. They belong to
		// the view: the recent snapshots kept for reorgs hold pools alone.
		view = view.After(x.head.Load())
		view.Graph()
		x.tip, x.publishedPauses = next, paused
		x.metrics.setHead(view, next.waiting)
		x.latest.Store(next)
		if !withheld {
			x.head.Store(view)
		}
		if first && !withheld {
			defer close(x.ready)
		}
		close(*x.changed.Swap(new(make(chan struct{}))))
	}
	if ours != nil && ours != next {
		x.metrics.latency.Observe(time.Since(head.FirstSeen).Seconds())
	}
	x.recordSnapshot(next.Block(), head)
	if withheld {
		x.updateHealth(func(h *Health) {
			h.Joining = fmt.Sprintf("joining: trying pools: %d proved, %d wait", len(next.Pools()), next.waiting.count[waitProof])
		})
	}
}

// newestHead waits before a retry, and gives the newest head by then; the same one
// if there is no other.
func newestHead(ctx context.Context, heads <-chan chain.HeadUpdate, head chain.HeadUpdate, failures int) chain.HeadUpdate {
	backoff(ctx, failures)
	if head.Err != nil { // there is no head to retry: wait for one
		if next, open := <-heads; open {
			return next
		}
		return head
	}
	select {
	case next, open := <-heads:
		if open && next.Err == nil {
			return next
		}
	default:
	}
	return head
}

// watchFinalized keeps the number of the newest final block, for Health and
// metrics only. Reorgs are followed wherever they reach: if final blocks are
// replaced, against the chain's rules, the quorum of nodes still decides.
func (x *Indexer) watchFinalized(ctx context.Context) {
	for tick := time.NewTicker(finalizedInterval); ; {
		if b, err := x.node.Finalized(ctx); err == nil {
			x.updateHealth(func(h *Health) { h.Final = max(h.Final, b.Number) })
			x.metrics.final.Set(float64(b.Number))
		}
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
	}
}
