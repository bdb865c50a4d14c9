package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"braid/market"
)

var greedy, modest = netip.MustParsePrefix("10.0.0.1/32"), netip.MustParsePrefix("10.0.0.2/32")

// fill takes all slots, as searches that do not end. free ends them.
func (a *admission) fill(t testing.TB) (free func()) {
	var turns []*turn
	for i := range a.slots {
		_, turn := a.withTurn(t.Context(), netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), 32))
		if err := turn.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		turns = append(turns, turn)
	}
	return func() {
		for _, turn := range turns {
			turn.release()
		}
	}
}

func testAdmission(t *testing.T, slots, maxWaiting int) *admission {
	a := New(testConfig(t)).(*server).admission
	a.slots, a.share, a.maxWaiting = slots, slots, maxWaiting
	return a
}

// enter is the error of a request of a client, on a goroutine of its own.
func (a *admission) enter(t *testing.T, client netip.Prefix, do func()) <-chan error {
	result := make(chan error, 1)
	go func() {
		ctx, turn := a.withTurn(t.Context(), client)
		err := turn.enter(ctx)
		if err == nil {
			do()
			turn.release()
		}
		result <- err
	}()
	synctest.Wait()
	return result
}

// TestAdmissionIsFair: a client with few requests waits for few of another's,
// however many those are and whatever they take.
func TestAdmissionIsFair(t *testing.T) {
	for _, took := range []time.Duration{100 * time.Microsecond, time.Millisecond, 20 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			a := testAdmission(t, 1, 256)
			a.maxWait = time.Hour
			free := a.fill(t)
			var order []netip.Prefix // of the searches; one runs at a time
			for range 100 {
				a.enter(t, greedy, func() { time.Sleep(took); order = append(order, greedy) })
			}
			for range 5 {
				a.enter(t, modest, func() { time.Sleep(time.Millisecond); order = append(order, modest) })
			}
			free()
			time.Sleep(time.Minute)
			synctest.Wait()
			before, of := 0, 0 // the greedy client's searches before the modest one's last
			for _, c := range order {
				if c == greedy && of < 5 {
					before++
				} else if c == modest {
					of++
				}
			}
			// Both use the same time up to then, to within one search of each.
			if most := int(5*time.Millisecond/took) + 2; len(order) != 105 || before > most {
				t.Errorf("searches of %v: %d before the modest one's last of %d, want at most %d", took, before, len(order), most)
			}
			if len(a.clients) != 0 || a.running != 0 || a.waiting != 0 {
				t.Errorf("left: %d clients, %d run, %d wait", len(a.clients), a.running, a.waiting)
			}
		})
	}
}

// TestAdmissionShare: further searches of one client's requests do not get all slots;
// first ones do.
func TestAdmissionShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := testAdmission(t, 3, 256)
		a.share, a.maxWait = 2, time.Hour
		end := make(chan struct{})
		for range 10 {
			go func() {
				ctx, turn := a.withTurn(t.Context(), greedy)
				if turn.acquire(ctx) == nil {
					<-end
					turn.release()
				}
			}()
		}
		synctest.Wait()
		if running, _ := a.load(); running != 2 {
			t.Errorf("%d run", running)
		}
		for _, client := range []netip.Prefix{modest, greedy} {
			if err := <-a.enter(t, client, func() {}); err != nil {
				t.Error(err)
			}
		}
		close(end)
	})
}

// TestAdmissionSheds: when too many wait, the client with most of them loses one.
func TestAdmissionSheds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := testAdmission(t, 1, 4)
		a.maxWait = time.Hour
		free := a.fill(t)
		var waiting []<-chan error
		for range 4 {
			waiting = append(waiting, a.enter(t, greedy, func() {}))
		}
		if err := <-a.enter(t, greedy, func() {}); !errors.Is(err, errOverloaded) {
			t.Errorf("the greedy client's fifth: %v", err)
		}
		first := a.enter(t, modest, func() {})
		if err := <-waiting[3]; !errors.Is(err, errOverloaded) {
			t.Errorf("the greedy client's fourth after the modest one's first: %v", err)
		}
		second := a.enter(t, modest, func() {})
		if err := <-waiting[2]; !errors.Is(err, errOverloaded) {
			t.Errorf("the greedy client's third after the modest one's second: %v", err)
		}
		if err := <-a.enter(t, modest, func() {}); !errors.Is(err, errOverloaded) {
			t.Errorf("the modest one's third: %v", err)
		}
		free()
		for _, w := range []<-chan error{waiting[0], waiting[1], first, second} {
			if err := <-w; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestAdmissionWaits: a request waits for its first search for a limited time, and
// for later ones until its context ends.
func TestAdmissionWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := testAdmission(t, 1, 4)
		free := a.fill(t)
		began := time.Now()
		if err := <-a.enter(t, greedy, func() {}); !errors.Is(err, errOverloaded) || time.Since(began) != 200*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		ctx, turn := a.withTurn(ctx, greedy)
		began = time.Now()
		if err := turn.acquire(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		free()
		if len(a.clients) != 0 || a.running != 0 || a.waiting != 0 {
			t.Errorf("left: %d clients, %d run, %d wait", len(a.clients), a.running, a.waiting)
		}
	})
}

