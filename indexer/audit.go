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

// Logs are believed, but not without looking. Every so many blocks some pools
// of the market are read from the chain as they stood at its block, and held
// to what the logs have made of them. One that differs is read anew with the
// next block, and so is one that could not be read before and now can. A source
// whose pools differ again and again is kept out of routes until somebody has
// looked: its code does something that its logs do not tell.

const (
	auditPools   = 32     // a time, each after all others; and as many unusable ones
	strikes      = 3      // differences within strikeBlocks make an audit's hold
	strikeBlocks = 20_000 // some hours
)

// auditor has one goroutine; the writer hands it markets and takes its finds.
type auditor struct {
	every   uint64 // blocks; 0: never
	last    uint64
	markets chan *market.Snapshot
	wrong   chan []venue.ID
	next    int                 // pool to begin with
	again   int                 // unusable pool to begin with
	strikes map[string][]uint64 // by source: blocks
	holds   map[string]string
}

func newAuditor(every uint64) auditor {
	return auditor{
		every: every, markets: make(chan *market.Snapshot), wrong: make(chan []venue.ID, 1),
		strikes: map[string][]uint64{}, holds: map[string]string{},
	}
}

// offer is for the writer: a market is taken if it is time and none is being
// looked at.
func (a *auditor) offer(m *market.Snapshot) {
	n := m.Block().Number
	if a.every == 0 || n < a.last+a.every && n >= a.last {
		return
	}
	select {
	case a.markets <- m:
		a.last = n
	default:
	}
}

// take is for the writer: the pools to be read anew.
func (a *auditor) take() []venue.ID {
	select {
	case ids := <-a.wrong:
		return ids
	default:
		return nil
	}
}

// audit looks at markets until ctx ends.
func (x *Indexer) audit(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-x.auditor.markets:
			wrong, err := x.differ(ctx, m)
			if err != nil {
				x.log.Debug("audit was given up", "err", err)
				continue
			}
			if len(wrong) == 0 {
				continue
			}
			select {
			case x.auditor.wrong <- wrong:
			case <-ctx.Done():
			}
		}
	}
}

// differ reads some pools of a market and returns those that are not as the
// chain has them.
func (x *Indexer) differ(ctx context.Context, m *market.Snapshot) (wrong []venue.ID, err error) {
	a, d := &x.auditor, newDraft(m)
	d.quiet = true
	choose := func(pools []venue.Pool, next *int) {
		for range min(auditPools, len(pools)) {
			*next = (*next + 1) % len(pools)
			x.blank(d, pools[*next])
		}
	}
	choose(m.Pools(), &a.next)
	choose(unknown(m), &a.again)
	asked := slices.Clone(d.order)
	if err := x.load(ctx, d, m.Block(), nil); err != nil {
		return nil, err
	}
	for _, id := range asked {
		ours, _ := m.Pool(id)
		theirs := d.pools[id]
		x.metrics.audited.Inc()
		if bytes.Equal(save(x.joiners, ours), save(x.joiners, theirs)) {
			continue
		}
		wrong = append(wrong, id)
		if _, known := ours.(unusable); known || x.wants(ours) {
			continue // no news
		}
		x.strike(m.Block().Number, ours.Info())
	}
	return wrong, nil
}

// unknown are the pools whose state is not known.
func unknown(m *market.Snapshot) (pools []venue.Pool) {
	for _, p := range m.Pools() {
		if u, ok := p.(unusable); ok && u.was != nil {
			pools = append(pools, p)
		}
	}
	return pools
}

func (x *Indexer) wants(p venue.Pool) bool {
	return slices.ContainsFunc(x.joiners, func(j venue.Joiner) bool { return len(j.Wants(p)) > 0 })
}

// strike counts a difference against its source.
func (x *Indexer) strike(block uint64, info *venue.Info) {
	a, source := &x.auditor, info.Source.ID
	x.metrics.differences.WithLabelValues(source).Inc()
	x.log.Warn("pool differs from the chain: it is read anew", "block", block, "source", source, "pool", info.ID)
	recent := slices.DeleteFunc(a.strikes[source], func(n uint64) bool { return n+strikeBlocks < block })
	a.strikes[source] = append(recent, block)
	if len(a.strikes[source]) < strikes || a.holds[source] != "" {
		return
	}
	a.holds[source] = fmt.Sprintf("%d of its pools differed from the chain up to block %d", len(a.strikes[source]), block)
	x.Hold("audit", maps.Clone(a.holds))
}
