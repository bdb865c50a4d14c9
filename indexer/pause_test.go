package indexer_test

import (
	"errors"
	"strings"
	"testing"

	"braid/u256"
	"braid/venue"
)

// The pools of a paused source quote nothing and keep their indices. They are still
// followed, and are up to date when the source is resumed.
func TestPause(t *testing.T) {
	t.Parallel()
	w := newFixture(t, 0)
	pool := w.awaitHead().Pools()[0]
	source, id := pool.Info().Source.ID, pool.Info().ID
	head := func() venue.Pool { p, _ := w.index.Head().Pool(id); return p }
	paused := func() bool {
		_, err := head().Quote(0, 1, u256.From(1000))
		return errors.Is(err, venue.ErrEmpty)
	}
	w.index.Pause("operator", map[string]string{source: "it moves"})
	w.index.Pause("audit", map[string]string{source: "it differs"})
	w.until("paused", paused)
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
	w.index.Pause("operator", nil)
	w.mine()
	if w.awaitHead(); !paused() {
		t.Error("resumed, though one party still pauses it")
	}
	w.index.Pause("audit", nil)
	w.until("resumed", func() bool { return !paused() })
	parity(t, w.node, w.awaitHead())
	if n := len(w.index.Health().Paused); n != 0 {
		t.Errorf("%d sources paused", n)
	}
}
