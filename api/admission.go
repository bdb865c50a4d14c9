package api

import (
	"context"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"time"
)

// admission decides which search runs next, and which request is rejected when
// more is asked than can be answered. It keeps these rules:
//
//   - At most one search runs per core, and one that waited lets goroutines go first
//     that are ready: those that read and write requests, and the follower's.
//   - Where two or more may run, requests that need many searches, such as /depth,
//     get all slots but one per client, so that the first search of another client
//     seldom waits for a long one.
//   - A request waits for its first search at most maxWait, and at most maxWaiting
//     requests wait; the others are rejected at once with OVERLOADED.
//   - Clients share the cores evenly: of the clients that wait, the one whose
//     searches took the least time comes first (start-time fair queueing).
//   - When too many wait, the client with most waiting requests loses one.
type admission struct {
	slots      int // searches that may run
	share      int // of them for the second and further searches of one client's requests
	maxWaiting int
	maxWait    time.Duration
	metrics    *admissionMetrics

	mu      sync.Mutex
	running int                          // searches
	waiting int                          // requests that wait for their first search
	clients map[netip.Prefix]*clientLoad // those that wait or search
	clock   time.Duration                // clientLoad.used of the client that was served last
}

// clientLoad is what one client waits for.
type clientLoad struct {
	used    time.Duration // by its searches, counted from the clock at its arrival
	running int
	queue   []*waiter // first come, first served
}

// waiter is a search that waits.
type waiter struct {
	first bool       // of its request: it may be rejected
	done  chan error // nil: it may run; holds one element
}

// assumedSearch is what a client is charged when a search begins, until the time
// it took is known: about the median of searches.
const assumedSearch = time.Millisecond

func newAdmission(maxWaiting int, maxWait time.Duration, m *admissionMetrics) *admission {
	slots := runtime.GOMAXPROCS(0)
	return &admission{
		slots: slots, share: max(slots-1, 1), maxWaiting: maxWaiting, maxWait: maxWait,
		metrics: m, clients: map[netip.Prefix]*clientLoad{},
	}
}

// turn is the place of one request in the admission. A nil turn admits anything.
// It is used by one goroutine at a time.
type turn struct {
	*admission
	client netip.Prefix
	holds  bool // a slot
	began  time.Time
}

type turnKey struct{}

// withTurn is a context whose searches wait for their turn as those of a client.
func (a *admission) withTurn(ctx context.Context, client netip.Prefix) (context.Context, *turn) {
	t := &turn{admission: a, client: client}
	return context.WithValue(ctx, turnKey{}, t), t
}

func turnOf(ctx context.Context) *turn {
	t, _ := ctx.Value(turnKey{}).(*turn)
	return t
}

// enter waits until the first search of a request may run. It fails with
// OVERLOADED when that takes too long.
func (t *turn) enter(ctx context.Context) error { return t.wait(ctx, true) }

// acquire waits until a search may run, unless the turn holds a slot already. It
// fails with the context's error only.
func (t *turn) acquire(ctx context.Context) error { return t.wait(ctx, false) }

// release gives the slot back, if the turn holds one. A request must not hold it
// while it waits for anything else.
func (t *turn) release() {
	if t == nil || !t.holds {
		return
	}
	t.holds = false
	took := time.Since(t.began)
	t.metrics.search.Observe(took.Seconds())
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.clients[t.client]
	c.used += took - assumedSearch
	c.running--
	t.running--
	t.forget(t.client, c)
	t.next()
}

func (t *turn) wait(ctx context.Context, first bool) error {
	if err := ctx.Err(); t == nil || t.holds || err != nil {
		return err
	}
	asked := time.Now()
	w, err := t.queue(first)
	if err == nil && w != nil {
		err = t.await(ctx, w)
		runtime.Gosched() // a goroutine that was just woken would run before others that are ready
	}
	t.metrics.wait.Observe(time.Since(asked).Seconds())
	if err == nil {
		t.holds, t.began = true, time.Now()
	}
	return err
}

