package api

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/router"
	"braid/u256"
)

// resultCache caches results by key, at most maxCacheEntries of them. Concurrent
// calls with one key share one computation. Errors are cached like values.
type resultCache[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]*cacheEntry[V]
}

type cacheEntry[V any] struct {
	done      chan struct{} // closed when the other fields are final
	value     V
	err       error
	abandoned bool // the computation ended without a result for others: its caller's context ended, or it panicked
}

// maxCacheEntries bounds the memory that invented requests can take. A full cache
// is emptied: within the lifetime of a snapshot (one block) that is rare.
const maxCacheEntries = 2048

// get returns the result of do, from the cache if it is there, or when another
// call has computed it. It returns the context's error when that ends first;
// a computation that is under way is completed and cached for the next call.
func (m *resultCache[K, V]) get(ctx context.Context, k K, do func(context.Context) (V, error)) (none V, _ error) {
	for {
		w, mine := m.entry(k)
		if mine {
			m.compute(ctx, k, w, do)
		} else {
			turnOf(ctx).release() // another call may need the slot to complete the entry
		}
		select {
		case <-w.done:
		case <-ctx.Done():
		}
		if err := ctx.Err(); err != nil {
			return none, err
		}
		if !w.abandoned {
			return w.value, w.err
		}
	}
}

// has says whether a key is in the cache, or being computed.
func (m *resultCache[K, V]) has(k K) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries[k] != nil
}

// entry finds or adds the entry of a key; mine says that the caller added it and
// has to compute it.
func (m *resultCache[K, V]) entry(k K) (w *cacheEntry[V], mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w := m.entries[k]; w != nil {
		return w, false
	}
	if m.entries == nil || len(m.entries) >= maxCacheEntries {
		m.entries = map[K]*cacheEntry[V]{}
	}
	w = &cacheEntry[V]{done: make(chan struct{})}
	m.entries[k] = w
	return w, true
}

// compute completes an entry. If the caller's context ends or do panics, the entry
// is removed, and calls that wait for it compute it again.
func (m *resultCache[K, V]) compute(ctx context.Context, k K, w *cacheEntry[V], do func(context.Context) (V, error)) {
	w.abandoned = true
	defer func() {
		if w.abandoned {
			m.mu.Lock()
			if m.entries[k] == w {
				delete(m.entries, k)
			}
			m.mu.Unlock()
		}
		close(w.done)
	}()
	w.value, w.err = do(ctx)
	w.abandoned = ctx.Err() != nil && errors.Is(w.err, ctx.Err())
}

// snapshotCache is a snapshot with what has been computed from it. All of it is a
// function of the snapshot and the settings, and is dropped with the snapshot: it
// cannot be out of date, and nothing has to be invalidated.
type snapshotCache struct {
	*market.Snapshot
	listedTokens func() []listedToken
	sourceBodies func() []sourceBody
	tokenBodies  func() []marketTokenBody
	untried      func(tokenIn, tokenOut common.Address) int // see Config.Untried

	verifiedHops bool // Config.VerifiedHops

	plans        resultCache[searchKey, plan.Plan]
	rates        resultCache[pairKey, router.Rate]
	outputs      resultCache[searchKey, plan.Plan] // keys have the amount out
	bounds       resultCache[searchKey, u256.Int]
	maxAmounts   resultCache[searchKey, u256.Int] // the highest amounts in that can be routed; keys have amount 0
	minAmounts   resultCache[searchKey, u256.Int] // the lowest
	depths       resultCache[searchKey, []depthPoint]
	alternatives resultCache[searchKey, alternatives]
}

// searchKey is all that the result of a search depends on apart from the snapshot:
// the whole order.
type searchKey struct {
	in, out           common.Address
	amount            u256.Int
	excluded          string // ids of excluded sources, sorted, with commas between them
	maxHops, maxSteps int
	verifiedHops      bool
	budget            int
}

func (req *request) searchKey() searchKey {
	o := &req.Order
	return searchKey{o.TokenIn, o.TokenOut, o.AmountIn, idsOf(o.Exclude), o.MaxHops, o.MaxSteps, o.VerifiedHops, o.Budget}
}

// idsOf are the ids in a set, sorted, with commas between them.
func idsOf(set map[string]bool) string {
	ids := make([]string, 0, len(set))
	for id, in := range set {
		if in {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return strings.Join(ids, ",")
}

// cacheOf returns the cache of a snapshot. It is kept for the next request only
// if the snapshot is the newest.
func (s *server) cacheOf(snap *market.Snapshot) *snapshotCache {
	c := s.cache.Load()
	if c != nil && c.Snapshot == snap {
		return c
	}
	fresh := &snapshotCache{Snapshot: snap, untried: s.Untried, verifiedHops: s.VerifiedHops}
	fresh.listedTokens = sync.OnceValue(func() []listedToken { return listTokens(snap) })
	fresh.sourceBodies = sync.OnceValue(func() []sourceBody { return s.sourceBodies(fresh) })
	fresh.tokenBodies = sync.OnceValue(func() []marketTokenBody { return marketTokens(fresh) })
	if s.Head() == snap && !s.cache.CompareAndSwap(c, fresh) {
		if c = s.cache.Load(); c.Snapshot == snap {
			return c
		}
	}
	return fresh
}
