package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/web"
)

var paths = []string{
	"/api/v1/tokens", "/api/v1/liquidity-sources", "/api/v1/quote", "/api/v1/swap", "/api/v1/depth", "/api/v1/stream", "/api/v1/market", "/api/v1/prices", "/api/v1/quotes", "/api/v1/receipt", "/healthz", "/readyz", "/version",
	"/openapi.json", "/errors.json", "/tokenlist.json", "/.well-known/security.txt",
}

var goodQuote = "/api/v1/quote" + params("tokenIn", wmon, "tokenOut", usdc, "amount", units(1, 18))

func TestMethods(t *testing.T) {
	s := serve(t, func(c *Config) { c.Page = web.Handler(web.Site{}) })
	for _, path := range append([]string{"/", "/market", "/docs"}, paths...) {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"} {
			a := s.raw(method, path)
			var p problemBody
			a.into(t, &p)
			if a.status != 405 || p.Code != methodNotAllowed || a.header.Get("Allow") != allowedMethods {
				t.Errorf("%s %s: %d %s", method, path, a.status, a.raw)
			}
		}
		a := s.raw("OPTIONS", path, "Origin", "https://dapp.example", "Access-Control-Request-Method", "GET")
		if a.status != 204 || len(a.raw) != 0 || a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Access-Control-Allow-Methods") != allowedMethods {
			t.Errorf("OPTIONS %s: %d %v", path, a.status, a.header)
		}
	}
	if a := s.do("POST", "/api/v1/quote"); a.status != 405 {
		t.Errorf("%d", a.status)
	}
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	s := serve(t)
	for _, path := range append([]string{goodQuote, "/none"}, paths...) {
		get, head := s.do("GET", path, "Accept-Encoding", "identity"), s.do("HEAD", path, "Accept-Encoding", "identity")
		if head.status != get.status || len(head.raw) != 0 {
			t.Errorf("HEAD %s: %d, %d bytes", path, head.status, len(head.raw))
		}
		for _, h := range []string{"Content-Type", "ETag", "Cache-Control", "X-Block-Number"} {
			if head.header.Get(h) != get.header.Get(h) {
				t.Errorf("HEAD %s: %s is %q, not %q", path, h, head.header.Get(h), get.header.Get(h))
			}
		}
	}
}

// TestUnknownFile: the page's 404 is a problem like all others.
func TestUnknownFile(t *testing.T) {
	s := serve(t, func(c *Config) { c.Page = web.Handler(web.Site{}) })
	for _, path := range []string{"/assets/none.js", "/assets/index.html", "/assets/%2e%2e", "/assets/..%2findex.html"} {
		a := s.get(path)
		var p problemBody
		a.into(t, &p)
		if a.status != 404 || p.Code != notFound || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %s", path, a.status, a.header, a.raw)
		}
	}
	if a := s.raw("GET", "/"); a.status != 200 || len(a.raw) == 0 {
		t.Errorf("the page: %d", a.status)
	}
}

func TestTrailingSlash(t *testing.T) {
	s := serve(t)
	for _, path := range paths {
		if with, without := s.get(path+"/"), s.get(path); with.status != without.status {
			t.Errorf("%s/: %d, not %d", path, with.status, without.status)
		}
	}
}

// The state of the block is named where it is known of the very block that is
// quoted from.
func TestBlockStateHeader(t *testing.T) {
	block := testMarket(t).Block().Hash
	for _, c := range []struct {
		of          common.Hash
		state, want string
	}{{block, "proposed", "proposed"}, {block, "finalized", "finalized"}, {block, "", ""}, {common.Hash{1}, "voted", ""}} {
		s := serve(t, func(config *Config) {
			config.Health = func() Health { return Health{Ready: true, Reachable: true, Updated: now, Hash: c.of, State: c.state} }
		})
		for _, path := range []string{goodQuote, strings.Replace(goodQuote, "quote", "swap", 1) + "&recipient=" + alice.Hex()} {
			if a := s.get(path); a.status != http.StatusOK || a.header.Get("X-Block-State") != c.want || (c.want == "") != (a.header["X-Block-State"] == nil) {
				t.Errorf("%s: %d, X-Block-State %q, want %q", path, a.status, a.header.Get("X-Block-State"), c.want)
			}
		}
	}
}

