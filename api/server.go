// Package api serves quotes and swaps over HTTP as JSON: the endpoints, the error table and the OpenAPI document.
//
// A request loads the newest snapshot once and uses only that one, so every
// number of an answer belongs to one block. No request waits for the network.
//
// Amounts are integers in raw units of their token (the smallest unit, as in
// ERC-20's balanceOf), written in decimal. Prices in USD are floats per raw
// unit; they inform, and no amount of a quote is computed from them.
package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/prometheus/client_golang/prometheus"

	"braid/calldata"
	"braid/market"
	"braid/venue"
)

// Config is what New needs to serve the API: where the state comes from, what
// it may route through, and limits. Zero values mean the defaults named below.
type Config struct {
	Head      func() *market.Snapshot                    // the newest snapshot; nil until one is loaded
	Changed   func() <-chan struct{}                     // a channel that is closed when Head changes; nil: streams poll Head every second
	Draining  <-chan struct{}                            // closed when the service is about to stop: it is not ready any more, and still answers; nil: never
	Closing   <-chan struct{}                            // closed when streams are to end; nil: never
	Health    func() Health                              // how far the snapshot is behind the chain
	Proofs    func() map[string]Proofs                   // what trials told of pools, by source; nil, or nil result: pools need no proof
	Untried   func(tokenIn, tokenOut common.Address) int // pools of a pair that are not routed because no trial has told of them yet; nil: none
	Sources   []venue.Source                             // liquidity sources that are routed, in the order in which they are listed
	Retired   []venue.Source                             // sources that are not routed; excludeSources still accepts their ids
	Contracts calldata.Contracts                         // addresses that transactions are encoded for

	// Receipts reads a transaction from nodes, with a budget of its own; nil if none knows
	// the hash. Without it /receipt is not served.
	Receipts func(context.Context, common.Hash) (*Receipt, error)

	Page     http.Handler         // serves /, /market, /docs and /assets/; nil: nothing there
	Log      *slog.Logger         // nil: nothing is logged
	Registry *prometheus.Registry // what /metrics shows; nil: the API's own metrics alone
	Version  string               // of this program, for /version
	Contact  string               // URI for security reports; empty: no security.txt
	Public   string               // URL under which the service is reached, without a trailing slash; empty: not known
	Now      func() time.Time     // nil: time.Now

	MaxSteps      int           // most steps (pool swaps) of a plan; 0: router.DefaultMaxSteps
	VerifiedHops  bool          // intermediate tokens of a route must be verified
	MaxImpactBps  int           // /swap refuses a higher price impact, in 1/10000, unless the request sets its own limit; 0: 5000
	StaleAfter    time.Duration // age of the snapshot from which no quotes are given; 0: 30 s
	Timeout       time.Duration // time from the arrival of a request to its answer; 0: 5 s
	RatePerSecond float64       // requests that one client network may send; 0: no limit
	MaxStreams    int           // streams open at the same time, of all clients; 0: 256
	MaxWaiting    int           // requests that wait for a core at the same time; 0: 256
	MaxWait       time.Duration // how long a request may wait for a core; 0: 200 ms

	TrustedProxies []netip.Prefix // networks whose X-Forwarded-For is believed
	AccessLog      bool           // log every request
}

// Health says how far the newest snapshot is behind the chain, and why.
type Health struct {
	Ready     bool        // quotes can be given
	Reason    string      // what is wrong now, in one line, for the operator: it may name nodes; empty: nothing
	Joining   string      // how far the first market has come, in one line; empty: it is there
	Reachable bool        // a node answered the last call
	Block     uint64      // number of the newest block whose logs are applied
	Hash      common.Hash // of that block
	State     string      // of that block: proposed, voted or finalized; empty: the nodes do not tell
	Lag       uint64      // blocks by which the nodes' head is ahead of Block
	Updated   time.Time   // when the snapshot was last confirmed to be that of the nodes' head; zero: never

	Paused  map[string]string // source id -> why the source is kept out of routes
	Waiting map[string]int    // reason -> pools that may hold liquidity and are not in the market yet

	Feed *Feed // of a replica, which has its market from an indexer; else nil
}

// Feed says which indexer a replica follows, and how closely. Reason of its Health is
// one of a few texts that name no node.
type Feed struct {
	Indexer   string         `json:"indexer"`   // name; empty: none
	Epoch     uint64         `json:"epoch"`     // of the indexer's process
	LagBlocks uint64         `json:"lagBlocks"` // blocks by which the nodes are ahead of the market
	AgeMs     int64          `json:"ageMs"`     // since the nodes are known to have confirmed the market; -1: not known
	Faults    map[string]int `json:"faults"`    // messages refused and other faults so far, by reason
}

