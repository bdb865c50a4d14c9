package feed

import (
	"crypto/ed25519"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"braid/market"
	"braid/monad"
	"braid/u256"
	"braid/venue"
)

// forge sends a message of the given kind under the name of an indexer.
func (g *rig) forge(c *nats.Conn, subject string, s sealer, k kind, sequence uint64, payload []byte) {
	g.Helper()
	for _, part := range s.message(k, sequence, payload, maxPart) {
		if err := c.Publish(subject, part); err != nil {
			g.Fatal(err)
		}
	}
}

// faults are how often a replica has refused a message for a reason. The metric must say
// the same as Health.
func (g *rig) faults(r *Replica, reason string) int {
	g.Helper()
	n := r.Health().Faults[reason]
	if m := valueOf(r.metrics.rejected.WithLabelValues(reason)); int(m) != n {
		time.Sleep(50 * time.Millisecond) // Run may have been between the two
		if n = r.Health().Faults[reason]; int(valueOf(r.metrics.rejected.WithLabelValues(reason))) != n {
			g.Errorf("%s: metric and Health differ", reason)
		}
	}
	return n
}

// TestForgedMessages: whatever is not an indexer's own newest word is refused, is
// counted, and changes no market.
func TestForgedMessages(t *testing.T) {
	g := newRig(t, 100, nil)
	x := g.start("a", true, nil)
	r := g.replica(nil)
	m := g.advance(5)
	g.await("the head", at(r, m))
	c := g.connect("forger")
	heard := make(chan []byte, 100)
	if _, err := c.Subscribe(x.sealer.head(), func(m *nats.Msg) { heard <- m.Data }); err != nil {
		t.Fatal(err)
	}
	old := <-heard
	wrong := head{id: ID{Sum: Sum{1, 2}}, number: 1 << 40, reachable: true}
	bogus := venue.Encode(wrong.fields)
	_, stranger, _ := ed25519.GenerateKey(nil)
	genuine := sealer{x.subjects, x.key, x.epoch}
	d := delta{fingerprint: x.fingerprint, base: x.last.id, block: market.Block{Number: 1 << 40, Hash: [32]byte{9}}, id: ID{Hash: [32]byte{9}, Sum: Sum{3, 4}}}
	future := genuine.message(kindHead, 1<<40, bogus, maxPart)[0]
	future[0] = Version + 1
	damaged := genuine.message(kindHead, 1<<40, bogus, maxPart)[0]
	damaged[len(damaged)-1]++
	subject := x.sealer.head()
	for _, row := range []struct {
		reason string
		send   func()
	}{
		{"signature", func() { g.forge(c, subject, sealer{x.subjects, stranger, x.epoch}, kindHead, 1<<40, bogus) }},
		{"signature", func() { g.forge(c, subject, sealer{subjects{1, "a"}, x.key, x.epoch}, kindHead, 1<<40, bogus) }}, // another chain
		{"signature", func() {
			g.forge(c, subject, sealer{subjects{monad.ChainID, "b"}, x.key, x.epoch}, kindHead, 1<<40, bogus)
		}},
		{"version", func() { c.Publish(subject, future) }},
		{"damaged", func() { c.Publish(subject, damaged) }},
		{"short", func() { c.Publish(subject, []byte{Version, 1}) }},
		{"kind", func() { g.forge(c, subject, genuine, kindBlock, 1<<40, bogus) }},
		{"replayed", func() { c.Publish(subject, old) }},
		{"epoch", func() { g.forge(c, subject, sealer{x.subjects, x.key, x.epoch - 1}, kindHead, 1<<40, bogus) }},
		{"payload", func() { g.forge(c, x.sealer.block(), genuine, kindBlock, 1<<40, []byte("poison")) }},
		{"sum", func() {
			g.forge(c, x.sealer.block(), genuine, kindBlock, 1<<41, pack(kindBlock, venue.Encode(d.fields)))
		}},
		{"fingerprint", func() {
			other := d
			other.fingerprint[0]++
			g.forge(c, x.sealer.block(), genuine, kindBlock, 1<<42, pack(kindBlock, venue.Encode(other.fields)))
		}},
	} {
		before := g.faults(r, row.reason)
		row.send()
		g.await(row.reason, func() bool { return g.faults(r, row.reason) > before })
		m := g.advance(5)
		g.await("the next head after "+row.reason, at(r, m))
		g.same(r.Head(), m)
	}
	if n := valueOf(r.metrics.resyncs); n < 2 { // the first load, and one after the wrong sum
		t.Errorf("%v whole markets loaded, want 2 or more", n)
	}
}