func TestQuoteHeaders(t *testing.T) {
	a := serve(t).get(goodQuote + "&slippage=1&amountIn=2&excludedSources=x&to=y&tokenin=z&utm_source=w&recipient=v&a%0d%0ab=c")
	for name, want := range map[string]string{
		"X-Block-Number": "19000123", "X-Block-Timestamp": "1799999990", "Cache-Control": "no-store", "Content-Type": "application/json",
		"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": exposedHeaders, "X-Content-Type-Options": "nosniff", "Timing-Allow-Origin": "*",
		"X-Warnings": "UNKNOWN_PARAMETER;name=slippage, UNKNOWN_PARAMETER;name=amountIn, UNKNOWN_PARAMETER;name=excludedSources, UNKNOWN_PARAMETER;name=to, UNKNOWN_PARAMETER;name=tokenin",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if timing := a.header.Get("Server-Timing"); !strings.HasPrefix(timing, "wait;dur=") || !strings.Contains(timing, "find;dur=") || !strings.Contains(timing, "total;dur=") {
		t.Errorf("Server-Timing: %q", timing)
	}
}

// TestForeignParameters: parameters of other aggregators raise a warning, and a
// right chain ID does not.
func TestForeignParameters(t *testing.T) {
	s := serve(t)
	swap := "/api/v1/swap" + params("tokenIn", wmon, "tokenOut", usdc, "amount", units(1, 18), "recipient", alice)
	names := []string{
		"swapFeeBps", "includedSources", "sellToken", "buyToken", "sellAmount", "buyAmount", "fromTokenAddress", "toTokenAddress",
		"fromToken", "toToken", "src", "dst", "from", "sender", "userAddress", "takerAddress", "taker", "feeReceiver", "slippagePercentage", "gasPrice", "protocols",
		"inTokenAddress", "srcToken", "userAddr", "fromChain", "slippageTolerance", "SELLTOKEN",
	}
	for _, path := range []string{goodQuote, swap} {
		query, want := path, []string{}
		for _, name := range names {
			query += "&" + name + "=1"
			want = append(want, "UNKNOWN_PARAMETER;name="+name)
		}
		if a := s.get(query); a.status != 200 || a.header.Get("X-Warnings") != strings.Join(want, ", ") {
			t.Errorf("%d: warnings %q", a.status, a.header.Get("X-Warnings"))
		}
		for _, chain := range []string{"143", "0x8f", "0X8F"} {
			if a := s.get(path + "&chainId=" + chain); a.status != 200 || a.header.Get("X-Warnings") != "" {
				t.Errorf("chainId %s: %d, warnings %q", chain, a.status, a.header.Get("X-Warnings"))
			}
		}
	}
	for name := range foreignParams {
		if slices.ContainsFunc(swapParameters, func(known string) bool { return strings.EqualFold(known, name) }) {
			t.Errorf("%s has a meaning here", name)
		}
	}
	many := strings.Repeat("&taker=1", 10*maxUnknownParams)
	if got := strings.Count(s.get(goodQuote+many).header.Get("X-Warnings"), "taker"); got != maxUnknownParams {
		t.Errorf("%d warnings", got)
	}
}

func TestRequestID(t *testing.T) {
	s := serve(t)
	seen := map[string]bool{}
	for given, kept := range map[string]bool{"abc-1.2_3": true, "": false, "a b": false, strings.Repeat("x", 65): false, "é": false, "<a>": false} {
		got := s.get("/healthz", "X-Request-Id", given).header.Get("X-Request-Id")
		if (got == given) != kept || !headerSafe.MatchString(got) || seen[got] {
			t.Errorf("given %q, got %q", given, got)
		}
		seen[got] = true
	}
}

func TestETag(t *testing.T) {
	s := serve(t)
	for _, path := range []string{"/api/v1/tokens", "/api/v1/liquidity-sources?x", "/openapi.json", "/errors.json", "/tokenlist.json"} {
		plain, packed := s.get(path, "Accept-Encoding", "identity"), s.get(path, "Accept-Encoding", "gzip")
		tag := plain.header.Get("ETag")
		if !strings.HasPrefix(tag, `"`) || plain.header.Get("Cache-Control") != "public, max-age=30" || plain.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %v", path, plain.header)
		}
		if (packed.header.Get("Content-Encoding") == "gzip") != (packed.header.Get("ETag") != tag) {
			t.Errorf("%s: one strong tag for two representations", path)
		}
		for held, status := range map[string]int{tag: 304, "W/" + tag: 304, `"a", ` + tag: 304, "*": 304, `"a"`: 200, "": 200} {
			a := s.raw("GET", path, "If-None-Match", held, "Accept-Encoding", "identity")
			if a.status != status || status == 304 && (len(a.raw) > 0 || a.header.Get("ETag") != tag) {
				t.Errorf("%s with %s: %d, want %d", path, held, a.status, status)
			}
		}
	}
	if s.get("/api/v1/tokens?limit=1").header.Get("ETag") == s.get("/api/v1/tokens?limit=2").header.Get("ETag") {
		t.Error("two bodies, one tag")
	}
}

