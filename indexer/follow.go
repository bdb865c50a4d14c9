package indexer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"braid/chain"
	"braid/market"
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
	if known := x.recent.byHash[head.Hash]; known != nil && ours != nil {
		// A head that is an ancestor of ours is from nodes that are behind: no
		// reorg, and no confirmation of our head.
		if known != ours && !x.recent.forked(ours, known) {
			return nil
		}
		x.publish(known, head)
		return nil
	}
	base, path, err := x.path(ctx, head.Header)
	if errors.Is(err, errJoinTooSlow) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, b := range path {
		if base, err = x.nextSnapshot(ctx, base, b); err != nil {
			return err
		}
		x.recent.add(base)
		x.metrics.blocks.Inc()
	}
	x.publish(base, head)
	x.afterPublish(base)
	return nil
}

// nextSnapshot is the snapshot after a block, made from that of its parent.
func (x *Indexer) nextSnapshot(ctx context.Context, parent *market.Snapshot, h chain.Header) (*market.Snapshot, error) {
	logs, err := x.node.Logs(ctx, h, x.topics)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", h.Number, err)
	}
	changes := newChangeset(parent)
	for i := range logs {
		x.applyLog(changes, &logs[i])
	}
	return x.buildSnapshot(ctx, changes, h.Block, h.Hash)
}

// publish makes a snapshot the Head, without the pools of paused sources, if it is
// not published already.
func (x *Indexer) publish(next *market.Snapshot, head chain.HeadUpdate) {
	ours, paused := x.tip, x.paused.Load()
	switch {
	case ours == nil:
		defer close(x.ready)
		x.log.Info("joined", "block", next.Block().Number, "pools", len(next.Pools()), "tokens", len(next.Tokens()))
	case ours != next && x.recent.forked(next, ours):
		x.metrics.reorgs.Inc()
		x.log.Info("reorg", "from", ours.Block().Number, "to", next.Block().Number)
	}
	if ours != next || x.publishedPauses != paused {
		view, err := paused.withoutPaused(next)
		if err != nil { // cannot be: the pools are of this snapshot
			x.log.Error("snapshot is not published", "err", err)
			return
		}
		// Readers' indices are built before they see the snapshot. They belong to
		// the view: the recent snapshots kept for reorgs hold pools alone.
		view = view.After(x.head.Load())
		view.Graph()
		x.tip, x.publishedPauses = next, paused
		x.head.Store(view)
		close(*x.changed.Swap(new(make(chan struct{}))))
		x.metrics.setHead(view)
	}
	if ours != nil && ours != next {
		x.metrics.latency.Observe(time.Since(head.FirstSeen).Seconds())
	}
	x.recordSnapshot(next.Block(), head)
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
