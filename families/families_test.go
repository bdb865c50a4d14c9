package families_test

import (
	"testing"

	"braid/families"
)

// TestSteps: every family has one kind of step, complete and of its own number.
func TestSteps(t *testing.T) {
	seen := map[byte]bool{}
	for _, k := range families.Steps() {
		if k.Number == 0 || k.Number >= 0x80 || seen[k.Number] {
			t.Errorf("kind %d is out of range or taken", k.Number)
		}
		if k.Length == nil || k.Pools == nil || k.Words == nil {
			t.Errorf("kind %d is not complete", k.Number)
		}
		seen[k.Number] = true
	}
}
