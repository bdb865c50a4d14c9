package chain

import (
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
	// quick is how long a small answer may take: no head is worth waiting
	// longer for.
	quick = 2 * time.Second

	// patience is for answers that take a node some work.
	patience = 15 * time.Second

	// maxAnswer is more than a node sends, in bytes.
	maxAnswer = 128 << 20
)

// node is one node. Any number of goroutines may use it.
type node struct {
	no    int
	host  string
	ws    string // where newHeads can be asked for
	post  string // where questions are posted; empty without HTTP
	rpc   *rpc.Client
	web   *http.Client
	limit *rate.Limiter
	count *counters

	mu       sync.Mutex
	failures int           // in a row
	resting  time.Time     // not to be asked before
	pace     time.Duration // how long it takes to answer, of late
}

// dial connects by an http, https, ws or wss URL. The limit is in requests a
// second.
func dial(ctx context.Context, no int, rawURL string, limit float64, m *metrics) (*node, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" {
		return nil, errors.New("node URL: want http, https, ws or wss://host[:port][/path]")
	}
	n := &node{no: no, host: u.Host, limit: rate.NewLimiter(rate.Inf, 0), count: m.of(u.Host)}
	if limit > 0 {
		n.limit = rate.NewLimiter(rate.Limit(limit), max(1, int(limit)))
	}
	switch u.Scheme {
	case "http", "https":
		ws := *u
		ws.Scheme = "ws" + strings.TrimPrefix(u.Scheme, "http")
		n.ws, n.post = ws.String(), rawURL
	case "ws", "wss":
		n.ws = rawURL
	default:
		return nil, fmt.Errorf("node %s: scheme %q: want http, https, ws or wss", u.Host, u.Scheme)
	}
	n.web = &http.Client{Transport: &listener{node: n, to: &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second, ForceAttemptHTTP2: true,
		DisableCompression: local(u.Hostname()),
	}}}
	if n.rpc, err = rpc.DialOptions(ctx, rawURL, rpc.WithHTTPClient(n.web), rpc.WithWebsocketMessageSizeLimit(maxAnswer)); err != nil {
		return nil, fmt.Errorf("node %s: not reachable: %w", n.host, plain(err))
	}
	return n, nil
}

// local tells whether a host is this machine: what stays on it takes less time
// to send than to pack.
func local(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func (n *node) close() {
	n.rpc.Close()
	n.web.CloseIdleConnections()
}

func (n *node) call(ctx context.Context, within time.Duration, result any, method string, args ...any) error {
	return n.ask(ctx, within, method, func(ctx context.Context) error { return n.rpc.CallContext(ctx, result, method, args...) })
}

// ask makes a request when the limit allows it. Who could not be answered in
// time is told so at once.
func (n *node) ask(ctx context.Context, within time.Duration, method string, request func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	err := n.admit(ctx)
	if err == nil {
		began := time.Now()
		err = request(ctx)
		n.judge(ctx, err, time.Since(began))
	}
	if err != nil {
		return fmt.Errorf("node %s: %s: %w", n.host, method, plain(err))
	}
	return nil
}

// admit waits for the end of a rest that the node asked for, and for the limit.
func (n *node) admit(ctx context.Context) error {
	n.mu.Lock()
	pause := time.Until(n.resting)
	n.mu.Unlock()
	if pause > 0 {
		if end, _ := ctx.Deadline(); time.Until(end) < pause {
			return fmt.Errorf("it asked for rest, %s more", pause.Round(time.Millisecond))
		}
		if !sleep(ctx, pause) {
			return ctx.Err()
		}
	}
	return n.limit.Wait(ctx)
}

// judge learns from how a request went. What the asker gave up tells nothing.
func (n *node) judge(ctx context.Context, err error, took time.Duration) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case err == nil || answered(err) && !limited(err):
		n.failures = 0
		n.count.ok.Inc()
	case limited(err):
		n.failures++
		n.restFor(backoff(n.failures))
		n.count.limited.Inc()
	default:
		n.failures++
		took = quick
		n.count.failed.Inc()
	}
	n.pace += (took - n.pace) / 8
}

// distrust notes an answer that the others contradict.
func (n *node) distrust() {
	n.count.contradicted.Inc()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pace += (quick - n.pace) / 2
}

// restFor keeps the node from being asked; the longest rest counts.
func (n *node) restFor(pause time.Duration) {
	if until := time.Now().Add(pause); until.After(n.resting) {
		n.resting = until
	}
}

// eager is how soon an answer can be hoped for.
func (n *node) eager() time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.pace + max(0, time.Until(n.resting))
}

func (n *node) checkChain(ctx context.Context, want uint64) error {
	var id hexutil.Uint64
	if err := n.call(ctx, patience, &id, "eth_chainId"); err != nil {
		return err
	}
	if uint64(id) != want {
		return fmt.Errorf("node %s: %w: it follows chain %d, not %d", n.host, ErrWrongChain, uint64(id), want)
	}
	return nil
}

// header asks for a block by a hash, a number or a tag.
func (n *node) header(ctx context.Context, method string, which any) (Header, error) {
	var h *Header
	if err := n.call(ctx, quick, &h, method, which, false); err != nil {
		return Header{}, err
	}
	if h == nil {
		return Header{}, fmt.Errorf("node %s: %s %v: %w", n.host, method, which, ErrUnknownBlock)
	}
	return *h, nil
}

func (n *node) byNumber(ctx context.Context, number uint64) (Header, error) {
	h, err := n.header(ctx, "eth_getBlockByNumber", hexutil.Uint64(number))
	if err == nil && h.Number != number {
		err = fmt.Errorf("node %s: asked for block %d, got %d", n.host, number, h.Number)
	}
	return h, err
}

// listener hears what an HTTP answer says beside its body: when to come again.
// Of the body it passes on no more than a node has to say.
type listener struct {
	node *node
	to   *http.Transport
}

func (l *listener) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := l.to.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = http.MaxBytesReader(nil, answer.Body, maxAnswer)
	if answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable {
		if pause := retryAfter(answer.Header.Get("Retry-After")); pause > 0 {
			l.node.mu.Lock()
			l.node.restFor(pause)
			l.node.mu.Unlock()
		}
	}
	return answer, nil
}

func (l *listener) CloseIdleConnections() { l.to.CloseIdleConnections() }

// retryAfter reads seconds or a date. Up to a minute: who wants longer may say so
// again, and is often well before.
func retryAfter(text string) time.Duration {
	pause := time.Duration(0)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		pause = time.Duration(seconds * float64(time.Second))
	} else if at, err := http.ParseTime(text); err == nil {
		pause = time.Until(at)
	}
	return min(pause, time.Minute)
}

// backoff is longer after each failure, and never in step with others.
func backoff(failures int) time.Duration {
	const first, longest = 100 * time.Millisecond, 4 * time.Second
	pause := min(first<<min(failures, 10), longest)
	return pause/2 + rand.N(pause/2)
}

// sleep is false if ctx ended first.
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
