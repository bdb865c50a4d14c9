package sequence

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// TestAgainstSlice holds lists to slices over many changes: a few items at once
// as well as very many, anywhere, at the ends, and in a run.
func TestAgainstSlice(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		var list List[int]
		var want []int
		most, next := 1<<(2+seed%13), 0
		for range 400 {
			i, n := 0, 0
			switch r.IntN(4) {
			case 0: // at the end
				i = len(want)
			case 1: // behind the last change
				i = min(next, len(want))
			default:
				i = r.IntN(len(want) + 1)
			}
			j := i
			if grow := len(want) < most/2 || len(want) < most && r.IntN(2) == 0; grow {
				n = 1 + r.IntN(1<<r.IntN(10))
			} else {
				j = i + r.IntN(min(len(want)-i, 1<<r.IntN(12))+1)
			}
			if r.IntN(4) == 0 {
				n, j = 1, min(i+1, len(want))
			}
			items := make([]int, n)
			for k := range items {
				items[k] = r.Int()
			}
			before, was := list, slices.Clone(want)
			list, want, next = list.Splice(i, j, items...), slices.Replace(want, i, j, items...), i+n
			check(t, list, want)
			if !slices.Equal(before.Slice(), was) {
				t.Fatalf("seed %d: the list before was changed", seed)
			}
		}
		if list = list.Splice(0, list.Len()); list.root != nil {
			t.Fatalf("seed %d: an empty list has nodes", seed)
		}
	}
}

// check holds a list and its tree to their laws.
func check(t *testing.T, list List[int], want []int) {
	t.Helper()
	if list.Len() != len(want) || !slices.Equal(list.Slice(), want) {
		t.Fatalf("%d items, not the %d wanted, or others", list.Len(), len(want))
	}
	for i := 0; i < len(want); i += 1 + len(want)/7 {
		if list.At(i) != want[i] {
			t.Fatalf("item %d is %d, not %d", i, list.At(i), want[i])
		}
	}
	if list.root != nil {
		height(t, list.root)
	}
}

// height is that of a node, all leaves of which must be equally far.
func height(t *testing.T, n *node[int]) int {
	t.Helper()
	if n.width() == 0 || n.width() > width || n.items != nil && n.kids != nil {
		t.Fatalf("a node of %d items and %d nodes", len(n.items), len(n.kids))
	}
	below, end := -1, 0
	for _, k := range n.kids {
		h := height(t, k.node)
		if end += k.size(); end != k.end || below >= 0 && h != below {
			t.Fatalf("a node ends at item %d, not %d, or has leaves %d and %d far", k.end, end, below, h)
		}
		below = h
	}
	return below + 1
}

// TestSearch finds each item of a sorted list, and places between them.
func TestSearch(t *testing.T) {
	for _, n := range []int{0, 1, 2, width, width + 1, 1000, 20_000} {
		items := make([]int, n)
		for i := range items {
			items[i] = 2 * i
		}
		list := Of(items)
		for i := range n {
			if at := list.Search(func(v *int) bool { return *v >= 2*i }); at != i {
				t.Fatalf("of %d items, %d is found at %d", n, i, at)
			}
		}
		if at := list.Search(func(*int) bool { return false }); at != n {
			t.Fatalf("of %d items, none is found at %d", n, at)
		}
	}
}

// TestWork: a change of a list of 30,000 items, wherever it is, copies little,
// and the list has few nodes. Items are added and removed in each of the ways
// that an order book knows.
func TestWork(t *testing.T) {
	const size, rounds = 30_000, 2000
	for _, c := range []struct {
		name  string
		place func(r *rand.Rand, i int) int
	}{
		{"first", func(*rand.Rand, int) int { return 0 }},
		{"last", func(_ *rand.Rand, i int) int { return i }},
		{"behind others", func(_ *rand.Rand, i int) int { return min(i, 40) }},
		{"anywhere", func(r *rand.Rand, i int) int { return r.IntN(i + 1) }},
	} {
		r := rand.New(rand.NewPCG(2, 3))
		var list List[[10]uint64]
		for i := range size {
			at := c.place(r, i)
			list = list.Splice(at, at, [10]uint64{})
		}
		if n := nodes(list.root); n > 2*size/width {
			t.Errorf("%s: %d nodes", c.name, n)
		}
		grown := allocated(func() {
			for i := range rounds {
				at := c.place(r, size)
				if i%2 == 0 {
					list = list.Splice(at, at, [10]uint64{})
				} else {
					at = min(at, list.Len()-1)
					list = list.Splice(at, at+1)
				}
			}
		}) / rounds
		if grown > 16<<10 {
			t.Errorf("%s: a change allocates %d bytes", c.name, grown)
		}
	}
}

func nodes[T any](n *node[T]) int {
	sum := 1
	for _, k := range n.kids {
		sum += nodes(k.node)
	}
	return sum
}

// allocated is how many bytes a function allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
