package ticks

import (
	"slices"
	"sort"

	"braid/u256"
)

// The entries of a book are the leaves of a tree whose nodes never change. A
// position that gets or loses liquidity changes all entries between its two
// ticks; a subtree that lies between them as a whole is not copied, the change
// is noted where its parent points to it. So an event copies two paths of
// nodes, however many ticks there are. A book of up to maxWidth ticks is one
// leaf.

// maxWidth is how many entries a leaf has at most, or subtrees an inner node:
// so many entries fill the 8 kB that the allocator gives out as one. With half
// of it there are twice as many nodes, with twice as much an event copies twice
// as much of a leaf.
const maxWidth = 72

// entry is an initialised tick. Its liquidityNet is by how much active exceeds
// that of the entry below.
type entry struct {
	tick    int32
	outside [2]outside // fee growth outside the tick, by token: see FeeGrowth
	gross   half       // liquidityGross: of all positions that begin or end here
	active  half       // liquidity from this tick up to the next
	price   u256.Int   // sqrt price (Q64.96) where a step to it ends: the tick's, or the limit
	inverse u256.Int   // of price: see inverseOf
	root    float64    // price, as a float that is not shifted
}

// newEntry is a tick where no position begins or ends yet.
func newEntry(tick int32, active half) entry {
	e := entry{tick: tick, price: GetSqrtRatioAtTick(tick), active: active}
	switch tick {
	case MinTick:
		e.price = MinLimit
	case MaxTick:
		e.price = MaxLimit
	}
	e.inverse, e.root = inverseOf(e.price), e.price.Float()/0x1p96
	return e
}

// node is a leaf, which has entries by rising tick, or an inner node, which has
// subtrees. All leaves are equally far from the root.
type node struct {
	entries []entry
	inner   []subtree
}

func (n *node) width() int { return max(len(n.entries), len(n.inner)) }

// subtree is a node as its parent sees it, with what is to be added to every
// entry below it.
type subtree struct {
	*node
	first        int32 // its lowest tick
	before, size int32 // entries of the parent before it, and its own
	outside      [2]outside
	active       half
	low, high    half // bounds of active of its entries, what is to be added included
}

// newLeaf is the subtree of entries, of which there is at least one.
func newLeaf(entries []entry) subtree {
	s := subtree{node: &node{entries: entries}, first: entries[0].tick, size: int32(len(entries))}
	s.low, s.high = entries[0].active, entries[0].active
	for i := range entries {
		s.low, s.high = minHalf(s.low, entries[i].active), maxHalf(s.high, entries[i].active)
	}
	return s
}

// newInner is the subtree of subtrees, of which there is at least one.
func newInner(list []subtree) subtree {
	s := subtree{node: &node{inner: list}, first: list[0].first, low: list[0].low, high: list[0].high}
	for i := range list {
		k := &list[i]
		k.before = s.size
		s.size += k.size
		s.low, s.high = minHalf(s.low, k.low), maxHalf(s.high, k.high)
	}
	return s
}

// add adds to an entry what is to be added to all entries of its leaf.
func (e *entry) add(active half, earned [2]outside) {
	e.active = e.active.add(active)
	e.outside[0] |= earned[0]
	e.outside[1] |= earned[1]
}

// add notes what is to be added to all entries of the subtree.
func (s *subtree) add(active half, earned [2]outside) {
	s.active, s.low, s.high = s.active.add(active), s.low.add(active), s.high.add(active)
	s.outside[0] |= earned[0]
	s.outside[1] |= earned[1]
}

// opened is the node alone, with all that is to be added to its entries.
func (s *subtree) opened() *node {
	if s.active.isZero() && s.outside == [2]outside{} {
		return s.node
	}
	n := &node{entries: slices.Clone(s.entries), inner: slices.Clone(s.inner)}
	for i := range n.entries {
		n.entries[i].add(s.active, s.outside)
	}
	for i := range n.inner {
		n.inner[i].add(s.active, s.outside)
	}
	return n
}

// grouped are subtrees over a list of entries or subtrees of any length.
func grouped[T any](list []T, over func([]T) subtree) []subtree {
	parts := (len(list) + maxWidth - 1) / maxWidth
	made := make([]subtree, parts)
	for i := range made {
		from, to := i*len(list)/parts, (i+1)*len(list)/parts
		part := list[from:to:to]
		if parts > 1 {
			part = slices.Clone(part) // or one part keeps the memory of all
		}
		made[i] = over(part)
	}
	return made
}

// rooted is the root of a tree over subtrees of one height; nil without any.
func rooted(list []subtree) *node {
	if len(list) == 0 {
		return nil
	}
	for len(list) > 1 {
		list = grouped(list, newInner)
	}
	n := list[0].opened()
	for len(n.inner) == 1 {
		n = n.inner[0].opened()
	}
	return n
}

// joined replaces neighbours that are narrow together by one, in place: so the
// number of nodes stays in proportion to that of the entries.
func joined(list []subtree) []subtree {
	kept := list[:0]
	for _, s := range list {
		last := len(kept) - 1
		if last < 0 || kept[last].width()+s.width() > maxWidth/2 {
			kept = append(kept, s)
			continue
		}
		a, b := kept[last].opened(), s.opened()
		if a.inner != nil {
			kept[last] = newInner(append(a.inner, b.inner...))
		} else {
			kept[last] = newLeaf(append(a.entries, b.entries...))
		}
	}
	return kept
}

// run is the entries of a leaf with what is to be added to them. Entries are
// numbered from 0 over the whole book; start is the number of the first.
type run struct {
	entries []entry
	start   int
	active  half
	outside [2]outside
}

// enter goes to a subtree.
func (r *run) enter(s *subtree) *node {
	r.start += int(s.before)
	r.active = r.active.add(s.active)
	r.outside[0] |= s.outside[0]
	r.outside[1] |= s.outside[1]
	return s.node
}

// find is the number of the last entry at or below a tick, -1 if there is none,
// and its run.
func (b *Book) find(tick int32) (r run, i int) {
	n := b.root
	if n == nil {
		return run{}, -1
	}
	for n.inner != nil {
		list := n.inner
		n = r.enter(&list[max(0, sort.Search(len(list), func(i int) bool { return list[i].first > tick })-1)])
	}
	r.entries = n.entries
	return r, r.start + sort.Search(len(r.entries), func(i int) bool { return n.entries[i].tick > tick }) - 1
}

// seek makes the run that of entry i, which exists.
func (b *Book) seek(r *run, i int) {
	if uint(i-r.start) >= uint(len(r.entries)) {
		*r = b.runOf(i)
	}
}

func (b *Book) runOf(i int) (r run) {
	n := b.root
	for n.inner != nil {
		list, rest := n.inner, i-r.start
		n = r.enter(&list[sort.Search(len(list), func(k int) bool { return int(list[k].before) > rest })-1])
	}
	r.entries = n.entries
	return r
}

// at is entry i of the run, but for what is to be added to it.
func (r *run) at(i int) *entry { return &r.entries[i-r.start] }

// liquidity is active of entry i, 0 if i is -1.
func (r *run) liquidity(i int) half {
	if i < 0 {
		return half{}
	}
	return r.at(i).active.add(r.active)
}

// earned is outside of entry i.
func (r *run) earned(i, token int) outside { return r.at(i).outside[token] | r.outside[token] }

// size is the number of entries.
func (b *Book) size() int {
	switch {
	case b.root == nil:
		return 0
	case b.root.inner == nil:
		return len(b.root.entries)
	}
	last := &b.root.inner[len(b.root.inner)-1]
	return int(last.before + last.size)
}
