package indexer_test

import (
	"errors"
	"strings"
	"testing"

	"braid/u256"
	"braid/venue"
)

// The pools of a held source take nothing and keep their numbers. They are
// followed all the while, and come back as the chain has them.
func TestPause(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	pool := w.awaitHead().Pools()[0]
	source, id := pool.Info().Source.ID, pool.Info().ID
	head := func() venue.Pool { p, _ := w.index.Head().Pool(id); return p }
	held := func() bool {
		_, err := head().Quote(0, 1, u256.From(1000))
		return errors.Is(err, venue.ErrEmpty)
	}
	w.index.Hold("operator", map[string]string{source: "it moves"})
	w.index.Hold("audit", map[string]string{source: "it differs"})
	w.until("held", held)
	if why := w.index.Health().Paused[source]; why != "it differs; it moves" {
		t.Errorf("paused because %q", why)
	}
	if i, ok := head().(venue.Idler); !ok || !strings.HasPrefix(i.Idle(), "paused: it differs") {
		t.Error("the pool does not say that it is paused")
	}
	for _, p := range w.index.Head().Pools() {
		if same := p.Info().Source.ID == source; same != (p.Spot(0, 1) == 0) {
			t.Fatalf("pool %s of %s has price %v", p.Info().ID, p.Info().Source.ID, p.Spot(0, 1))
		}
	}
	w.mine(w.transferAndSync(pool, 12345)...)
	w.awaitHead()
	w.index.Hold("operator", nil)
	w.mine()
	if w.awaitHead(); !held() {
		t.Error("free, though one still holds it")
	}
	w.index.Hold("audit", nil)
	w.until("free", func() bool { return !held() })
	parity(t, w.node, w.awaitHead())
	if n := len(w.index.Health().Paused); n != 0 {
		t.Errorf("%d sources paused", n)
	}
}
