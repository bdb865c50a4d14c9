package indexer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/chain"
	"braid/market"
)

// Health is the state of the indexer.
type Health struct {
	Ready     bool             // there is a snapshot, of whatever age
	Reason    string           // what is wrong, in one line of at most 500 bytes; empty: nothing
	Joining   string           // how far joining the chain has come, in one line; empty: it has ended
	Reachable bool             // the nodes last agreed on a head
	Block     uint64           // number of the block of the snapshot
	Hash      common.Hash      // of that block
	State     chain.BlockState // of that block, where the nodes tell
	Lag       uint64           // number of blocks by which the nodes are ahead of the snapshot
	Final     uint64           // number of the newest final block: one that will not be replaced
	Updated   time.Time        // latest local time at which a quorum of nodes had no block above the snapshot's

	Paused  map[string]string // reasons by source, for sources kept out of routes
	Waiting map[string]int    // by reason: pools that may hold liquidity and are not in the market yet
}

// Health is safe for concurrent use.
func (x *Indexer) Health() Health {
	x.mu.Lock()
	defer x.mu.Unlock()
	h := x.health
	h.Ready = x.Head() != nil
	h.Paused = x.paused.Load().reasons()
	if s := x.latest.Load(); s != nil {
		h.Waiting = s.waiting.byReason()
	}
	return h
}

func (x *Indexer) updateHealth(change func(h *Health)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change(&x.health)
}

// recordHead notes what the nodes say of their head.
func (x *Indexer) recordHead(head chain.HeadUpdate) {
	x.updateHealth(func(h *Health) {
		h.Reachable = head.Err == nil
		if head.Err == nil {
			h.Lag = head.QuorumHeight - min(h.Block, head.QuorumHeight)
		}
	})
}

// recordSnapshot notes that the snapshot after b was published, or that b still
// is the head.
func (x *Indexer) recordSnapshot(b market.Block, head chain.HeadUpdate) {
	x.updateHealth(func(h *Health) {
		h.Hash, h.State = b.Hash, head.State
		h.Block, h.Lag, h.Reason, h.Joining = b.Number, head.QuorumHeight-min(b.Number, head.QuorumHeight), "", ""
		if head.ConfirmedAt.After(h.Updated) {
			h.Updated = head.ConfirmedAt
		}
	})
}

// recordFault counts a failure, and logs it if it is the first in a row.
func (x *Indexer) recordFault(err error, failures int) {
	text := fmt.Sprintf("%.500s", err) // a node may send a message of any length
	x.metrics.faults.Inc()
	x.updateHealth(func(h *Health) { h.Reason = text })
	if failures == 0 {
		x.log.Warn("node fault", "err", text)
	}
}

// recordRecovery logs the end of a row of failures.
func (x *Indexer) recordRecovery(failures int) {
	if failures > 0 {
		x.log.Info("node has recovered", "faults", failures)
	}
}

// backoff waits before the next try: 50 to 100% of 25 ms times 2^failures, at most
// 2 s; random, so that clients do not retry together.
func backoff(ctx context.Context, failures int) {
	const first, longest = 25 * time.Millisecond, 2 * time.Second
	pause := min(first<<min(failures, 10), longest)
	timer := time.NewTimer(pause/2 + rand.N(pause/2))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