func TestGzip(t *testing.T) {
	s := serve(t)
	plain := s.raw("GET", "/openapi.json", "Accept-Encoding", "identity")
	for accept, zipped := range map[string]bool{"gzip": true, "br, GZIP;q=0.5": true, "gzip;q=0": false, "gzip; q=0.0": false, "identity": false, "xgzip": false} {
		a := s.raw("GET", "/openapi.json", "Accept-Encoding", accept)
		if (a.header.Get("Content-Encoding") == "gzip") != zipped {
			t.Errorf("%s: %q", accept, a.header.Get("Content-Encoding"))
			continue
		}
		if zipped {
			r, err := gzip.NewReader(bytes.NewReader(a.raw))
			if err != nil {
				t.Fatal(err)
			}
			if a.raw, err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a.raw, plain.raw) {
			t.Errorf("%s: another body", accept)
		}
	}
}

// admin is the answer of the admin address.
func (s service) admin(path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.Config.Handler.(Service).Admin().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

func TestReadiness(t *testing.T) {
	type readiness struct {
		Ready         bool
		Reason        string
		NodeReachable bool
		Block, Lag    uint64
		Updated       *string
		AgeSeconds    *int64
		Paused        map[string]string
		Feed          *Feed
	}
	for name, c := range map[string]struct {
		edit   func(*Config)
		ready  bool
		reason string
		node   bool
	}{
		"ready":   {func(*Config) {}, true, "", true},
		"loading": {func(c *Config) { c.Head = func() *market.Snapshot { return nil } }, false, "the market is being loaded", true},
		"never":   {func(c *Config) { c.Health = func() Health { return Health{} } }, false, "the market has not been brought up to date for too long", false},
		"cut off": {func(c *Config) { c.Health = func() Health { return Health{Reason: "node unreachable", Updated: now} } }, false, "a node does not answer as it should", false},
		"failing": {func(c *Config) {
			c.Health = func() Health { return Health{Ready: true, Reason: "node unreachable", Updated: now} }
		}, true, "a node does not answer as it should", false},
		"paused": {func(c *Config) {
			c.Health = func() Health {
				return Health{Ready: true, Reachable: true, Updated: now, Paused: map[string]string{"Kuru": "its vault moves"}}
			}
		}, true, "", true},
		"replica": {func(c *Config) {
			c.Health = func() Health {
				return Health{Ready: true, Reachable: true, Reason: "blocks are missing", Updated: now, Feed: &Feed{Indexer: "a", Epoch: 3, Faults: map[string]int{}}}
			}
		}, true, "blocks are missing", true},
		"replica of differing indexers": {func(c *Config) {
			c.Health = func() Health {
				return Health{Ready: true, Reason: "indexers differ", Feed: &Feed{Faults: map[string]int{"divergence": 1}}}
			}
		}, false, "indexers differ", false},
	} {
		s := serve(t, c.edit)
		a := s.get("/readyz")
		var body readiness
		a.into(t, &body)
		if body.Ready != c.ready || (a.status == 200) != c.ready || body.Reason != c.reason || body.NodeReachable != c.node {
			t.Errorf("%s: %d %s", name, a.status, a.raw)
		}
		if (body.Feed != nil) != strings.HasPrefix(name, "replica") {
			t.Errorf("%s: feed %v", name, body.Feed)
		}
		if why := body.Paused["Kuru"]; (why == "its vault moves") != (name == "paused") {
			t.Errorf("%s: paused %v", name, body.Paused)
		}
		if strings.Contains(string(a.raw), `"feed":{`) != strings.HasPrefix(name, "replica") {
			t.Errorf("%s: %s", name, a.raw)
		}
		if s.get("/healthz").status != 200 || s.admin("/healthz").Code != 200 {
			t.Errorf("%s: not healthy", name)
		}
		full := s.admin("/readyz")
		if full.Code != a.status || strings.Contains(full.Body.String(), `"nodeFault":"node unreachable"`) != (name == "cut off" || name == "failing") {
			t.Errorf("%s: admin: %d %s", name, full.Code, full.Body)
		}
	}
}

// TestDraining: a service that is about to stop says so, closes its connections,
// and still answers.
func TestDraining(t *testing.T) {
	draining := make(chan struct{})
	s := serve(t, func(c *Config) { c.Draining = draining })
	if a := s.get("/readyz"); a.status != 200 || a.header.Get("Connection") != "" {
		t.Errorf("%d %v", a.status, a.header)
	}
	close(draining)
	if a := s.get("/readyz"); a.status != 503 || !strings.Contains(string(a.raw), "about to stop") {
		t.Errorf("%d %s", a.status, a.raw)
	}
	r, err := s.Client().Get(s.URL + goodQuote)
	if err != nil || r.StatusCode != 200 || !r.Close {
		t.Errorf("%v %+v", err, r)
	}
}

// TestAdminPaths: what is for the operator is not public.
func TestAdminPaths(t *testing.T) {
	s := serve(t)
	for _, path := range []string{"/metrics", "/debug/pprof/"} {
		if a := s.get(path); a.status != 404 {
			t.Errorf("%s is public: %d", path, a.status)
		}
		if w := s.admin(path); w.Code != 200 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestOps(t *testing.T) {
	s := serve(t)
	s.get(goodQuote)
	s.get("/api/v1/quote")
	text := s.admin("/metrics").Body.String()
	for _, want := range []string{
		`braid_http_requests_total{code="OK",route="/api/v1/quote",status="200"} 1`,
		`braid_http_requests_total{code="MISSING_PARAMETER",route="/api/v1/quote",status="400"} 1`,
		"braid_market_block 1.9000123e+07", "braid_market_age_seconds 0", "braid_search_seconds_count 2", `braid_build_info{go="go`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	var catalogue struct {
		Errors []struct {
			Type string
			errorClass
		}
	}
	if err := json.Unmarshal(s.get("/errors.json").raw, &catalogue); err != nil || len(catalogue.Errors) != len(errorTable) || catalogue.Errors[3].errorClass != errorTable[3] {
		t.Errorf("catalogue: %v %+v", err, catalogue)
	}
}

// TestAccessLog: every request is logged on demand, with its id and without its
// parameters.
func TestAccessLog(t *testing.T) {
	for _, on := range []bool{false, true} {
		var log bytes.Buffer
		s := serve(t, func(c *Config) { c.Log, c.AccessLog = slog.New(slog.NewJSONHandler(&log, nil)), on })
		s.get(goodQuote, "X-Request-Id", "mine-7")
		s.Close()
		text := log.String()
		for _, want := range []string{`"id":"mine-7"`, `"route":"/api/v1/quote"`, `"status":200`, `"outcome":"OK"`} {
			if strings.Contains(text, want) != on {
				t.Errorf("access log %v: %s", on, text)
			}
		}
		if strings.Contains(text, "tokenIn") {
			t.Errorf("parameters are logged: %s", text)
		}
	}
}

// TestLog: the query is not logged; a bug is, with stack and request id.
func TestLog(t *testing.T) {
	var log bytes.Buffer
	s := serve(t, func(c *Config) {
		c.Log = slog.New(slog.NewJSONHandler(&log, nil))
		c.Head = func() *market.Snapshot { panic("the reason") }
	})
	a := s.get(goodQuote)
	s.Close() // waits for the handler
	if strings.Contains(string(a.raw), "the reason") {
		t.Errorf("shown: %s", a.raw)
	}
	text := log.String()
	if !strings.Contains(text, "the reason") || !strings.Contains(text, "http_test.go") || !strings.Contains(text, a.header.Get("X-Request-Id")) {
		t.Errorf("not logged whole: %s", text)
	}
	if strings.Contains(strings.ToLower(text), lowerHex(usdc)) {
		t.Errorf("query logged: %s", text)
	}
}

// TestUnknownPath: people get a page, programs a problem, both with 404.
func TestUnknownPath(t *testing.T) {
	s := serve(t, func(c *Config) {
		c.Page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "page of "+r.URL.Path)
		})
	})
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	for _, c := range []struct {
		method, path, accept string
		page                 bool
	}{
		{"GET", "/nope", browser, true},
		{"GET", "//nope/../x", browser, true},
		{"GET", "/nope", "*/*", false},
		{"GET", "/nope", "application/json", false},
		{"GET", "/api/v1/nope", browser, false},
		{"POST", "/nope", browser, false},
	} {
		r, err := http.NewRequest(c.method, s.URL+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", c.accept)
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		want := "application/problem+json"
		if c.page {
			want = "text/html; charset=utf-8"
		}
		if res.StatusCode != 404 || res.Header.Get("Content-Type") != want || c.page != strings.HasPrefix(string(body), "page of /404") {
			t.Errorf("%s %s with Accept %s: %d %s %s", c.method, c.path, c.accept, res.StatusCode, res.Header.Get("Content-Type"), body)
		}
	}
}