// queue takes a slot, or joins the queue and returns a waiter.
func (t *turn) queue(first bool) (*waiter, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.clients[t.client]
	if c == nil {
		c = &clientLoad{used: t.clock}
		t.clients[t.client] = c
	}
	w := &waiter{first, make(chan error, 1)}
	if first && t.waiting >= t.maxWaiting && t.running >= t.slots {
		longest := t.longest()
		if longest == nil || longest.waiting() <= c.waiting()+1 {
			t.metrics.shed.WithLabelValues("queue full").Inc()
			t.forget(t.client, c)
			return nil, errOverloaded
		}
		t.reject(longest)
	}
	c.queue = append(c.queue, w)
	if first {
		t.waiting++
	}
	t.next()
	return w, nil
}

// await returns when the waiter may run, is rejected, or has waited too long.
func (t *turn) await(ctx context.Context, w *waiter) error {
	select {
	case err := <-w.done: // the usual case: no timer
		return err
	default:
	}
	var timeout <-chan time.Time
	if w.first {
		timer := time.NewTimer(t.maxWait)
		defer timer.Stop()
		timeout = timer.C
	}
	err := errOverloaded
	select {
	case err := <-w.done:
		return err
	case <-timeout:
	case <-ctx.Done():
		err = ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.clients[t.client]
	i := -1
	if c != nil {
		i = slices.Index(c.queue, w)
	}
	if i < 0 { // it was admitted or rejected meanwhile
		return <-w.done
	}
	t.remove(c, i)
	t.forget(t.client, c)
	if ctx.Err() == nil {
		t.metrics.shed.WithLabelValues("waited too long").Inc()
	}
	return err
}

// next lets searches run while there are slots: first that of the client whose
// searches took the least time.
func (a *admission) next() {
	for a.running < a.slots {
		var c *clientLoad
		var i int
		for _, other := range a.clients {
			if k := other.eligible(a.share); k >= 0 && (c == nil || other.used < c.used) {
				c, i = other, k
			}
		}
		if c == nil {
			return
		}
		w := c.queue[i]
		a.remove(c, i)
		a.clock = max(a.clock, c.used)
		a.running++
		c.running++
		c.used += assumedSearch
		w.done <- nil
	}
}

// eligible is the index of the search of a client that may run next, if there is a
// slot; -1 if there is none.
func (c *clientLoad) eligible(share int) int {
	if c.running < share && len(c.queue) > 0 {
		return 0
	}
	return slices.IndexFunc(c.queue, func(w *waiter) bool { return w.first })
}

// remove takes a waiter out of its queue.
func (a *admission) remove(c *clientLoad, i int) {
	if c.queue[i].first {
		a.waiting--
	}
	c.queue = slices.Delete(c.queue, i, i+1)
}

// forget drops a client that neither waits nor searches. When it comes again it
// has neither credit nor debt.
func (a *admission) forget(client netip.Prefix, c *clientLoad) {
	if c.running == 0 && len(c.queue) == 0 {
		delete(a.clients, client)
	}
}

// waiting is how many requests of a client wait for their first search.
func (c *clientLoad) waiting() (n int) {
	for _, w := range c.queue {
		if w.first {
			n++
		}
	}
	return n
}

// longest is the client with most waiting requests; nil if none waits.
func (a *admission) longest() (longest *clientLoad) {
	most := 0
	for _, c := range a.clients {
		if n := c.waiting(); n > most {
			longest, most = c, n
		}
	}
	return longest
}

// reject tells the newest waiting request of a client that there is no room.
func (a *admission) reject(c *clientLoad) {
	for i := len(c.queue) - 1; i >= 0; i-- {
		if w := c.queue[i]; w.first {
			a.remove(c, i)
			a.metrics.shed.WithLabelValues("queue full").Inc()
			w.done <- errOverloaded
			return
		}
	}
}

// load is how many searches run and how many requests wait, for the metrics.
func (a *admission) load() (running, waiting int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running, a.waiting
}
