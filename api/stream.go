package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"time"
)

const (
	heartbeat   = 15 * time.Second
	lookAgain   = time.Second // a market gets old without a sign
	patience    = 3 * time.Second
	streamRetry = 5 * time.Second
)

// stream sends the quote at once and then whenever it is another, as
// server-sent events, until the reader leaves, does not read, or the service
// ends. What may change with the market is an event, also an error.
func (s *server) stream(x *exchange) error {
	a, err := s.askQuote(x)
	if err != nil {
		return err
	}
	from := client(x.r)
	if !s.streams.open(from) {
		return &problem{code: rateLimited, detail: "too many streams are open", retryAfter: streamRetry}
	}
	defer s.streams.close(from)
	x.showWarnings()
	h := x.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // for proxies that would wait for more
	x.WriteHeader(http.StatusOK)
	if x.r.Method == http.MethodHead {
		return nil
	}
	f := feed{server: s, x: x, ask: a, out: http.NewResponseController(x)}
	f.run(x.r.Context())
	return nil
}

// feed is one open stream.
type feed struct {
	*server
	x    *exchange
	ask  ask
	out  *http.ResponseController
	seen *desk  // what the last event was about; nil if it may change by itself
	sent []byte // the last event but for its id
}

func (f *feed) run(ctx context.Context) {
	look, beat := time.NewTicker(lookAgain), time.NewTicker(f.streams.heartbeat)
	defer look.Stop()
	defer beat.Stop()
	changed := f.Changed() // before the look at the head, or a change is missed
	for err := f.tell(ctx); err == nil; {
		select {
		case <-changed:
			changed = f.Changed()
			err = f.tell(ctx)
		case <-look.C:
			err = f.tell(ctx)
		case <-beat.C:
			err = f.write([]byte(": keep-alive\n\n"))
		case <-ctx.Done():
			return
		case <-f.Closing:
			return
		}
	}
}

// tell sends the answer of now, unless it is the one before.
func (f *feed) tell(ctx context.Context) error {
	if d, err := f.head(); err == nil && d == f.seen {
		return nil
	}
	d, event := f.event(ctx)
	if ctx.Err() != nil || bytes.Equal(event, f.sent) {
		return nil
	}
	f.sent = event
	if d == nil {
		return f.write(f.sent)
	}
	return f.write(append(fmt.Appendf(nil, "id: %d\n", d.Block().Number), f.sent...))
}

// event waits for the stream's turn and says what is true by then.
func (f *feed) event(ctx context.Context) (*desk, []byte) {
	select {
	case f.streams.turns <- struct{}{}:
		defer func() { <-f.streams.turns }()
	case <-ctx.Done():
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	d, err := f.head()
	body, err := f.quote(ctx, d, err)
	if err == nil {
		f.seen = d
		return d, fmt.Appendf(nil, "event: quote\ndata: %s\n\n", body)
	}
	p, body := f.server.tell(f.x, err)
	if f.seen = d; classOf(p.code).Retryable {
		f.seen = nil
	}
	return d, fmt.Appendf(nil, "event: problem\ndata: %s\n\n", body)
}

func (f *feed) quote(ctx context.Context, d *desk, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	t, err := f.answer(ctx, d, f.ask)
	if err != nil {
		return nil, err
	}
	body, err := f.quoteBody(ctx, t)
	if err != nil {
		return nil, err
	}
	return json.Marshal(body)
}

// write gives up on a reader that does not read.
func (f *feed) write(b []byte) error {
	if err := f.out.SetWriteDeadline(time.Now().Add(f.streams.patience)); err != nil {
		return err
	}
	if _, err := f.x.Write(b); err != nil {
		return err
	}
	return f.out.Flush()
}

// streams counts those that are open. One client gets a quarter of them at
// most, so that no one can keep all others out. With each block all of them
// want an answer: they take turns, and leave a core to requests where there
// are two.
type streams struct {
	heartbeat, patience time.Duration
	turns               chan struct{}

	max  int
	mu   sync.Mutex
	all  int
	from map[netip.Prefix]int
}

func newStreams(most int) streams {
	return streams{
		heartbeat: heartbeat, patience: patience, turns: make(chan struct{}, max(runtime.GOMAXPROCS(0)-1, 1)),
		max: most, from: map[netip.Prefix]int{},
	}
}

func (s *streams) open(from netip.Prefix) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= s.max || s.from[from] >= max(s.max/4, 1) {
		return false
	}
	s.all++
	s.from[from]++
	return true
}

func (s *streams) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

func (s *streams) close(from netip.Prefix) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.from[from]--; s.from[from] == 0 {
		delete(s.from, from)
	}
}