// Proofs counts the pools of a source that can be traded: Proved ones paid in a trial what
// they are quoted to pay, Refused ones did not, and Untried ones were not tried yet. Only
// proved ones are routed.
type Proofs struct {
	Proved  int    `json:"proved"`
	Refused int    `json:"refused"`
	Untried int    `json:"untried"`
	Reason  string `json:"reason"` // why one of them is refused
}

const (
	apiPrefix      = "/api/v1"
	maxURIBytes    = 8 << 10
	allowedMethods = "GET, HEAD, OPTIONS"
	exposedHeaders = "ETag, Retry-After, Server-Timing, X-Block-Number, X-Block-State, X-Block-Timestamp, X-Request-Id, X-Warnings"
)

type server struct {
	Config
	mux          *http.ServeMux
	sourceIDs    []string
	knownSources map[string]bool // ids of routed and retired sources
	admission    *admission
	limiter      *limiter
	streams      streams
	nodeCalls    chan struct{} // holds an element for each request that asks nodes
	metrics      *metrics
	cache        atomic.Pointer[snapshotCache] // of the newest snapshot that a request used
	published    atomic.Pointer[publishedList]

	document []byte // OpenAPI, as /openapi.json serves it
}

// Service is the handler of all public paths: API, operations and page.
type Service interface {
	http.Handler
	Admin() http.Handler // of the paths for the operator
}

