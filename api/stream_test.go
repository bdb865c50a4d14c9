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

// testChain is a market whose blocks the test publishes.
type testChain struct {
	head    atomic.Pointer[market.Snapshot]
	changed atomic.Pointer[chan struct{}]
	updated atomic.Pointer[time.Time]
}

func newTestChain(t testing.TB) *testChain {
	var c testChain
	c.head.Store(testMarket(t))
	c.changed.Store(new(make(chan struct{})))
	c.updated.Store(new(now))
	return &c
}

func (c *testChain) configure(config *Config) {
	config.Head = c.head.Load
	config.Changed = func() <-chan struct{} { return *c.changed.Load() }
	config.Health = func() Health { return Health{Ready: true, Updated: *c.updated.Load()} }
}

// publish publishes the next block, after which these pools have changed.
func (c *testChain) publish(t testing.TB, pools ...venue.Pool) {
	last := c.head.Load()
	block := last.Block()
	block.Number++
	s, err := last.Next(block, pools, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.head.Store(s)
	close(*c.changed.Swap(new(make(chan struct{}))))
}

// swapped is a pool of the head after a swap of its first token for its second.
func (c *testChain) swapped(t testing.TB, pool int, amount u256.Int) venue.Pool {
	p, err := c.head.Load().Pools()[pool].Swap(0, 1, amount)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// refilled is a pair of the head with that reserve of both tokens.
func (c *testChain) refilled(pool int, amount u256.Int) venue.Pool {
	info := c.head.Load().Pools()[pool].Info()
	return univ2.NewPool(info.Source, common.HexToAddress(string(info.ID)), [2]common.Address(info.Tokens), amount, amount)
}

// eventReader reads the events of a stream.
type eventReader struct {
	t testing.TB
	r *bufio.Reader
}

type event struct{ id, kind, data, comment string }

func (s service) openStream(query string) (eventReader, func()) {
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
	return eventReader{s.t, bufio.NewReader(res.Body)}, func() { cancel(); res.Body.Close() }
}

// nextResult is the next quote or problem; block events and comments before it are
// skipped.
func (r eventReader) nextResult() event {
	r.t.Helper()
	for {
		if e := r.nextEvent(); e.kind != "block" && e.comment == "" {
			return e
		}
	}
}

// nextEvent is the next event or comment.
func (r eventReader) nextEvent() (e event) {
	r.t.Helper()
	for {
		line, err := r.r.ReadString('\n')
		if err != nil {
			r.t.Fatal(err)
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
			r.t.Fatalf("%q", line)
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

// TestStream: a stream sends the current result, then each one that differs from the
// last.
func TestStream(t *testing.T) {
	chain := newTestChain(t)
	s := serve(t, chain.configure)
	events, stop := s.openStream(toUSDC)
	defer stop()
	expectQuote := func(id string) {
		t.Helper()
		e := events.nextResult()
		if want := strings.TrimSpace(string(s.get("/api/v1/quote" + toUSDC).raw)); e.kind != "quote" || e.id != id || e.data != want {
			t.Fatalf("%+v, want %s", e, want)
		}
	}
	expectQuote("19000123")
	chain.publish(t) // no pool changes, so no result is sent
	time.Sleep(20 * time.Millisecond)
	chain.publish(t, chain.swapped(t, 1, units(300_000, 18)))
	expectQuote("19000125")

	chain.updated.Store(new(now.Add(-time.Hour)))
	if e := events.nextResult(); e.code(t) != stateStale || e.id != "" {
		t.Errorf("%+v", e)
	}
	chain.updated.Store(new(now))
	expectQuote("19000125")
}

// TestStreamOfNoRoute: an error that a later snapshot may remove is an event.
func TestStreamOfNoRoute(t *testing.T) {
	chain := newTestChain(t)
	s := serve(t, chain.configure)
	events, stop := s.openStream(params("tokenIn", empty, "tokenOut", wmon, "amount", units(1, 18)))
	defer stop()
	if e := events.nextResult(); e.code(t) != noRoute || e.id != "19000123" {
		t.Errorf("%+v", e)
	}
	chain.publish(t, chain.refilled(9, units(10, 18)))
	if e := events.nextResult(); e.kind != "quote" || e.id != "19000124" {
		t.Errorf("%+v", e)
	}
}

// TestHeartbeat: block events are sent at each heartbeat even if nothing changes and
// however long the result takes.
func TestHeartbeat(t *testing.T) {
	h := New(testConfig(t)).(*server)
	h.streams.heartbeat = 10 * time.Millisecond
	s := httptest.NewUnstartedServer(h)
	s.Config.ReadTimeout, s.Config.WriteTimeout = 20*time.Millisecond, 20*time.Millisecond // limits of requests, which do not apply to streams
	s.Start()
	defer s.Close()
	free := h.admission.fill(t) // no stream can compute a result
	events, stop := service{s, t}.openStream(toUSDC)
	defer stop()
	block := event{kind: "block", data: `{"number":19000123,"timestamp":1799999990,"sentAt":1800000000000}`}
	for range 10 {
		if e := events.nextEvent(); e != block {
			t.Errorf("%+v", e)
		}
	}
	free()
	if e := events.nextResult(); e.kind != "quote" {
		t.Errorf("%+v", e)
	}
	if e := events.nextEvent(); e != block {
		t.Errorf("%+v", e)
	}
}

// TestHeartbeatWithoutMarket: without a snapshot, comments are sent instead of block
// events.
func TestHeartbeatWithoutMarket(t *testing.T) {
	c := testConfig(t)
	c.Head = func() *market.Snapshot { return nil }
	h := New(c).(*server)
	h.streams.heartbeat = time.Millisecond
	s := httptest.NewServer(h)
	defer s.Close()
	events, stop := service{s, t}.openStream(toUSDC)
	defer stop()
	problems := 0
	for range 10 {
		switch e := events.nextEvent(); {
		case e == event{comment: "keep-alive"}:
		case e.code(t) == stateStale:
			problems++
		}
	}
	if problems != 1 {
		t.Errorf("%d problems say that the market is being loaded, want 1", problems)
	}
}

// TestBlockBeforeItsQuote: the event of a block comes before a quote of that block.
func TestBlockBeforeItsQuote(t *testing.T) {
	chain := newTestChain(t)
	s := serve(t, chain.configure)
	events, stop := s.openStream(toUSDC + "&include=meta") // meta contains the block, so that every block gives another result
	defer stop()
	blockNumber := ""
	for quotes := 0; quotes < 20; {
		e := events.nextEvent()
		if e.kind == "block" {
			blockNumber = e.data[len(`{"number":`):][:8]
			continue
		}
		if e.kind != "quote" || e.id != blockNumber {
			t.Fatalf("block %s, then %+v", blockNumber, e)
		}
		quotes++
		chain.publish(t, chain.swapped(t, 1, units(10_000, 18)))
	}
}

// TestTooManyStreams: one client may have a quarter of all streams.
func TestTooManyStreams(t *testing.T) {
	s := serve(t, func(c *Config) { c.MaxStreams = 8 })
	events, stop := s.openStream(toUSDC)
	events.nextResult()
	_, stopAnother := s.openStream(toUSDC)
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
		runtime.Gosched() // until the server has noticed that the client disconnected
	}
	if a.header.Get("X-Warnings") != "UNKNOWN_PARAMETER;name=slippage" {
		t.Errorf("%v", a.header)
	}
}

// TestSlowReader: a client that does not read is disconnected.
func TestSlowReader(t *testing.T) {
	chain := newTestChain(t)
	c := testConfig(t)
	chain.configure(&c)
	h := New(c).(*server)
	h.streams.writeTimeout = 50 * time.Millisecond
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
	states := []venue.Pool{chain.head.Load().Pools()[1], chain.swapped(t, 1, units(1000, 18))}
	for h.streams.count() == 0 {
		runtime.Gosched()
	}
	for deadline := time.Now().Add(20 * time.Second); h.streams.count() > 0; {
		if time.Now().After(deadline) {
			t.Fatal("the stream is still open")
		}
		// The price alternates, so that every block gives another quote.
		states[0], states[1] = states[1], states[0]
		chain.publish(t, states[0])
		time.Sleep(100 * time.Microsecond)
	}
}

// TestStreamsEnd: streams end when the service stops, and no goroutine of them is
// left.
func TestStreamsEnd(t *testing.T) {
	chain, closing := newTestChain(t), make(chan struct{})
	s := serve(t, chain.configure, func(c *Config) { c.Closing = closing })
	for i := range 20 {
		events, stop := s.openStream(toUSDC)
		defer stop()
		events.nextResult()
		if i%2 == 0 {
			stop()
		}
	}
	close(closing)
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		stacks := make([]byte, 1<<20)
		left := strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "api.(*subscription).run")
		if left == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d streams are left", left)
		}
	}
	s.Close() // blocks while a request is open
}
