package chain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
	"golang.org/x/time/rate"
)

const (
	// shortTimeout is for small answers: headers, and the logs of one block.
	shortTimeout = 2 * time.Second

	// longTimeout is for answers that take a node some work: reads, and logs of
	// many blocks.
	longTimeout = 15 * time.Second

	// maxAnswerBytes bounds the memory that an answer takes. No honest answer is
	// as long.
	maxAnswerBytes = 128 << 20
)

// node makes requests to one node. It is safe for concurrent use.
type node struct {
	index      int    // in Client.nodes
	host       string // the part of the URL that errors may show
	wsURL      string // for newHeads subscriptions
	httpURL    string // for requests over HTTP; empty if the node's URL is ws or wss
	rpc        *rpc.Client
	httpClient *http.Client
	limiter    *rate.Limiter
	count      *counters

	mu          sync.Mutex
	failures    int           // in a row
	pausedUntil time.Time     // no request before this time
	limitedAt   time.Time     // when the node last refused a request that was made after such a refusal
	height      uint64        // number of its head when it last told it
	refusedPage uint64        // smallest page of logs, in blocks, that it refused; 0: none
	latency     time.Duration // moving average of the time to an answer; each answer weighs 1/8
}

// dial connects by an http, https, ws or wss URL.
func dial(ctx context.Context, index int, rawURL string, config Config, m *metrics) (*node, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" {
		return nil, errors.New("node URL: want http, https, ws or wss://host[:port][/path]")
	}
	n := &node{index: index, host: u.Host, limiter: rate.NewLimiter(rate.Inf, 0), count: m.of(u.Host)}
	if config.Rate > 0 {
		n.limiter = rate.NewLimiter(rate.Limit(config.Rate), max(1, int(config.Rate)))
	}
	switch u.Scheme {
	case "http", "https":
		ws := *u
		ws.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
		n.wsURL, n.httpURL = ws.String(), rawURL
	case "ws", "wss":
		n.wsURL = rawURL
	default:
		return nil, fmt.Errorf("node %s: scheme %q: want http, https, ws or wss", u.Host, u.Scheme)
	}
	n.httpClient = &http.Client{Transport: &retryAfterTransport{node: n, base: &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true,
		DisableCompression: isLoopback(u.Hostname()), DialContext: config.dialContext,
	}}}
	if n.rpc, err = rpc.DialOptions(ctx, rawURL, rpc.WithHTTPClient(n.httpClient), rpc.WithWebsocketMessageSizeLimit(maxAnswerBytes)); err != nil {
		return nil, fmt.Errorf("node %s: not reachable: %w", n.host, sanitize(err))
	}
	return n, nil
}

// isLoopback tells whether a host is this machine. Answers from it are not
// compressed: that would take longer than to send them.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (n *node) close() {
	n.rpc.Close()
	n.httpClient.CloseIdleConnections()
}

// call makes a JSON-RPC request and decodes the answer into result.
func (n *node) call(ctx context.Context, timeout time.Duration, result any, method string, args ...any) error {
	return n.request(ctx, timeout, method, func(ctx context.Context) error { return n.rpc.CallContext(ctx, result, method, args...) })
}

// request calls do when the rate limit allows it, and again after a pause as long
// as the node is overloaded (ErrLimited). It waits for at most the timeout, and
// fails at once if that is too short. The timeout of an attempt begins when it is
// made: a request that had to wait does not look like one that is too large.
func (n *node) request(ctx context.Context, timeout time.Duration, method string, do func(context.Context) error) error {
	waits, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var err error
	for {
		if wait := n.throttle(waits); wait != nil {
			if err == nil && ctx.Err() == nil {
				wait = fmt.Errorf("%w: %s", ErrLimited, wait)
			}
			err = cmp.Or(err, wait)
			break
		}
		if err = n.attempt(ctx, timeout, do); !errors.Is(err, ErrLimited) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("node %s: %s: %w", n.host, method, err)
	}
	return nil
}

// attempt calls do once.
func (n *node) attempt(ctx context.Context, timeout time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	began := time.Now()
	err := do(ctx)
	clean := sanitize(err)
	n.recordOutcome(ctx, err, errors.Is(clean, ErrLimited), began)
	return clean
}

