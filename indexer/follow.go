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

// finalEvery is how often the nodes are asked what is final.
const finalEvery = 2 * time.Second

// Run joins the chain and follows it until ctx ends, which is no error, or
// until the node turns out to follow another chain. Faults are tried again.
func (x *Indexer) Run(ctx context.Context) error {
	if err := x.resume(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	heads := x.node.Heads(ctx)
	var g sync.WaitGroup
	g.Go(func() { x.finality(ctx) })
	g.Go(func() { x.save(ctx) })
	g.Go(func() { x.audit(ctx) })
	defer func() {
		cancel()
		g.Wait()
		for range heads { // until the watch has ended
		}
	}()
	for s := range heads {
		for failures := 0; ; failures++ {
			err := x.see(ctx, s)
			if ctx.Err() != nil {
				return nil
			}
			if err == nil {
				x.well(failures)
				break
			}
			if errors.Is(err, chain.ErrWrongChain) {
				return err
			}
			x.fault(err, failures)
			s = newer(ctx, heads, s, failures)
		}
	}
	return nil
}

// see brings the market to a sighted head.
func (x *Indexer) see(ctx context.Context, s chain.Sighting) error {
	x.sighted(s)
	if s.Err != nil {
		return s.Err
	}
	ours := x.tip
	if known := x.kept.byHash[s.Hash]; known != nil && ours != nil {
		// A node that is behind shows us an ancestor of our head. That is no
		// reorg, and no proof that our head still stands.
		if known != ours && !x.kept.forked(ours, known) {
			return nil
		}
		x.publish(known, s)
		return nil
	}
	base, path, err := x.path(ctx, s.Header)
	if errors.Is(err, errLate) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, b := range path {
		if base, err = x.next(ctx, base, b); err != nil {
			return err
		}
		x.kept.add(base)
		x.metrics.blocks.Inc()
	}
	x.publish(base, s)
	x.published(base)
	return nil
}

// next is the market after a block, made from that of its parent.
func (x *Indexer) next(ctx context.Context, parent *market.Snapshot, h chain.Header) (*market.Snapshot, error) {
	logs, err := x.node.Logs(ctx, h, x.topics)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", h.Number, err)
	}
	d := newDraft(parent)
	for i := range logs {
		x.read(d, &logs[i])
	}
	return x.finish(ctx, d, h.Block, h.Hash)
}

func (x *Indexer) publish(next *market.Snapshot, s chain.Sighting) {
	ours, held := x.tip, x.held.Load()
	switch {
	case ours == nil:
		defer close(x.ready)
		x.log.Info("joined", "block", next.Block().Number, "pools", len(next.Pools()), "tokens", len(next.Tokens()))
	case ours != next && x.kept.forked(next, ours):
		x.metrics.reorgs.Inc()
		x.log.Info("reorg", "from", ours.Block().Number, "to", next.Block().Number)
	}
	if ours != next || x.shown != held {
		view, err := held.without(next)
		if err != nil { // cannot be: the pools are the market's own
			x.log.Error("no market is published", "err", err)
			return
		}
		// What readers need is there before they see the market, and goes with
		// it: the markets that are kept hold pools alone.
		view = view.After(x.head.Load())
		view.Graph()
		x.tip, x.shown = next, held
		x.head.Store(view)
		close(*x.changed.Swap(new(make(chan struct{}))))
		x.metrics.show(view)
	}
	if ours != nil && ours != next {
		x.metrics.latency.Observe(time.Since(s.Seen).Seconds())
	}
	x.confirm(next.Block(), s)
}

// newer rests and gives the newest sighting by then; the same one if there is
// no other.
func newer(ctx context.Context, heads <-chan chain.Sighting, s chain.Sighting, failures int) chain.Sighting {
	rest(ctx, failures)
	if s.Err != nil { // nothing to try again: wait for the next look
		if next, open := <-heads; open {
			return next
		}
		return s
	}
	select {
	case next, open := <-heads:
		if open && next.Err == nil {
			return next
		}
	default:
	}
	return s
}

// finality keeps the number of the newest final block. What is final is not
// replaced by the chain's own law; if it is, the law is broken, and the nodes'
// majority still says what stands.
func (x *Indexer) finality(ctx context.Context) {
	for tick := time.NewTicker(finalEvery); ; {
		if b, err := x.node.Finalized(ctx); err == nil {
			x.note(func(h *Health) { h.Final = max(h.Final, b.Number) })
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