// TestFailover: when an indexer is cut off, replicas go on with another; when it comes
// back as another process, its earlier epoch is refused.
func TestFailover(t *testing.T) {
	g := newRig(t, 100, nil)
	a, b := g.start("a", true, nil), g.start("b", true, nil)
	r := g.replica(nil)
	g.await("the head", at(r, g.advance(5)))
	g.await("an indexer", func() bool { return r.Health().Indexer != "" })
	first, second := a, b
	if r.Health().Indexer == "b" {
		first, second = b, a
	}
	first.conn.Close()
	first.cancel()
	for range 5 {
		m := g.advance(5)
		g.await("the head of the other indexer", at(r, m))
		g.same(r.Head(), m)
	}
	if h := r.Health(); h.Indexer != second.Name || h.Reason != "" {
		t.Errorf("health %+v", h)
	}
	if n := valueOf(r.metrics.switches); n != 1 {
		t.Errorf("%v switches, want 1", n)
	}
}

// TestFenced: of two processes of one name the earlier stops, and replicas follow the
// later one.
func TestFenced(t *testing.T) {
	g := newRig(t, 100, nil)
	a := g.start("a", true, nil)
	r := g.replica(nil)
	g.await("the head", at(r, g.advance(5)))
	b := g.start("a", true, nil)
	if err := <-a.ended; !errors.Is(err, ErrFenced) {
		t.Fatalf("the earlier process ended with %v", err)
	}
	m := g.advance(5)
	g.await("the head of the later process", at(r, m))
	g.same(r.Head(), m)
	g.await("its epoch", func() bool { return r.Health().Epoch == b.epoch })
	if valueOf(a.metrics.fenced) != 1 || valueOf(b.metrics.fenced) != 0 {
		t.Error("the metric does not say which is fenced")
	}
}

