package market

import (
	"maps"
	"sync/atomic"
)

// index finds the numbers of pools and tokens. It never changes: a block that
// adds some gives another one, which shares all but what came of late.
type index[K comparable] struct{ old, late map[K]int }

// many is how many may have come of late until all are put together.
const many = 1024

func (x index[K]) of(k K) (int, bool) {
	if i, ok := x.late[k]; ok {
		return i, true
	}
	i, ok := x.old[k]
	return i, ok
}

// open is the same index, with room for more in late, which is its own.
func (x index[K]) open(more int) index[K] {
	if len(x.late) <= many {
		late := make(map[K]int, len(x.late)+more)
		maps.Copy(late, x.late)
		return index[K]{x.old, late}
	}
	old := x.late
	if len(x.old) > 0 {
		old = make(map[K]int, len(x.old)+len(x.late))
		maps.Copy(old, x.old)
		maps.Copy(old, x.late)
	}
	return index[K]{old, make(map[K]int, more)}
}

// list is a slice that never changes: what is added stands behind it, in the
// same memory if that place is free yet.
type list[T any] struct {
	all  []T
	used *atomic.Int64 // of the memory, by all lists in it
}

func (l list[T]) and(more ...T) list[T] {
	n, end := len(l.all), len(l.all)+len(more)
	if end > cap(l.all) || !l.used.CompareAndSwap(int64(n), int64(end)) {
		l = list[T]{append(make([]T, 0, end+end/4), l.all...), new(atomic.Int64)}
		l.used.Store(int64(end))
	}
	return list[T]{append(l.all, more...), l.used}
}
