package indexer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"braid/chain"
	"braid/market"
)

// Health is how the market stands to the chain.
type Health struct {
	Ready     bool      // there is a market; how old it may be is the reader's choice
	Reason    string    // what is wrong now, in one line; empty when nothing is
	Reachable bool      // the node answered when last asked for its head
	Block     uint64    // of the market
	Lag       uint64    // blocks by which the node is ahead
	Final     uint64    // the newest block that will not be replaced
	Updated   time.Time // up to when the nodes had nothing newer than our head

	Paused map[string]string // sources kept out of routes, and why
}

func (x *Indexer) Health() Health {
	x.mu.Lock()
	defer x.mu.Unlock()
	h := x.health
	h.Ready = x.Head() != nil
	h.Paused = x.held.Load().reasons()
	return h
}

func (x *Indexer) note(change func(h *Health)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change(&x.health)
}

func (x *Indexer) sighted(s chain.Sighting) {
	x.note(func(h *Health) {
		h.Reachable = s.Err == nil
		if s.Err == nil {
			h.Lag = s.Height - min(h.Block, s.Height)
		}
	})
}

func (x *Indexer) confirm(b market.Block, s chain.Sighting) {
	x.note(func(h *Health) {
		h.Block, h.Lag, h.Reason = b.Number, s.Height-min(b.Number, s.Height), ""
		if s.At.After(h.Updated) {
			h.Updated = s.At
		}
	})
}

// fault counts every fault and logs the first of a row.
func (x *Indexer) fault(err error, failures int) {
	text := fmt.Sprintf("%.500s", err) // of which a node may have written any length
	x.metrics.faults.Inc()
	x.note(func(h *Health) { h.Reason = text })
	if failures == 0 {
		x.log.Warn("node fault", "err", text)
	}
}

func (x *Indexer) well(failures int) {
	if failures > 0 {
		x.log.Info("node is well again", "faults", failures)
	}
}

// rest waits before another try: longer after each failure, and never in step
// with others.
func rest(ctx context.Context, failures int) {
	const first, longest = 25 * time.Millisecond, 2 * time.Second
	pause := min(first<<min(failures, 10), longest)
	timer := time.NewTimer(pause/2 + rand.N(pause/2))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
