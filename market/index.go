package market

import (
	"maps"
	"sync/atomic"
)

// index maps IDs of pools, or addresses of tokens, to their numbers. An index that is
// part of a snapshot is never changed: a block that adds keys gets an index of its
// own, which shares the map old and has its own copy of the small map recent.
type index[K comparable] struct{ old, recent map[K]int }

// maxRecent is the size of recent above which it is merged into a new map old. Each
// block that adds keys copies recent, so a larger value makes these blocks slower
// and merges, which copy everything, rarer.
const maxRecent = 1024

// of is the number of a key, if it has one.
func (x index[K]) of(k K) (int, bool) {
	if i, ok := x.recent[k]; ok {
		return i, true
	}
	i, ok := x.old[k]
	return i, ok
}

// extend is an index with the same keys, to whose map recent the caller may add
// more keys.
func (x index[K]) extend(more int) index[K] {
	if len(x.recent) <= maxRecent {
		recent := make(map[K]int, len(x.recent)+more)
		maps.Copy(recent, x.recent)
		return index[K]{x.old, recent}
	}
	old := x.recent
	if len(x.old) > 0 {
		old = make(map[K]int, len(x.old)+len(x.recent))
		maps.Copy(old, x.old)
		maps.Copy(old, x.recent)
	}
	return index[K]{old, make(map[K]int, more)}
}

// list is an immutable slice. A longer list that begins with it shares its memory,
// unless another list has already used the elements after its end.
type list[T any] struct {
	all  []T
	used *atomic.Int64 // how many elements of the memory are in use, by any list
}

// with is the list with more elements at its end.
func (l list[T]) with(more ...T) list[T] {
	n, end := len(l.all), len(l.all)+len(more)
	if end > cap(l.all) || !l.used.CompareAndSwap(int64(n), int64(end)) {
		l = list[T]{append(make([]T, 0, end+end/4), l.all...), new(atomic.Int64)}
		l.used.Store(int64(end))
	}
	return list[T]{append(l.all, more...), l.used}
}
