package feed

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"braid/market"
	"braid/venue"
)

const (
	compareEvery = 2 * time.Second // while indexers differ
	decideWithin = 2 * time.Second // to find where they do
)

// compareAll holds the heads of all other indexers to the markets that the followed one
// has for the same blocks. Where they differ, what both have and do not agree on is
// kept out of routes. What only one of them has is no contradiction: indexers learn of
// pools and tokens beside the blocks, each at its own pace.
func (r *Replica) compareAll(ctx context.Context, g *sync.WaitGroup) {
	now := time.Now()
	for _, p := range r.peers {
		if p == r.followed || p.heard.IsZero() || p.manifest == nil || p.fingerprint != r.sources {
			continue
		}
		if now.Sub(p.heard) >= SilentAfter {
			r.agree(p)
			continue
		}
		ours, known := r.ours(p.last.id.Hash)
		if !known {
			continue
		}
		if ours == p.last.id {
			r.agree(p)
			continue
		}
		if !p.differs {
			p.differs, p.since, p.contested = true, now, nil
			r.metrics.differs.WithLabelValues(p.name).Set(1)
			r.countOther("divergence")
		}
		if now.Before(p.compareAt) {
			continue
		}
		p.compareAt = now.Add(compareEvery)
		m, theirs, epoch, copied := r.markets[ours], p.last.id, p.epoch, *p
		storers := r.storers
		g.Go(func() {
			contested, err := r.findContested(ctx, &copied, storers, theirs, m)
			r.hand(func() { r.takeContested(p, epoch, contested, err) })
		})
	}
}

// countOther counts a fault that is no refused message.
func (r *Replica) countOther(reason string) {
	r.countFault(reason)
	r.metrics.rejected.WithLabelValues(reason).Inc()
}

// ours is the market that the followed indexer has for a block.
func (r *Replica) ours(hash [32]byte) (ID, bool) {
	for _, id := range slices.Backward(r.order) {
		if id.Hash == hash {
			return id, true
		}
	}
	return ID{}, false
}

func (r *Replica) agree(p *peer) {
	if p.differs {
		p.differs, p.contested, p.compareAt = false, nil, time.Time{}
		r.metrics.differs.WithLabelValues(p.name).Set(0)
	}
}

// findContested asks an indexer for the digests of a market, and gives the pools that
// differ, and those of tokens that do.
func (r *Replica) findContested(ctx context.Context, p *peer, storers []venue.Storer, theirs ID, m *market.Snapshot) (map[string]bool, error) {
	payload, err := r.askAll(ctx, p, request{kind: kindRecords, id: theirs})
	if err != nil {
		return nil, err
	}
	var list records
	if err := unpack(kindRecords, payload, list.fields); err != nil {
		return nil, err
	}
	if list.id != theirs {
		return nil, errPayload
	}
	return contestedPools(storers, m, &list), nil
}

func contestedPools(storers []venue.Storer, m *market.Snapshot, theirs *records) map[string]bool {
	have := make(map[Sum]Sum, len(theirs.list))
	for _, d := range theirs.list {
		have[d.of] = d.sum
	}
	differs := func(d recordDigest) bool {
		sum, both := have[d.of]
		return both && sum != d.sum
	}
	ours := recordsOf(storers, ID{}, m).list
	contested := map[string]bool{}
	tokens := map[[20]byte]bool{}
	for i, t := range m.Tokens() {
		if differs(ours[len(m.Pools())+i]) {
			tokens[t.Address] = true
		}
	}
	for i, p := range m.Pools() {
		bad := differs(ours[i])
		for _, a := range p.Info().Tokens {
			bad = bad || tokens[a]
		}
		if bad {
			contested[string(p.Info().ID)] = true
		}
	}
	return contested
}

// takeContested takes what two indexers do not agree on. Pools stay out of routes as
// long as the indexers differ at all: one that has disagreed is not believed again
// before their sums are equal.
func (r *Replica) takeContested(p *peer, epoch uint64, contested map[string]bool, err error) {
	if err != nil {
		r.reject(p, err)
		p.compareAt = time.Now().Add(decideWithin / 4)
		return
	}
	if !p.differs || p.epoch != epoch {
		return
	}
	if p.contested == nil {
		p.contested = map[string]bool{}
	}
	maps.Copy(p.contested, contested)
}

// contested are the pools that indexers do not agree on, separated by spaces.
func (r *Replica) contested() string {
	all := map[string]bool{}
	for _, p := range r.peers {
		maps.Copy(all, p.contested)
	}
	r.metrics.contested.Set(float64(len(all)))
	return strings.Join(slices.Sorted(maps.Keys(all)), " ")
}

// undecided tells whether indexers differ and it is not known where.
func (r *Replica) undecided(now time.Time) bool {
	for _, p := range r.peers {
		if p != r.followed && p.differs && p.contested == nil && now.Sub(p.since) > decideWithin {
			return true
		}
	}
	return false
}
