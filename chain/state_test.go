package chain

import (
	"testing"
	"time"
)

// The state of the head is the one that a quorum of nodes announced. News of blocks
// below the head do not move it.
func TestStateOfHead(t *testing.T) {
	heads := &headQuorum{quorum: 2, voters: make([]voter, 3)}
	for i, c := range []struct {
		node  int
		head  string
		state BlockState
		want  string
		is    BlockState
	}{
		{0, "9", Proposed, "", StateUnknown},
		{1, "9", StateUnknown, "9", StateUnknown}, // a node that tells no states
		{2, "9", Proposed, "9", Proposed},
		{0, "9", Finalized, "9", Proposed},
		{2, "9", Voted, "9", Voted},
		{2, "9", Proposed, "9", Voted}, // repeated
		{0, "10", Proposed, "9", Voted},
		{2, "10", Proposed, "10", Proposed},
		{2, "9", Finalized, "10", Proposed}, // below the head
		{0, "8", Finalized, "10", Proposed}, // never announced before
		{0, "10", Voted, "10", Proposed},
		{0, "11", Voted, "10", Proposed}, // the proposal was missed
		{2, "11", Voted, "11", Voted},
		{2, "11x", Voted, "9", StateUnknown}, // another branch: only nodes 0 and 1 agree, on an older block
	} {
		heads.observe(observation{node: c.node, head: namedHeader(c.head), state: c.state, at: time.Unix(1_000_000+int64(i), 0)})
		update, _ := heads.head()
		if (update.Err != nil) != (c.want == "") || c.want != "" && (update.Header != namedHeader(c.want) || update.State != c.is) {
			t.Errorf("step %d: block %d %q %v, want %s %q", i, update.Number, update.State, update.Err, c.want, c.is)
		}
	}
}
