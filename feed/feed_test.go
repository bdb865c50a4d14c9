package feed

import "testing"

// TestReplicaEqualsIndexer: a replica has every market of its indexer, equal in all that
// it holds; one that comes late too, and after reorgs.
func TestReplicaEqualsIndexer(t *testing.T) {
	g := newRig(t, 300, nil)
	x := g.start("a", true, nil)
	r := g.replica(nil)
	for range 30 {
		m := g.advance(20)
		g.await("the replica's head", at(r, m))
		g.same(r.Head(), m)
	}
	late := g.replica(nil)
	g.await("the late replica", at(late, g.tip))
	g.same(late.Head(), g.tip)
	fork := g.tip // a reorg: three blocks are replaced by four
	for range 3 {
		g.advance(5)
	}
	for range 4 {
		next := g.block(fork, 5)
		x.Publish(fork, next)
		fork = next
	}
	x.set(fork)
	for _, r := range []*Replica{r, late} {
		g.await("the other branch", at(r, fork))
		g.same(r.Head(), fork)
	}
	if h := r.Health(); h.Reason != "" || h.Indexer != "a" || h.Epoch == 0 || len(h.Faults) != 0 || h.Age > maxTestAge {
		t.Errorf("health %+v", h)
	}
}

const maxTestAge = 2e9 // ns; the machine may be busy