// New makes a service. It registers its metrics with c.Registry, so one registry
// serves one service.
func New(c Config) Service {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Page == nil {
		c.Page = http.NotFoundHandler()
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.Registry = cmp.Or(c.Registry, prometheus.NewRegistry())
	c.MaxImpactBps = cmp.Or(c.MaxImpactBps, 5000)
	c.StaleAfter = cmp.Or(c.StaleAfter, 30*time.Second)
	c.Timeout = cmp.Or(c.Timeout, 5*time.Second)
	c.MaxStreams = cmp.Or(c.MaxStreams, 256)
	c.MaxWaiting = cmp.Or(c.MaxWaiting, 256)
	c.MaxWait = cmp.Or(c.MaxWait, 200*time.Millisecond)
	if c.Changed == nil {
		c.Changed = func() <-chan struct{} { return nil }
	}
	s := &server{
		Config:       c,
		mux:          http.NewServeMux(),
		knownSources: map[string]bool{},
		limiter:      newLimiter(c.RatePerSecond),
		streams:      newStreams(c.MaxStreams),
		nodeCalls:    make(chan struct{}, maxNodeCalls),

		document: documentFor(c.Public),
	}
	for _, source := range c.Sources {
		s.sourceIDs = append(s.sourceIDs, source.ID)
		s.knownSources[source.ID] = true
	}
	for _, source := range c.Retired {
		s.knownSources[source.ID] = true
	}
	s.metrics = newMetrics(s)
	s.admission = newAdmission(c.MaxWaiting, c.MaxWait, &s.metrics.admission)
	s.routes()
	return s
}

// endpoint answers a GET or HEAD. An error that it returns is written as a
// problem (RFC 9457); nothing may have been written then.
type endpoint func(*response) error

func (s *server) routes() {
	for path, e := range map[string]endpoint{
		"/tokens":            s.tokens,
		"/liquidity-sources": s.sources,
		"/quote":             s.quote,
		"/swap":              s.swap,
		"/stream":            s.stream,
		"/market":            s.market,
		"/prices":            s.prices,
		"/receipt":           s.receipt,
	} {
		s.route(apiPrefix+path, s.withRateLimit(e, 1))
	}
	s.route(apiPrefix+"/quotes", s.quotes) // charges its entries itself
	s.route(apiPrefix+"/depth", s.withRateLimit(s.depth, depthPoints))
	for path, e := range map[string]endpoint{
		"/healthz":                  s.healthz,
		"/readyz":                   s.readyz,
		"/version":                  s.version,
		"/openapi.json":             s.openapi,
		"/errors.json":              s.errorList,
		"/tokenlist.json":           s.tokenlist,
		"/.well-known/security.txt": s.security,
	} {
		s.route(path, e)
	}
	for _, path := range []string{"/{$}", "/market", "/docs", "/assets/{file}"} {
		s.route(path, s.page)
	}
	s.mux.HandleFunc("/", s.serveUnknown)
}

// serveUnknown answers a path that there is not: with a problem for programs, and
// with a page for people, who ask for HTML.
func (s *server) serveUnknown(rw http.ResponseWriter, r *http.Request) {
	w := rw.(*response)
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !reads || !strings.Contains(r.Header.Get("Accept"), "text/html") || strings.HasPrefix(r.URL.Path, "/api/") {
		s.writeProblem(w, unknownPath())
		return
	}
	w.outcome = string(notFound)
	missing := r.Clone(r.Context())
	missing.URL = &url.URL{Path: "/404"} // any path that the page does not have; the asked one may not be clean
	s.Page.ServeHTTP(w, missing)
}

func unknownPath() *problem {
	return &problem{code: notFound, detail: "no such path; /openapi.json lists those there are"}
}

// route registers an endpoint under a pattern of http.ServeMux, with the
// methods that every path has: GET, HEAD and OPTIONS (CORS preflight).
func (s *server) route(pattern string, e endpoint) {
	s.mux.HandleFunc(pattern, func(rw http.ResponseWriter, r *http.Request) {
		w := rw.(*response)
		w.r, w.route = r, pattern
		switch r.Method {
		case http.MethodGet, http.MethodHead:
			if err := e(w); err != nil {
				s.writeProblem(w, err)
			}
		case http.MethodOptions:
			w.Header().Set("Allow", allowedMethods)
			w.Header().Set("Access-Control-Allow-Methods", allowedMethods)
			w.Header().Set("Access-Control-Allow-Headers", "*")
			w.Header().Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("Allow", allowedMethods)
			s.writeProblem(w, &problem{code: methodNotAllowed, detail: "this path answers " + allowedMethods + "; parameters belong into the query string"})
		}
	})
}

func (s *server) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w := &response{ResponseWriter: rw, r: r, id: requestID(r), started: time.Now(), route: "none", outcome: "OK"}
	s.metrics.inFlight.Inc()
	defer s.recordOutcome(w)
	h := rw.Header()
	h.Set("X-Request-Id", w.id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", exposedHeaders)
	h.Set("Timing-Allow-Origin", "*")
	if s.draining() {
		h.Set("Connection", "close") // so that no connection is in use when the service stops
	}
	if len(r.RequestURI) > maxURIBytes {
		s.writeProblem(w, &problem{code: uriTooLong, detail: "the URL is longer than 8 KiB; shorten it: no request needs as much"})
		return
	}
	// http.ServeMux would redirect a path that is not clean; here it is unknown.
	r = trimTrailingSlash(r)
	if p := r.URL.EscapedPath(); !strings.HasPrefix(p, "/") || path.Clean(p) != p {
		s.serveUnknown(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// trimTrailingSlash copies the request without the one trailing slash that a
// path may have.
func trimTrailingSlash(r *http.Request) *http.Request {
	c, u := *r, *r.URL
	c.URL = &u
	if len(u.Path) > 1 {
		u.Path = strings.TrimSuffix(u.Path, "/")
		u.RawPath = strings.TrimSuffix(u.RawPath, "/")
	}
	return &c
}

// recordOutcome ends a request: it answers a panic with INTERNAL, counts the
// request and logs it. The query string is private to the caller and not logged.
func (s *server) recordOutcome(w *response) {
	if v := recover(); v != nil {
		if v == http.ErrAbortHandler {
			panic(v)
		}
		s.Log.Error("panic", "id", w.id, "route", w.route, "panic", v, "stack", string(debug.Stack()))
		if w.status == 0 {
			s.writeProblem(w, &problem{code: internal})
		}
	}
	s.metrics.inFlight.Dec()
	took := time.Since(w.started)
	s.metrics.observe(w, took)
	level := slog.LevelDebug
	if s.AccessLog {
		level = slog.LevelInfo
	}
	s.Log.Log(w.r.Context(), level, "request", "id", w.id, "method", knownMethod(w.r), "route", w.route, "status", w.status, "outcome", w.outcome, "took", took)
}

// knownMethod is the request's method, or "other", so that a client cannot
// write text of its own into the log.
func knownMethod(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return r.Method
	}
	return "other"
}

// headerSafe matches texts of a client that may be sent back in a header.
var headerSafe = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID is the caller's X-Request-Id, if it is safe, or a random one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); headerSafe.MatchString(id) {
		return id
	}
	return rand.Text()
}
