package api

import (
	"fmt"
	"strings"
	"testing"
)

// TestListsAreCut: a list that is too long is rejected for what its first items
// cost, however many it has.
func TestListsAreCut(t *testing.T) {
	for _, name := range []string{"include", "excludeSources"} {
		work := func(items int) float64 {
			var b strings.Builder
			for i := range items {
				fmt.Fprintf(&b, "%d,", i)
			}
			text := strings.TrimSuffix(b.String(), ",")
			return testing.AllocsPerRun(1, func() {
				q := &query{values: map[string]string{name: text}, rejected: map[string]bool{}}
				if got := q.list(name); items > 64 && (got != nil || len(q.errors) != 1 || !strings.Contains(q.errors[0].Message, "at most 64")) || items <= 64 && len(got) != items {
					t.Errorf("%s of %d items: %d items, %v", name, items, len(got), q.errors)
				}
			})
		}
		work(64)
		if few, many := work(65), work(1_000_000); many > few {
			t.Errorf("%s: %v allocations for 65 items, %v for a million", name, few, many)
		}
	}
}
