// Package sequence is a list that never changes: a change makes another list, which shares most of its memory with the first.
package sequence

import (
	"slices"
	"sort"
)

// width is how many items a leaf has at most, or nodes an inner node. A change
// copies one node of each height: with half of it a list has twice as many
// nodes, with twice as much a change copies twice as much.
const width = 64

// narrow is the width below which a node that loses items is merged with a
// neighbour, so that the memory stays in proportion to the number of items. It
// is less than half of the width, or a node that was just divided would be
// merged at the next change.
const narrow = width / 3

// List is a list of items. It never changes, and any number of goroutines may
// use it. The zero value is empty. A list of up to width items is one slice.
type List[T any] struct{ root *node[T] }

// node is a leaf, which has items, or an inner node, which has nodes. All
// leaves are equally far from the root, and none is empty.
type node[T any] struct {
	items []T
	kids  []kid[T]
}

// kid is a node as its parent has it.
type kid[T any] struct {
	*node[T]
	end int // how many items the parent has up to the end of the node
}

// Of is a list of these items.
func Of[T any](items []T) List[T] { return List[T]{}.Splice(0, 0, items...) }

// Len is how many items there are.
func (l List[T]) Len() int {
	if l.root == nil {
		return 0
	}
	return l.root.size()
}

// At is item i.
func (l List[T]) At(i int) T { return l.Run(i)[0] }

// Run is item i with some or all of those that follow it, which are not to be
// changed: a loop over a list goes from run to run.
func (l List[T]) Run(i int) []T {
	n := l.root
	for n.kids != nil {
		k := n.kidOf(i)
		i -= n.before(k)
		n = n.kids[k].node
	}
	return n.items[i:]
}

// Slice is a copy of all items.
func (l List[T]) Slice() []T {
	all := make([]T, 0, l.Len())
	for len(all) < l.Len() {
		all = append(all, l.Run(len(all))...)
	}
	return all
}

// Search is the first place whose item fulfils a condition, as do all items
// behind it; Len if none does. The condition does not change the item.
func (l List[T]) Search(condition func(*T) bool) (at int) {
	n := l.root
	if n == nil {
		return 0
	}
	for n.kids != nil {
		kids := n.kids
		k := sort.Search(len(kids)-1, func(k int) bool { return condition(kids[k].last()) })
		at += n.before(k)
		n = kids[k].node
	}
	items := n.items
	return at + sort.Search(len(items), func(i int) bool { return condition(&items[i]) })
}

// Splice is the list with other items in the place of those from i up to j. It
// copies these and, of each height of the tree, a few nodes.
func (l List[T]) Splice(i, j int, items ...T) List[T] {
	root := l.root
	if root == nil {
		root = &node[T]{}
	}
	if n := len(root.items) - (j - i) + len(items); root.kids == nil && 0 < n && n <= width {
		return List[T]{newLeaf(slices.Concat(root.items[:i], items, root.items[j:]))}
	}
	nodes := root.splice(i, j, items)
	for len(nodes) > 1 {
		nodes = divided(nodes, newInner[T])
	}
	if len(nodes) == 0 {
		return List[T]{}
	}
	for root = nodes[0]; len(root.kids) == 1; {
		root = root.kids[0].node
	}
	return List[T]{root}
}

func (n *node[T]) size() int {
	if n.kids == nil {
		return len(n.items)
	}
	return n.kids[len(n.kids)-1].end
}

func (n *node[T]) width() int { return max(len(n.items), len(n.kids)) }

func (n *node[T]) last() *T {
	for n.kids != nil {
		n = n.kids[len(n.kids)-1].node
	}
	return &n.items[len(n.items)-1]
}

// before is how many items there are before node k.
func (n *node[T]) before(k int) int {
	if k == 0 {
		return 0
	}
	return n.kids[k-1].end
}

// kidOf is the node that has item i.
func (n *node[T]) kidOf(i int) int {
	return sort.Search(len(n.kids)-1, func(k int) bool { return n.kids[k].end > i })
}

// splice are the nodes that take the place of this one, all of its height.
func (n *node[T]) splice(i, j int, items []T) []*node[T] {
	if n.kids == nil {
		return divided(slices.Concat(n.items[:i], items, n.items[j:]), newLeaf[T])
	}
	first := n.kidOf(i)
	changed := n.kids[first].splice(i-n.before(first), min(j, n.kids[first].end)-n.before(first), items)
	last := first
	if j > n.kids[first].end {
		last = n.kidOf(j - 1)
		if j < n.kids[last].end {
			changed = append(changed, n.kids[last].splice(0, j-n.before(last), nil)...)
		}
	}
	nodes := make([]*node[T], 0, len(n.kids)+len(changed))
	for k := range n.kids[:first] {
		nodes = append(nodes, n.kids[k].node)
	}
	from := len(nodes)
	nodes = append(nodes, changed...)
	to := len(nodes)
	for k := range n.kids[last+1:] {
		nodes = append(nodes, n.kids[last+1+k].node)
	}
	return divided(balanced(nodes, from, to), newInner[T])
}

// balanced are the nodes after those from one up to another have changed. Where
// one was divided or has become narrow, the changed ones share what they have
// with a neighbour: so nodes are at least two thirds full as long as items are
// only added.
func balanced[T any](nodes []*node[T], from, to int) []*node[T] {
	if to == from || to == from+1 && nodes[from].width() >= narrow {
		return nodes
	}
	switch {
	case from > 0 && (to == len(nodes) || nodes[from-1].width() <= nodes[to].width()):
		from--
	case to < len(nodes):
		to++
	}
	return slices.Replace(nodes, from, to, shared(nodes[from:to])...)
}

// shared are as few nodes as can be over what these nodes have.
func shared[T any](nodes []*node[T]) []*node[T] {
	total := 0
	for _, n := range nodes {
		total += n.width()
	}
	if nodes[0].kids == nil {
		items := make([]T, 0, total)
		for _, n := range nodes {
			items = append(items, n.items...)
		}
		return divided(items, newLeaf[T])
	}
	inner := make([]*node[T], 0, total)
	for _, n := range nodes {
		for k := range n.kids {
			inner = append(inner, n.kids[k].node)
		}
	}
	return divided(inner, newInner[T])
}

// divided are as few nodes over a list of items or nodes as can be, all of about
// the same width.
func divided[T, N any](list []N, over func([]N) *node[T]) []*node[T] {
	parts := (len(list) + width - 1) / width
	nodes := make([]*node[T], parts)
	for i := range nodes {
		part := list[i*len(list)/parts : (i+1)*len(list)/parts]
		if parts > 1 {
			part = slices.Clone(part) // or one part keeps the memory of all
		}
		nodes[i] = over(part)
	}
	return nodes
}

func newLeaf[T any](items []T) *node[T] { return &node[T]{items: items} }

func newInner[T any](nodes []*node[T]) *node[T] {
	n := &node[T]{kids: make([]kid[T], len(nodes))}
	end := 0
	for k, child := range nodes {
		end += child.size()
		n.kids[k] = kid[T]{child, end}
	}
	return n
}
