package api

import (
	"context"
	"errors"
	"sync"
)

// memo keeps answers by their questions, as many as maxKept. Equal questions
// at the same time are worked on once.
type resultCache[K comparable, V any] struct {
	mu      sync.Mutex
	entries map[K]*cacheEntry[V]
}

type cacheEntry[V any] struct {
	done      chan struct{} // closed when the rest stands
	value     V
	err       error
	abandoned bool // by whoever began it, without an answer
}

// maxKept bounds the memory that made-up questions can take.
const maxCacheEntries = 2048

// get asks do, unless the answer is there or another is working on it. An
// answer that comes too late for the caller is kept for the next one.
func (m *resultCache[K, V]) get(ctx context.Context, k K, do func(context.Context) (V, error)) (none V, _ error) {
	for {
		w, mine := m.entry(k)
		if mine {
			m.compute(ctx, k, w, do)
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

// join finds the work on a question; mine says that it is the caller's.
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

// lead does the work. What one caller had no time for, or broke down over, is
// no answer for the others.
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