// throttle waits until the pause that the node asked for is over and the rate
// limit allows a request.
func (n *node) throttle(ctx context.Context) error {
	n.mu.Lock()
	pause := time.Until(n.pausedUntil)
	n.mu.Unlock()
	if pause > 0 {
		if end, _ := ctx.Deadline(); time.Until(end) < pause {
			return fmt.Errorf("it asked for a pause, of which %s are left", pause.Round(time.Millisecond))
		}
		if !sleep(ctx, pause) {
			return ctx.Err()
		}
	}
	return n.limiter.Wait(ctx)
}

// recordOutcome updates counters, latency and pauses after an attempt. A request
// that the caller cancelled says nothing about the node. Of requests under way at
// the same time, only the first that is refused makes the pause longer.
func (n *node) recordOutcome(ctx context.Context, err error, limited bool, began time.Time) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	took := now.Sub(began)
	switch {
	case limited:
		if began.After(n.limitedAt) {
			n.failures++
			n.limitedAt = now
			n.pauseFor(backoff(n.failures))
		}
		n.count.limited.Inc()
	case err == nil || isRPCError(err):
		n.failures = 0
		n.count.ok.Inc()
	default:
		n.failures++
		took = shortTimeout
		n.count.failed.Inc()
	}
	n.latency += (took - n.latency) / 8
}

// recordContradiction counts an answer that differs from that of a quorum, and
// moves the latency half way to shortTimeout, so that the node is asked later.
func (n *node) recordContradiction() {
	n.count.contradicted.Inc()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.latency += (shortTimeout - n.latency) / 2
}

// pauseFor allows no request for this long; of several pauses the one that ends
// last counts. The caller holds mu.
func (n *node) pauseFor(pause time.Duration) {
	if until := time.Now().Add(pause); until.After(n.pausedUntil) {
		n.pausedUntil = until
	}
}

// expectedLatency is the time to the next answer, as far as it can be foreseen.
func (n *node) expectedLatency() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.latency + max(0, time.Until(n.pausedUntil))
}

func (n *node) checkChain(ctx context.Context, want uint64) error {
	var id hexutil.Uint64
	if err := n.call(ctx, longTimeout, &id, "eth_chainId"); err != nil {
		return err
	}
	if uint64(id) != want {
		return fmt.Errorf("node %s: %w: it follows chain %d, not %d", n.host, ErrWrongChain, uint64(id), want)
	}
	return nil
}

// header requests a header by hash, number or tag, without transactions.
func (n *node) header(ctx context.Context, method string, which any) (Header, error) {
	var h *Header
	if err := n.call(ctx, shortTimeout, &h, method, which, false); err != nil {
		return Header{}, err
	}
	if h == nil {
		return Header{}, fmt.Errorf("node %s: %s %v: %w", n.host, method, which, ErrUnknownBlock)
	}
	if which == "latest" {
		n.reached(h.Number)
	}
	return *h, nil
}

func (n *node) headerByNumber(ctx context.Context, number uint64) (Header, error) {
	h, err := n.header(ctx, "eth_getBlockByNumber", hexutil.Uint64(number))
	if err == nil && h.Number != number {
		err = fmt.Errorf("node %s: asked for block %d, got %d", n.host, number, h.Number)
	}
	return h, err
}

// retryAfterTransport is an http.RoundTripper that obeys the Retry-After header
// of the node's answers, and cuts bodies off after maxAnswerBytes.
type retryAfterTransport struct {
	node *node
	base *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (l *retryAfterTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = http.MaxBytesReader(nil, answer.Body, maxAnswerBytes)
	if answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable {
		if pause := retryAfter(answer.Header.Get("Retry-After")); pause > 0 {
			l.node.mu.Lock()
			l.node.pauseFor(pause)
			l.node.mu.Unlock()
		}
	}
	return answer, nil
}

// CloseIdleConnections is called by http.Client.
func (l *retryAfterTransport) CloseIdleConnections() { l.base.CloseIdleConnections() }

// retryAfter reads the value of a Retry-After header, seconds or a date. It is cut
// to one minute: a node that needs longer can ask again.
func retryAfter(text string) time.Duration {
	pause := time.Duration(0)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		pause = time.Duration(seconds * float64(time.Second))
	} else if at, err := http.ParseTime(text); err == nil {
		pause = time.Until(at)
	}
	return min(pause, time.Minute)
}

// backoff is the pause before the next try, random within 50 to 100% of 100 ms
// times 2^failures, at most 4 s: random, so that clients do not retry together.
func backoff(failures int) time.Duration {
	const first, longest = 100 * time.Millisecond, 4 * time.Second
	pause := min(first<<min(failures, 10), longest)
	return pause/2 + rand.N(pause/2)
}

// sleep waits, and is false if ctx ended first.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
