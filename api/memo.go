package api

import (
	"context"
	"errors"
	"sync"
)

// memo keeps answers by their questions, as many as maxKept. Equal questions
// at the same time are worked on once.
type memo[K comparable, V any] struct {
	mu   sync.Mutex
	kept map[K]*work[V]
}

type work[V any] struct {
	done  chan struct{} // closed when the rest stands
	value V
	err   error
	left  bool // by whoever began it, without an answer
}

// maxKept bounds the memory that made-up questions can take.
const maxKept = 2048

// get asks do, unless the answer is there or another is working on it. An
// answer that comes too late for the caller is kept for the next one.
func (m *memo[K, V]) get(ctx context.Context, k K, do func(context.Context) (V, error)) (none V, _ error) {
	for {
		w, mine := m.join(k)
		if mine {
			m.lead(ctx, k, w, do)
		}
		select {
		case <-w.done:
		case <-ctx.Done():
		}
		if err := ctx.Err(); err != nil {
			return none, err
		}
		if !w.left {
			return w.value, w.err
		}
	}
}

// join finds the work on a question; mine says that it is the caller's.
func (m *memo[K, V]) join(k K) (w *work[V], mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w := m.kept[k]; w != nil {
		return w, false
	}
	if m.kept == nil || len(m.kept) >= maxKept {
		m.kept = map[K]*work[V]{}
	}
	w = &work[V]{done: make(chan struct{})}
	m.kept[k] = w
	return w, true
}

// lead does the work. What one caller had no time for, or broke down over, is
// no answer for the others.
func (m *memo[K, V]) lead(ctx context.Context, k K, w *work[V], do func(context.Context) (V, error)) {
	w.left = true
	defer func() {
		if w.left {
			m.mu.Lock()
			if m.kept[k] == w {
				delete(m.kept, k)
			}
			m.mu.Unlock()
		}
		close(w.done)
	}()
	w.value, w.err = do(ctx)
	w.left = ctx.Err() != nil && errors.Is(w.err, ctx.Err())
}
