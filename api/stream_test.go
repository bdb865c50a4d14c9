package api

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

// stage is a market that goes on at the test's word.
type stage struct {
	head    atomic.Pointer[market.Snapshot]
	changed atomic.Pointer[chan struct{}]
	updated atomic.Pointer[time.Time]
}

func newStage(t testing.TB) *stage {
	var g stage
	g.head.Store(testMarket(t))
	g.changed.Store(new(make(chan struct{})))
	g.updated.Store(new(now))
	return &g
}

func (g *stage) config(c *Config) {
	c.Head = g.head.Load
	c.Changed = func() <-chan struct{} { return *g.changed.Load() }
	c.Health = func() Health { return Health{Ready: true, Updated: *g.updated.Load()} }
}

// next publishes a block that left these pools behind.
func (g *stage) next(t testing.TB, pools ...venue.Pool) {
	last := g.head.Load()
	block := last.Block()
	block.Number++
	s, err := last.Next(block, pools, nil)
	if err != nil {
		t.Fatal(err)
	}
	g.head.Store(s)
	close(*g.changed.Swap(new(make(chan struct{}))))
}

// sold is a pool of the stage after somebody sold to it.
func (g *stage) sold(t testing.TB, pool int, amount u256.Int) venue.Pool {
	p, err := g.head.Load().Pools()[pool].Swap(0, 1, amount)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// filled is a pool of the stage with as much of both tokens.
func (g *stage) filled(pool int, amount u256.Int) venue.Pool {
	info := g.head.Load().Pools()[pool].Info()
	return univ2.NewPool(info.Source, common.HexToAddress(string(info.ID)), [2]common.Address(info.Tokens), amount, amount)
}

// listener reads the events of a stream.
type listener struct {
	t testing.TB
	r *bufio.Reader
}

type event struct{ id, kind, data, comment string }

func (s service) listen(query string) (listener, func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", s.URL+"/api/v1/stream"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := s.Client().Transport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" || res.Header.Get("Cache-Control") != "no-store" {
		s.t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	return listener{s.t, bufio.NewReader(res.Body)}, func() { cancel(); res.Body.Close() }
}

// next is the next answer; the blocks before it are left out.
func (l listener) next() event {
	l.t.Helper()
	for {
		if e := l.any(); e.kind != "block" && e.comment == "" {
			return e
		}
	}
}

// any is the next event or comment.
func (l listener) any() (e event) {
	l.t.Helper()
	for {
		line, err := l.r.ReadString('\n')
		if err != nil {
			l.t.Fatal(err)
		}
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			return e
		}
		field, value, _ := strings.Cut(line, ": ")
		switch field {
		case "id":
			e.id = value
		case "event":
			e.kind = value
		case "data":
			e.data = value
		case "":
			e.comment = value
		default:
			l.t.Fatalf("%q", line)
		}
	}
}

func (e event) code(t testing.TB) code {
	t.Helper()
	var p problemBody
	if err := json.Unmarshal([]byte(e.data), &p); err != nil || e.kind != "problem" {
		t.Fatalf("%+v: %v", e, err)
	}
	return p.Code
}

var toUSDC = params("tokenIn", wmon, "tokenOut", usdc, "amount", units(1, 18))

// TestStream: the answer of now, then each other one, and nothing between.
func TestStream(t *testing.T) {
	g := newStage(t)
	s := serve(t, g.config)
	l, stop := s.listen(toUSDC)
	defer stop()
	agrees := func(id string) {
		t.Helper()
		e := l.next()
		if want := strings.TrimSpace(string(s.get("/api/v1/quote" + toUSDC).raw)); e.kind != "quote" || e.id != id || e.data != want {
			t.Fatalf("%+v, want %s", e, want)
		}
	}
	agrees("19000123")
	g.next(t) // changes nothing, so says nothing
	time.Sleep(20 * time.Millisecond)
	g.next(t, g.sold(t, 1, units(300_000, 18)))
	agrees("19000125")

	g.updated.Store(new(now.Add(-time.Hour)))
	if e := l.next(); e.code(t) != stateStale || e.id != "" {
		t.Errorf("%+v", e)
	}
	g.updated.Store(new(now))
	agrees("19000125")
}

// TestStreamOfNoRoute: an error that the market may mend is an event.
func TestStreamOfNoRoute(t *testing.T) {
	g := newStage(t)
	s := serve(t, g.config)
	l, stop := s.listen(params("tokenIn", empty, "tokenOut", wmon, "amount", units(1, 18)))
	defer stop()
	if e := l.next(); e.code(t) != noRoute || e.id != "19000123" {
		t.Errorf("%+v", e)
	}
	g.next(t, g.filled(9, units(10, 18)))
	if e := l.next(); e.kind != "quote" || e.id != "19000124" {
		t.Errorf("%+v", e)
	}
}

// TestHeartbeat: a stream is never silent for longer than a heartbeat, though
// nothing changes, and however long its answer takes.
func TestHeartbeat(t *testing.T) {
	h := New(testConfig(t)).(*server)
	h.streams.heartbeat = 10 * time.Millisecond
	s := httptest.NewUnstartedServer(h)
	s.Config.ReadTimeout, s.Config.WriteTimeout = 20*time.Millisecond, 20*time.Millisecond // of requests, not of streams
	s.Start()
	defer s.Close()
	for range cap(h.streams.turns) { // nobody gets an answer now
		h.streams.turns <- struct{}{}
	}
	l, stop := service{s, t}.listen(toUSDC)
	defer stop()
	block := event{kind: "block", data: `{"number":19000123,"timestamp":1799999990,"sentAt":1800000000000}`}
	for range 10 {
		if e := l.any(); e != block {
			t.Errorf("%+v", e)
		}
	}
	for range cap(h.streams.turns) {
		<-h.streams.turns
	}
	if e := l.next(); e.kind != "quote" {
		t.Errorf("%+v", e)
	}
	if e := l.any(); e != block {
		t.Errorf("%+v", e)
	}
}

// TestHeartbeatWithoutMarket: where there is no block to name, a comment says
// that the service is there.
func TestHeartbeatWithoutMarket(t *testing.T) {
	c := testConfig(t)
	c.Head = func() *market.Snapshot { return nil }
	h := New(c).(*server)
	h.streams.heartbeat = time.Millisecond
	s := httptest.NewServer(h)
	defer s.Close()
	l, stop := service{s, t}.listen(toUSDC)
	defer stop()
	problems := 0
	for range 10 {
		switch e := l.any(); {
		case e == event{comment: "keep-alive"}:
		case e.code(t) == stateStale:
			problems++
		}
	}
	if problems != 1 {
		t.Errorf("told %d times that the market is being loaded", problems)
	}
}

// TestBlockBeforeItsQuote: the reader knows the block of every quote.
func TestBlockBeforeItsQuote(t *testing.T) {
	g := newStage(t)
	s := serve(t, g.config)
	l, stop := s.listen(toUSDC + "&include=meta") // which names the block: each is another answer
	defer stop()
	named := ""
	for quotes := 0; quotes < 20; {
		e := l.any()
		if e.kind == "block" {
			named = e.data[len(`{"number":`):][:8]
			continue
		}
		if e.kind != "quote" || e.id != named {
			t.Fatalf("block %s, then %+v", named, e)
		}
		quotes++
		g.next(t, g.sold(t, 1, units(10_000, 18)))
	}
}

// TestTooManyStreams: one client gets a quarter of them.
func TestTooManyStreams(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxStreams = 8 })
	l, stop := s.listen(toUSDC)
	l.next()
	_, stopAnother := s.listen(toUSDC)
	defer stopAnother()
	a := s.get("/api/v1/stream" + toUSDC)
	var p problemBody
	a.into(t, &p)
	if p.Code != rateLimited || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", a.status, a.header, a.raw)
	}
	stop()
	for {
		a = s.raw("HEAD", "/api/v1/stream"+toUSDC+"&slippage=1")
		if a.status == 200 {
			break
		}
		runtime.Gosched() // until the server has seen it leave
	}
	if a.header.Get("X-Warnings") != "UNKNOWN_PARAMETER;name=slippage" {
		t.Errorf("%v", a.header)
	}
}

