package indexer

import (
	"context"
	"sync/atomic"
	"time"

	"braid/market"
)

// saveEvery is how much of its work a process that dies may have to do again.
const saveEvery = 3 * time.Second

// resume takes up what the store holds: a market to go on from, or finds to go
// on searching from.
func (x *Indexer) resume() error {
	if x.store == nil || x.store.have == nil {
		return nil
	}
	have := x.store.have
	x.store.have = nil
	if !have.Whole {
		x.finds = newFinds(have.Block, have.Next, have.pools)
		x.log.Info("searching goes on", "block", have.Next, "pools", len(have.pools))
		return nil
	}
	empty, err := x.start.Next(market.Block{}, nil, x.list)
	if err != nil {
		return err
	}
	if x.saved, err = empty.Next(have.Block, have.pools, have.tokens); err != nil {
		return err
	}
	for _, p := range have.pools {
		if x.wants(p) {
			x.reload = append(x.reload, p.Info().ID)
		}
	}
	x.kept.add(x.saved)
	x.saver.last = x.saved
	x.log.Info("resuming", "block", have.Block.Number, "pools", len(have.pools))
	return nil
}

// saver hands settled markets from the writer of markets to that of the store.
type saver struct {
	next atomic.Pointer[market.Snapshot]
	last *market.Snapshot
	wake chan struct{} // what was just read whole is dear: it does not wait
}

func (s *saver) offer(m *market.Snapshot) { s.next.Store(m) }

func (s *saver) offerNow(m *market.Snapshot) {
	s.offer(m)
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// save writes the newest settled market down now and then, and once more at
// the end.
func (x *Indexer) save(ctx context.Context) {
	if x.store == nil {
		return
	}
	tick := time.NewTicker(saveEvery)
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
		if err := x.store.saveMarket(m); err != nil {
			x.log.Error("market is not saved", "err", err)
			continue
		}
		x.saver.last = m
	}
}

// settledBelow is the market as deep below one as reorgs hardly reach, if it
// is kept.
func (k *kept) settledBelow(s *market.Snapshot) *market.Snapshot {
	for range k.max / 2 {
		if s = k.byHash[s.Block().Parent]; s == nil {
			return nil
		}
	}
	return s
}

// published is called by the writer after each market.
func (x *Indexer) published(m *market.Snapshot) {
	if deep := x.kept.settledBelow(m); deep != nil {
		x.saver.offer(deep)
	}
	x.auditor.offer(m)
}
