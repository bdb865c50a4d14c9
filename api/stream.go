package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"runtime"
	"sync"
	"time"

	"braid/market"
)

const (
	heartbeat   = time.Second // the longest silence of a stream that works
	patience    = 3 * time.Second
	streamRetry = 5 * time.Second
)

// stream sends server-sent events until the reader leaves, does not read, or
// the service ends: the newest block at each block and at least once a second,
// and the quote at once and then whenever it is another. An error that may
// change with the market is an event too.
func (s *server) stream(x *response) error {
	a, err := s.parseQuote(x)
	if err != nil {
		return err
	}
	from := client(x.r)
	if !s.streams.open(from) {
		return &problem{code: rateLimited, detail: "too many streams are open", retryAfter: streamRetry}
	}
	defer s.streams.close(from)
	x.setWarnings()
	h := x.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // for proxies that would wait for more
	h.Add("Vary", "Accept-Encoding")
	f := feed{server: s, x: x, ask: a, out: http.NewResponseController(x), body: x, answers: make(chan streamAnswer)}
	if acceptsGzip(x.r.Header) {
		h.Set("Content-Encoding", "gzip")
		zip := &gzipStream{to: x}
		f.body, f.end = zip, zip.close
	}
	x.WriteHeader(http.StatusOK)
	if x.r.Method == http.MethodHead {
		return nil
	}
	f.run(x.r.Context())
	return nil
}

// feed is one open stream.
type feed struct {
	*server
	x       *response
	ask     request
	out     *http.ResponseController
	body    io.Writer
	end     func() error // writes the end of the body; nil: it has none
	answers chan streamAnswer
	busy    bool         // an answer is being looked for
	last    streamAnswer // the newest that came
	block   uint64       // of the last block event
}

// streamAnswer is a quote or a problem as an event, but for its id.
type streamAnswer struct {
	desk  *snapshotCache // nil where there was no market to answer from
	event []byte         // nil where the reader left before
	final bool           // this market gives no other answer
}

// run looks for answers beside the loop that writes, so that blocks are told
// in time however long a search takes.
func (f *feed) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		if f.busy {
			<-f.answers
		}
	}()
	beat := time.NewTicker(f.streams.heartbeat)
	defer beat.Stop()
	changed := f.Changed() // before the look at the head, or a change is missed
	err := f.tellBlock()
	f.look(ctx, true)
	for err == nil {
		select {
		case <-changed:
			changed = f.Changed()
			err = f.tellBlock()
			f.look(ctx, false)
		case <-beat.C:
			err = f.tellBlock()
			f.look(ctx, true)
		case a := <-f.answers:
			f.busy = false
			err = f.tell(a)
			f.look(ctx, false)
		case <-ctx.Done():
			return
		case <-f.Closing:
			if f.end != nil {
				f.end() // the reader may have left: nothing to be done
			}
			return
		}
	}
}

// look starts to look for the answer of the newest market, unless there is
// one. A market that is missing, or whose answer may change by itself, is
// asked again at a beat only.
func (f *feed) look(ctx context.Context, beat bool) {
	d, err := f.head()
	same := err == nil && d == f.last.desk
	if f.busy || same && f.last.final || !beat && (same || err != nil) {
		return
	}
	f.busy = true
	go func() { f.answers <- f.event(ctx) }()
}

// tell sends an answer, unless it is the one before.
func (f *feed) tell(a streamAnswer) error {
	same := bytes.Equal(a.event, f.last.event)
	f.last = a
	if same || a.event == nil { // nil: the reader left
		return nil
	}
	var b []byte
	if a.desk != nil {
		block := a.desk.Block()
		if block.Number != f.block {
			b = f.appendBlock(b, block)
		}
		b = fmt.Appendf(b, "id: %d\n", block.Number)
	}
	return f.write(append(b, a.event...))
}

// tellBlock sends the newest block; a comment where there is none to answer
// from, so that silence always means a fault.
func (f *feed) tellBlock() error {
	d, err := f.head()
	if err != nil {
		return f.write([]byte(": keep-alive\n\n"))
	}
	return f.write(f.appendBlock(nil, d.Block()))
}

func (f *feed) appendBlock(b []byte, block market.Block) []byte {
	f.block = block.Number
	return fmt.Appendf(b, "event: block\ndata: {\"number\":%d,\"timestamp\":%d,\"sentAt\":%d}\n\n", block.Number, block.Time, f.Now().UnixMilli())
}

// event waits for the stream's turn and says what is true by then.
func (f *feed) event(ctx context.Context) streamAnswer {
	select {
	case f.streams.turns <- struct{}{}:
		defer func() { <-f.streams.turns }()
	case <-ctx.Done():
		return streamAnswer{}
	}
	ctx, cancel := context.WithTimeout(ctx, f.Timeout)
	defer cancel()
	d, err := f.head()
	body, err := f.quote(ctx, d, err)
	if err == nil {
		return streamAnswer{d, fmt.Appendf(nil, "event: quote\ndata: %s\n\n", body), true}
	}
	p, body := f.server.renderProblem(f.x, err)
	return streamAnswer{d, fmt.Appendf(nil, "event: problem\ndata: %s\n\n", body), !classOf(p.code).Retryable}
}

func (f *feed) quote(ctx context.Context, d *snapshotCache, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	t, err := f.quoteOn(ctx, d, f.ask)
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
	if _, err := f.body.Write(b); err != nil {
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