// TestSlowReader: who does not read is cut off.
func TestSlowReader(t *testing.T) {
	g := newStage(t)
	c := testConfig(t)
	g.config(&c)
	h := New(c).(*server)
	h.streams.patience = 50 * time.Millisecond
	s := httptest.NewUnstartedServer(h)
	s.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		c.(*net.TCPConn).SetWriteBuffer(4 << 10)
		return ctx
	}
	s.Start()
	defer s.Close()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	conn.Write([]byte("GET /api/v1/stream" + toUSDC + " HTTP/1.1\r\nHost: x\r\n\r\n"))
	sides := []venue.Pool{g.head.Load().Pools()[1], g.sold(t, 1, units(1000, 18))}
	for h.streams.count() == 0 {
		runtime.Gosched()
	}
	for deadline := time.Now().Add(20 * time.Second); h.streams.count() > 0; {
		if time.Now().After(deadline) {
			t.Fatal("still there")
		}
		// Now one price, now another.
		sides[0], sides[1] = sides[1], sides[0]
		g.next(t, sides[0])
		time.Sleep(100 * time.Microsecond)
	}
}

// TestStreamsEnd: with the service, and leave nothing behind.
func TestStreamsEnd(t *testing.T) {
	g, closing := newStage(t), make(chan struct{})
	s := serve(t, g.config, func(c *Config) { c.Closing = closing })
	for i := range 20 {
		l, stop := s.listen(toUSDC)
		defer stop()
		l.next()
		if i%2 == 0 {
			stop()
		}
	}
	close(closing)
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		stacks := make([]byte, 1<<20)
		left := strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "api.(*feed).run")
		if left == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d streams are left", left)
		}
	}
	s.Close() // blocks while a request is open
}

// TestStreamsTakeTurns: however many streams want an answer, a request waits
// for few of them.
func TestStreamsTakeTurns(t *testing.T) {
	h := New(testConfig(t)).(*server)
	s := httptest.NewServer(h)
	defer s.Close()
	for range cap(h.semaphore) {
		h.semaphore <- struct{}{} // every core is taken
	}
	for i := range 20 {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.Write([]byte("GET /api/v1/stream" + params("tokenIn", wmon, "tokenOut", usdc, "amount", units(uint64(1+i), 18)) + " HTTP/1.1\r\nHost: x\r\n\r\n"))
	}
	waiting := func(what string) int {
		stacks := make([]byte, 1<<20)
		return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), what)
	}
	for deadline := time.Now().Add(5 * time.Second); waiting("api.(*feed).event") < 20; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the streams do not ask")
		}
	}
	if n := waiting("api.search["); n > cap(h.streams.turns) {
		t.Errorf("%d streams wait for a core, want %d", n, cap(h.streams.turns))
	}
	for range cap(h.semaphore) {
		<-h.semaphore
	}
}
