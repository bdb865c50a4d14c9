package feed

import (
	"maps"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// Health is the state of a replica.
type Health struct {
	Ready     bool              // there is a market, of whatever age
	Reason    string            // what is wrong, as one of a few texts; empty: nothing
	Reachable bool              // the indexer that is followed reaches its nodes, and we reach it
	Block     uint64            // number of the block of the market
	Hash      common.Hash       // of that block
	State     string            // how far consensus about that block has come; empty: not told
	Lag       uint64            // blocks by which the nodes are ahead of it
	Final     uint64            // number of the newest final block
	Updated   time.Time         // when the nodes are known to have confirmed the market; zero: it must not be used
	Paused    map[string]string // reasons by source

	Indexer string         // that is followed; empty: none
	Epoch   uint64         // of its process
	Age     time.Duration  // since Updated, at the last head; below 0: not known
	Faults  map[string]int // messages that were refused and other faults so far, by reason
}

// Health is safe for concurrent use.
func (r *Replica) Health() Health {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.health
	h.Faults = maps.Clone(r.faults)
	return h
}

func (r *Replica) countFault(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[reason]++
}

// updateHealth says what is so now.
func (r *Replica) updateHealth() {
	m, p := r.head.Load(), r.followed
	r.mu.Lock()
	defer r.mu.Unlock()
	h := &r.health
	h.Ready = m != nil
	if m != nil {
		h.Block, h.Hash = m.Block().Number, m.Block().Hash
	}
	now := time.Now()
	if p == nil {
		h.Reason = r.unmet(now)
		return
	}
	h.Indexer, h.Epoch, h.Final = p.name, p.epoch, p.last.final
	h.Reachable = p.last.reachable && now.Sub(p.heard) < SilentAfter
	h.Lag = max(p.last.height, h.Block) - h.Block
	if p.eligible != nil {
		h.Paused = reasonMap(p.eligible.paused)
	}
	h.Reason = r.whatIsWrong(p, now)
	switch {
	case h.Reason == reasonEligibility || h.Reason == reasonDivergence:
		h.Updated = time.Time{}
	case m != nil && r.shown.id == p.last.id && !p.updated.IsZero():
		h.Updated, h.State = p.updated, p.last.state
	}
	if h.Age = -1; !h.Updated.IsZero() {
		h.Age = now.Sub(h.Updated)
		r.metrics.age.Set(h.Age.Seconds())
	}
	r.metrics.lag.Set(float64(h.Lag))
}

const (
	reasonEligibility = "what may not be routed has not been received"
	reasonDivergence  = "indexers have different markets for one block, and it is not known where they differ"
)

// unmet is why no indexer is followed.
func (r *Replica) unmet(now time.Time) string {
	reason := "no indexer has been heard yet"
	for _, p := range r.peers {
		switch {
		case p.heard.IsZero():
		case now.Sub(p.heard) >= SilentAfter:
			reason = "no indexer is heard any more"
		case p.manifest == nil:
			reason = "the indexer's manifest has not been read"
		case p.fingerprint != r.commonSources(p):
			reason = "the indexer follows other sources"
		case p.offsetAt.IsZero():
			reason = "the indexer does not answer"
		default:
			reason = "the indexer's nodes have not confirmed its market"
		}
	}
	return reason
}

// whatIsWrong with what is followed; empty if nothing is.
func (r *Replica) whatIsWrong(p *peer, now time.Time) string {
	switch {
	case !r.Conn.IsConnected():
		return "no broker is reached"
	case now.Sub(p.heard) >= SilentAfter:
		return "the indexer is silent"
	case r.markets[p.last.id] == nil || r.resync:
		return "blocks are missing"
	case p.eligible == nil || p.eligibleAs != p.last.eligibility:
		return reasonEligibility
	case r.undecided(now):
		return reasonDivergence
	case !p.last.reachable:
		return "the indexer does not reach its nodes"
	}
	return ""
}