// TestOverload: a request that waits too long is rejected, what is cached or needs
// no search is not, and one that waits is answered from the newest block.
func TestOverload(t *testing.T) {
	c := testConfig(t)
	older := c.Head()
	b := older.Block()
	b.Number++
	newer, err := older.Next(b, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var head = older
	var mu sync.Mutex
	c.Head = func() *market.Snapshot { mu.Lock(); defer mu.Unlock(); return head }
	h := New(c).(*server)
	web := httptest.NewServer(h)
	defer web.Close()
	s := service{web, t}
	s.get(goodQuote)
	free := h.admission.fill(t)
	if a := s.get(goodQuote); a.status != 200 {
		t.Errorf("cached: %s", a.raw)
	}
	other := "/api/v1/quote" + params("tokenIn", wmon, "tokenOut", usdc, "amount", units(77, 18))
	a := s.get(other)
	if a.status != 503 || !strings.Contains(string(a.raw), `"OVERLOADED"`) || a.header.Get("Retry-After") != "1" {
		t.Errorf("%d %v %s", a.status, a.header, a.raw)
	}
	if a := s.get("/api/v1/tokens"); a.status != 200 {
		t.Errorf("tokens: %s", a.raw)
	}
	h.admission.maxWait = time.Minute
	answer := make(chan string)
	go func() { answer <- s.get(other).header.Get("X-Block-Number") }()
	for _, n := h.admission.load(); n == 0; _, n = h.admission.load() {
		time.Sleep(time.Millisecond)
	}
	mu.Lock()
	head = newer
	mu.Unlock()
	free()
	if block := <-answer; block != fmt.Sprint(b.Number) {
		t.Errorf("answered from block %s, want %d", block, b.Number)
	}
}

// TestOneSlot: requests that share results, and need several, do not wait for each
// other for ever.
func TestOneSlot(t *testing.T) {
	h := New(testConfig(t)).(*server)
	h.admission.slots, h.admission.share, h.admission.maxWait = 1, 1, time.Minute
	web := httptest.NewServer(h)
	defer web.Close()
	s := service{web, t}
	var g sync.WaitGroup
	for i := range 40 {
		g.Go(func() {
			path := "/api/v1/quote" + params("tokenIn", wmon, "tokenOut", usdc, "amount", units(uint64(1+i%3), 18), "include", "meta,why")
			if a := s.get(path); a.status != http.StatusOK {
				t.Errorf("%d %s", a.status, a.raw)
			}
		})
	}
	g.Wait()
	if running, waiting := h.admission.load(); running != 0 || waiting != 0 {
		t.Errorf("%d run, %d wait", running, waiting)
	}
}

func TestClient(t *testing.T) {
	c := testConfig(t)
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	s := New(c).(*server)
	for _, c := range []struct{ peer, forwarded, want string }{
		{"203.0.113.9:1", "", "203.0.113.9/32"},
		{"203.0.113.9:1", "198.51.100.7", "203.0.113.9/32"}, // not trusted
		{"127.0.0.1:1", "", "127.0.0.1/32"},
		{"127.0.0.1:1", "198.51.100.7", "198.51.100.7/32"},
		{"127.0.0.1:1", "1.2.3.4, 198.51.100.7", "198.51.100.7/32"}, // what stands before may be forged
		{"127.0.0.1:1", "198.51.100.7, 127.0.0.2", "198.51.100.7/32"},
		{"127.0.0.1:1", "198.51.100.7, nonsense", "127.0.0.1/32"},
		{"[fd00::1]:1", "2001:db8:1:2:3::4", "2001:db8:1:2::/64"},
		{"[::ffff:127.0.0.1]:1", "::ffff:198.51.100.7", "198.51.100.7/32"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := s.client(r).String(); got != c.want {
			t.Errorf("%s, %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}
