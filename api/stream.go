package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"braid/market"
)

const (
	heartbeat       = time.Second     // the longest time between two events of a stream
	writeTimeout    = 3 * time.Second // after which a client that does not read is disconnected
	streamRetryWait = 5 * time.Second // the Retry-After of a stream that is rejected
)

// stream sends server-sent events until the client disconnects or does not read,
// or the service stops: the newest block at each block and at least once per
// heartbeat, and the quote at once and then whenever it has changed. An error that
// another snapshot may remove is an event too.
func (s *server) stream(w *response) error {
	req, err := s.parseQuote(w)
	if err != nil {
		return err
	}
	from := s.client(w.r)
	if !s.streams.open(from) {
		return &problem{code: rateLimited, detail: "too many streams are open", retryAfter: streamRetryWait}
	}
	defer s.streams.close(from)
	w.setWarnings()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // proxies are not to buffer it
	h.Add("Vary", "Accept-Encoding")
	sub := subscription{server: s, w: w, request: req, controller: http.NewResponseController(w), body: w, results: make(chan streamResult)}
	if acceptsGzip(w.r.Header) {
		h.Set("Content-Encoding", "gzip")
		compressed := &gzipStream{to: w}
		sub.body, sub.closeBody = compressed, compressed.close
	}
	w.WriteHeader(http.StatusOK)
	if w.r.Method == http.MethodHead {
		return nil
	}
	sub.run(w.r.Context())
	return nil
}

// subscription is one open stream: a request whose quote is sent again whenever it
// changes.
type subscription struct {
	*server
	w          *response
	request    request
	controller *http.ResponseController
	body       io.Writer
	closeBody  func() error // writes the end of the body; nil if it has none
	results    chan streamResult
	computing  bool         // a goroutine is computing the next result
	last       streamResult // the newest result
	block      uint64       // number in the last block event
}

// streamResult is a quote or a problem as an event without its id.
type streamResult struct {
	cache *snapshotCache // of the snapshot it was computed from; nil if there was none
	event []byte         // nil if the client disconnected first
	final bool           // the same snapshot always gives this result
}

// run computes results outside the loop that writes events, so that block events
// are not delayed by a search.
func (sub *subscription) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		if sub.computing {
			<-sub.results
		}
	}()
	ticker := time.NewTicker(sub.streams.heartbeat)
	defer ticker.Stop()
	changed := sub.Changed() // before the head is read, or a change between the two is missed
	err := sub.sendBlock()
	sub.compute(ctx, true)
	for err == nil {
		select {
		case <-changed:
			changed = sub.Changed()
			err = sub.sendBlock()
			sub.compute(ctx, false)
		case <-ticker.C:
			err = sub.sendBlock()
			sub.compute(ctx, true)
		case result := <-sub.results:
			sub.computing = false
			err = sub.sendResult(result)
			sub.compute(ctx, false)
		case <-ctx.Done():
			return
		case <-sub.Closing:
			sub.write(retryHint()) // an error means that the client has disconnected
			if sub.closeBody != nil {
				sub.closeBody()
			}
			return
		}
	}
}

// retryHint tells a client when to connect again, in milliseconds: not all at the
// same time.
func retryHint() []byte {
	return fmt.Appendf(nil, "retry: %d\n\n", 500+rand.IntN(2000))
}

// compute starts to compute the result of the newest snapshot, unless it is known
// or being computed. Without a snapshot, and where the same snapshot may give
// another result, it does so only at a heartbeat.
func (sub *subscription) compute(ctx context.Context, atHeartbeat bool) {
	c, err := sub.head()
	same := err == nil && c == sub.last.cache
	if sub.computing || same && sub.last.final || !atHeartbeat && (same || err != nil) {
		return
	}
	sub.computing = true
	go func() { sub.results <- sub.result(ctx) }()
}

// sendResult sends a result that differs from the last one, after the event of its
// block.
func (sub *subscription) sendResult(result streamResult) error {
	same := bytes.Equal(result.event, sub.last.event)
	sub.last = result
	if same || result.event == nil {
		return nil
	}
	var b []byte
	if result.cache != nil {
		block := result.cache.Block()
		if block.Number != sub.block {
			b = sub.appendBlock(b, block)
		}
		b = fmt.Appendf(b, "id: %d\n", block.Number)
	}
	return sub.write(append(b, result.event...))
}

// sendBlock sends the newest block, or a comment if there is no snapshot, so that a
// client can take silence for a failure.
func (sub *subscription) sendBlock() error {
	c, err := sub.head()
	if err != nil {
		return sub.write([]byte(": keep-alive\n\n"))
	}
	return sub.write(sub.appendBlock(nil, c.Block()))
}

func (sub *subscription) appendBlock(b []byte, block market.Block) []byte {
	sub.block = block.Number
	return fmt.Appendf(b, "event: block\ndata: {\"number\":%d,\"timestamp\":%d,\"sentAt\":%d}\n\n", block.Number, block.Time, sub.Now().UnixMilli())
}

// result waits for the turn of the stream's client and computes the result of the
// snapshot that is the newest then.
func (sub *subscription) result(ctx context.Context) streamResult {
	ctx, cancel := context.WithTimeout(ctx, sub.Timeout)
	defer cancel()
	ctx, turn := sub.admission.withTurn(ctx, sub.client(sub.w.r))
	defer turn.release()
	if turn.acquire(ctx) != nil {
		return streamResult{}
	}
	c, err := sub.head()
	body, err := sub.quote(ctx, c, err)
	if err == nil {
		return streamResult{c, fmt.Appendf(nil, "event: quote\ndata: %s\n\n", body), true}
	}
	p, body := sub.renderProblem(sub.w, err)
	return streamResult{c, fmt.Appendf(nil, "event: problem\ndata: %s\n\n", body), !classOf(p.code).Retryable}
}

// quote is the body of the quote as JSON. err is the error of reading the head.
func (sub *subscription) quote(ctx context.Context, c *snapshotCache, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	q, err := sub.quoteOn(ctx, c, sub.request)
	if err != nil {
		return nil, err
	}
	body, err := sub.quoteBody(ctx, q)
	if err != nil {
		return nil, err
	}
	return json.Marshal(body)
}

// write fails if the client does not read within the write timeout.
func (sub *subscription) write(b []byte) error {
	if err := sub.controller.SetWriteDeadline(time.Now().Add(sub.streams.writeTimeout)); err != nil {
		return err
	}
	if _, err := sub.body.Write(b); err != nil {
		return err
	}
	return sub.controller.Flush()
}

// streams counts the open streams. One client may have a quarter of them, so that
// it cannot keep all others out. With each block every stream needs a new result;
// its searches wait as those of other requests of its client.
type streams struct {
	heartbeat, writeTimeout time.Duration

	max  int
	mu   sync.Mutex
	all  int
	from map[netip.Prefix]int
}

func newStreams(limit int) streams {
	return streams{
		heartbeat: heartbeat, writeTimeout: writeTimeout,
		max: limit, from: map[netip.Prefix]int{},
	}
}

// open counts another stream of a client; false if it may not have one.
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

// close is to be called once for each stream that open has counted.
func (s *streams) close(from netip.Prefix) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.from[from]--; s.from[from] == 0 {
		delete(s.from, from)
	}
}