// TestDivergence: a pool of which two indexers have different states is kept out of
// routes until they agree. If one of them does not say where they differ, there are no
// quotes.
func TestDivergence(t *testing.T) {
	g := newRig(t, 100, nil)
	a, b := g.start("a", true, nil), g.start("b", false, nil)
	r := g.replica(nil)
	both := func(n int) *market.Snapshot {
		parent := g.tip
		m := g.advance(n)
		b.follow(parent, m)
		return m
	}
	g.await("the head", at(r, both(5)))
	g.await("that both are met", func() bool {
		return valueOf(r.metrics.following.WithLabelValues("a"))+valueOf(r.metrics.following.WithLabelValues("b")) > 0
	})

	parent := g.tip
	m := g.advance(5)
	var wrong venue.Pool
	for _, p := range m.Pools() {
		if q, err := p.Swap(0, 1, u256.FromFloat(p.Depth(0)*0.01)); err == nil {
			wrong = q
			break
		}
	}
	other, err := m.Next(m.Block(), []venue.Pool{wrong}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.follow(parent, other)
	id := wrong.Info().ID
	withheldNow := func() bool {
		p, ok := r.Head().Pool(id)
		return ok && venue.Idle(p) == "indexers do not agree on its state"
	}
	g.await("that the pool is withheld", withheldNow)
	idle := 0
	for _, p := range r.Head().Pools() {
		if venue.Idle(p) == "indexers do not agree on its state" {
			idle++
		}
	}
	if n := valueOf(r.metrics.contested); idle != 1 || n != 1 || g.faults(r, "divergence") != 1 {
		t.Errorf("%d pools withheld, metric %v, faults %v", idle, n, r.Health().Faults)
	}
	b.Publish(nil, g.tip) // it has read all of it again
	next := g.advance(5)
	b.Publish(nil, next)
	b.set(next)
	g.await("that the pool is back", func() bool { return at(r, next)() && !withheldNow() })

	mute := b
	if r.Health().Indexer == "b" {
		mute = a
	}
	mute.cancel()
	<-mute.ended
	c := g.connect("half dead") // it sends heads and answers nothing
	liar := sealer{mute.subjects, mute.key, mute.epoch}
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for i := uint64(0); ; i++ {
			h := head{id: ID{Hash: next.Block().Hash, Sum: Sum{i, i}}, number: next.Block().Number, reachable: true}
			for _, part := range liar.message(kindHead, 1<<40+i, venue.Encode(h.fields), maxPart) {
				c.Publish(mute.sealer.head(), part)
			}
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	g.await("that there are no quotes", func() bool { h := r.Health(); return h.Reason == reasonDivergence && h.Updated.IsZero() })
}

// TestOtherSources: an indexer of other sources is not followed, and that is said.
func TestOtherSources(t *testing.T) {
	g := newRig(t, 100, nil)
	a := g.start("a", true, nil)
	r := g.replica(nil)
	g.await("the head", at(r, g.advance(5)))
	g.start("b", true, func(c *WriterConfig) { c.Manifest.Sources = c.Manifest.Sources[1:] })
	g.keys["b"] = nil
	second := g.replica(func(c *ReplicaConfig) {
		c.Keys = Keys{"b": {g.secrets["b"].Public().(ed25519.PublicKey)}, "a": g.keys["a"]}
	})
	g.await("a manifest", func() bool { return second.Manifest() != nil })
	g.await("that one is refused", func() bool { return g.faults(second, "fingerprint") > 0 })
	a.conn.Close()
	a.cancel()
	g.await("that the replica of a is told", func() bool { return r.Health().Reason == "the indexer is silent" })
}

// TestFullDisk: a broker that can store nothing more does not stop live blocks, nor a
// replica that starts.
func TestFullDisk(t *testing.T) {
	g := newRig(t, 300, func(o *server.Options) { o.JetStreamMaxStore = 48 << 10 })
	x := g.start("a", true, nil)
	r := g.replica(nil)
	full := func() bool { return valueOf(x.metrics.unacked) > 5 }
	for i := 0; i < 200 && !full(); i++ {
		m := g.advance(50)
		g.await("the head", at(r, m))
	}
	if !full() {
		t.Fatal("the disk is not full: nothing was tested")
	}
	m := g.advance(50)
	g.await("the head with a full disk", at(r, m))
	g.same(r.Head(), m)
	late := g.replica(nil)
	g.await("a replica that starts with a full disk", at(late, g.tip))
	g.same(late.Head(), g.tip)
	if valueOf(x.metrics.unstored) == 0 {
		t.Error("no metric says that whole markets are not stored")
	}
}

// TestClocks: clocks that began at other times, as those of other hosts, change no age;
// a head that was delayed is as old as it is.
func TestClocks(t *testing.T) {
	g := newRig(t, 100, nil)
	g.start("a", true, nil)
	r, r2 := g.replica(nil), g.replica(nil)
	g.await("the head", at(r, g.advance(5)))
	g.await("the head", at(r2, g.tip))
	for _, r := range []*Replica{r, r2} {
		if age := r.Health().Age; age < 0 || age > maxTestAge {
			t.Errorf("age %s", age)
		}
	}
	p := &peer{peerState: peerState{offset: -5 * time.Minute, offsetAt: time.Now()}}
	began := time.Now()
	p.noteHead(head{ageNs: int64(time.Second), sentNs: int64(5*time.Minute + 10*time.Second)}, began.Add(13*time.Second), began)
	if got, want := p.updated, began.Add(9*time.Second); got.Sub(want).Abs() > time.Millisecond {
		t.Errorf("a head delayed by 3 s counts as updated %s after the start, want 9 s", got.Sub(began))
	}
}

// TestBrokerRestarts: while the broker is away a replica keeps its market and says how
// old it is; afterwards it catches up.
func TestBrokerRestarts(t *testing.T) {
	g := newRig(t, 100, nil)
	g.start("a", true, nil)
	r := g.replica(nil)
	m := g.advance(5)
	g.await("the head", at(r, m))
	updated := r.Health().Updated
	port := g.Addr()
	g.Shutdown()
	g.WaitForShutdown()
	for range 20 {
		g.advance(5)
		time.Sleep(50 * time.Millisecond)
	}
	h := r.Health()
	if h.Reason == "" || h.Reachable || h.Updated.After(updated.Add(time.Second)) {
		t.Errorf("without a broker: %+v", h)
	}
	g.same(r.Head(), m)
	again, err := server.NewServer(g.options(port))
	if err != nil {
		t.Fatal(err)
	}
	again.Start()
	t.Cleanup(again.Shutdown)
	m = g.advance(5)
	g.await("the head after the broker's return", at(r, m))
	g.same(r.Head(), m)
	g.await("that all is well", func() bool { return r.Health().Reason == "" })
}

// TestEligibility: what an indexer keeps out of routes a replica keeps out too, for the
// same reason.
func TestEligibility(t *testing.T) {
	g := newRig(t, 100, nil)
	x := g.start("a", true, nil)
	r := g.replica(nil)
	g.await("the head", at(r, g.advance(5)))
	source := g.pairs.ID
	x.status.Store(&Status{Reachable: true, Updated: time.Now().Add(time.Hour), Paused: map[string]string{source: "by the operator"}})
	reasons := func() (paused, open int) {
		for _, p := range r.Head().Pools() {
			switch why := venue.Idle(p); {
			case p.Info().Source.ID == source && why == "paused: by the operator":
				paused++
			case p.Info().Source.ID == source || why != "":
				open++
			}
		}
		return paused, open
	}
	g.await("that the source is paused", func() bool { paused, open := reasons(); return paused > 10 && open == 0 })
	if h := r.Health(); h.Paused[source] != "by the operator" {
		t.Errorf("health %+v", h)
	}
	x.status.Store(nil)
	g.await("that it is not", func() bool { paused, _ := reasons(); return paused == 0 })
	g.same(r.Head(), g.tip)
}
