package indexer

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// trie is a persistent map from keys to values of bytes, ordered by key: a change
// gives another trie, which shares all but one path with the old one. It costs
// about 25 bytes for an entry besides key and value, and nothing while it is not
// changed. The zero value is empty.
//
// The bits of a key, from the first on, lead from the root to a leaf. A leaf with
// more than maxLeaf entries is split by the next bit. Versions share entries too: a
// change copies the list of those of its leaf, 16 bytes each, but not their bytes.
type trie struct {
	root  *trieNode
	count int
}

// trieNode has children, or it is a leaf. Nodes are never changed.
type trieNode struct {
	children [2]*trieNode
	leaf     *trieLeaf
}

type trieLeaf struct {
	packed []string // entries by key: key length as a uvarint, key, value
	live   []entry  // by key
}

// entry is a key and its value: bytes or, if live is set, what is costly to encode.
type entry struct {
	key, value []byte
	live       any
	packed     string // both as a leaf keeps them, if they come from one
}

const (
	maxLeaf  = 16  // entries
	maxDepth = 512 // bits; no keys are longer
)

// bit is the bit of a key that leads on from a depth.
func bit(key []byte, depth int) int {
	if depth/8 >= len(key) {
		return 0
	}
	return int(key[depth/8] >> (7 - depth%8) & 1)
}

// entries are those of a leaf, by key.
func (n *trieNode) entries() []entry {
	if n == nil {
		return nil
	}
	list := make([]entry, len(n.leaf.live), maxLeaf+1)
	copy(list, n.leaf.live)
	for _, text := range n.leaf.packed {
		list = append(list, unpackEntry(text))
	}
	if len(n.leaf.live) > 0 {
		slices.SortFunc(list, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	}
	return list
}

func packEntry(e entry) string {
	data := binary.AppendUvarint(make([]byte, 0, 2+len(e.key)+len(e.value)), uint64(len(e.key)))
	return string(append(append(data, e.key...), e.value...))
}

func unpackEntry(text string) entry {
	data := []byte(text)
	n, size := binary.Uvarint(data)
	end := size + int(n)
	return entry{key: data[size:end:end], value: data[end:], packed: text}
}

// newTrieNode is a node with these entries, sorted by key.
func newTrieNode(list []entry, depth int) *trieNode {
	if len(list) == 0 {
		return nil
	}
	if len(list) > maxLeaf && depth < maxDepth {
		at := slices.IndexFunc(list, func(e entry) bool { return bit(e.key, depth) == 1 })
		if at < 0 {
			at = len(list)
		}
		return &trieNode{children: [2]*trieNode{newTrieNode(list[:at], depth+1), newTrieNode(list[at:], depth+1)}}
	}
	leaf := &trieLeaf{}
	for _, e := range list {
		if e.live != nil {
			leaf.live = append(leaf.live, e)
		}
	}
	if packed := len(list) - len(leaf.live); packed > 0 {
		leaf.packed = make([]string, 0, packed)
	}
	for _, e := range list {
		switch {
		case e.live != nil:
			continue
		case e.packed == "":
			e.packed = packEntry(e)
		}
		leaf.packed = append(leaf.packed, e.packed)
	}
	return &trieNode{leaf: leaf}
}

func (n *trieNode) isLeaf() bool { return n == nil || n.leaf != nil }

// get is the entry with a key, if there is one.
func (t trie) get(key []byte) (entry, bool) {
	n := t.root
	for depth := 0; !n.isLeaf(); depth++ {
		n = n.children[bit(key, depth)]
	}
	if n == nil {
		return entry{}, false
	}
	prefix := packEntry(entry{key: key})
	if i := slices.IndexFunc(n.leaf.packed, func(text string) bool { return strings.HasPrefix(text, prefix) }); i >= 0 {
		return unpackEntry(n.leaf.packed[i]), true
	}
	if i := slices.IndexFunc(n.leaf.live, func(e entry) bool { return bytes.Equal(e.key, key) }); i >= 0 {
		return n.leaf.live[i], true
	}
	return entry{}, false
}

// put is the trie with an entry, which replaces that of its key.
func (t trie) put(e entry) trie {
	_, had := t.get(e.key)
	if !had {
		t.count++
	}
	t.root = t.root.change(e.key, &e, 0)
	return t
}

// remove is the trie without a key.
func (t trie) remove(key []byte) trie {
	if _, had := t.get(key); had {
		t.root = t.root.change(key, nil, 0)
		t.count--
	}
	return t
}

// change replaces the entry of a key; nil removes it.
func (n *trieNode) change(key []byte, e *entry, depth int) *trieNode {
	if !n.isLeaf() {
		next := &trieNode{children: n.children}
		child := &next.children[bit(key, depth)]
		if *child = (*child).change(key, e, depth+1); next.children == [2]*trieNode{} {
			return nil
		}
		return next
	}
	list := n.entries()
	at, found := slices.BinarySearchFunc(list, key, func(e entry, key []byte) int { return bytes.Compare(e.key, key) })
	if found {
		list = slices.Delete(list, at, at+1)
	}
	if e != nil {
		list = slices.Insert(list, at, *e)
	}
	return newTrieNode(list, depth)
}

// from calls do with the entries from a key on, in order, until it returns false.
func (t trie) from(key []byte, do func(entry) bool) { t.root.from(key, true, 0, do) }

// from visits a node. edge is set if the node is on the path of key, so that some
// of its entries may be below it.
func (n *trieNode) from(key []byte, edge bool, depth int, do func(entry) bool) bool {
	if n.isLeaf() {
		for _, e := range n.entries() {
			if bytes.Compare(e.key, key) >= 0 && !do(e) {
				return false
			}
		}
		return true
	}
	first := 0
	if edge {
		first = bit(key, depth)
	}
	for i := first; i < 2; i++ {
		if !n.children[i].from(key, edge && i == first, depth+1, do) {
			return false
		}
	}
	return true
}

// differences calls do with the keys at which two tries differ, and their entries
// there; nil for none. What the tries share is passed over at once.
func differences(old, new trie, do func(key []byte, before, after *entry)) {
	diffNodes(old.root, new.root, do)
}

func diffNodes(old, new *trieNode, do func(key []byte, before, after *entry)) {
	switch {
	case old == new:
		return
	case !old.isLeaf() && !new.isLeaf():
		for i := range old.children {
			diffNodes(old.children[i], new.children[i], do)
		}
		return
	}
	var before, after []entry
	collect := func(list *[]entry) func(entry) bool {
		return func(e entry) bool { *list = append(*list, e); return true }
	}
	old.from(nil, false, 0, collect(&before))
	new.from(nil, false, 0, collect(&after))
	for len(before)+len(after) > 0 {
		switch order := compareFirst(before, after); {
		case order < 0:
			do(before[0].key, &before[0], nil)
			before = before[1:]
		case order > 0:
			do(after[0].key, nil, &after[0])
			after = after[1:]
		default:
			if before[0].live != after[0].live || !bytes.Equal(before[0].value, after[0].value) {
				do(after[0].key, &before[0], &after[0])
			}
			before, after = before[1:], after[1:]
		}
	}
}

// compareFirst compares the first keys of two lists; an empty list comes last.
func compareFirst(a, b []entry) int {
	switch {
	case len(a) == 0:
		return 1
	case len(b) == 0:
		return -1
	}
	return bytes.Compare(a[0].key, b[0].key)
}
