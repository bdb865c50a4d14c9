package indexer

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// A trie behaves as a sorted map, every version of it for ever, whatever the keys
// have in common; and differences are those of the maps.
func TestTrie(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		key := func() []byte {
			k := bytes.Repeat([]byte{byte(r.IntN(2))}, 20)
			for range r.IntN(4) {
				k[r.IntN(20)] = byte(r.IntN(4))
			}
			return k
		}
		type version struct {
			trie trie
			want map[string]string
		}
		now := version{want: map[string]string{}}
		var all []version
		for range 600 {
			next := version{now.trie, maps.Clone(now.want)}
			for range 1 + r.IntN(3) {
				k := key()
				if r.IntN(3) == 0 {
					next.trie = next.trie.remove(k)
					delete(next.want, string(k))
					continue
				}
				v := fmt.Sprint(r.Uint64())
				e := entry{key: k, value: []byte(v)}
				if r.IntN(4) == 0 {
					e.live = v
				}
				next.trie = next.trie.put(e)
				next.want[string(k)] = v
			}
			all = append(all, next)
			if now = next; r.IntN(10) == 0 {
				now = all[r.IntN(len(all))]
			}
		}
		for i, v := range all {
			keys := slices.Sorted(maps.Keys(v.want))
			start := key()
			at, _ := slices.BinarySearch(keys, string(start))
			rest := keys[at:]
			v.trie.from(start, func(e entry) bool {
				if len(rest) == 0 || rest[0] != string(e.key) || v.want[rest[0]] != string(e.value) {
					t.Fatalf("seed %d: version %d: entry %x, want %x", seed, i, e.key, rest)
				}
				rest = rest[1:]
				return true
			})
			if got, ok := v.trie.get(start); len(rest) > 0 || v.trie.count != len(keys) || string(got.value) != v.want[string(start)] || ok != (v.want[string(start)] != "") {
				t.Fatalf("seed %d: version %d: %d entries missing, %d of %d", seed, i, len(rest), v.trie.count, len(keys))
			}
			old := all[r.IntN(len(all))]
			patched := maps.Clone(old.want)
			differences(old.trie, v.trie, func(key []byte, before, after *entry) {
				if before != nil && old.want[string(key)] != string(before.value) || before == nil && old.want[string(key)] != "" {
					t.Fatalf("seed %d: %x was not %v", seed, key, before)
				}
				if delete(patched, string(key)); after != nil {
					patched[string(key)] = string(after.value)
				}
			})
			if !maps.Equal(patched, v.want) {
				t.Fatalf("seed %d: differences to version %d are incomplete", seed, i)
			}
		}
	}
}
