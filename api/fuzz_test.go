package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"braid/calldata"
	"braid/monad"
	"braid/venue"
)

// TestHostileRequests sends random requests to the handler: as many as BRAID_FUZZ
// says, or 20,000.
func TestHostileRequests(t *testing.T) {
	n := 20_000
	if v := os.Getenv("BRAID_FUZZ"); v != "" {
		var err error
		if n, err = strconv.Atoi(v); err != nil {
			t.Fatal(err)
		}
	}
	h := New(testConfig(t))
	rng := rand.New(rand.NewPCG(3, 4))
	seen := map[int]int{}
	for range n {
		seen[serveInProcess(t, h, randomRequest(rng))]++
	}
	for _, status := range []int{200, 400, 404, 422} {
		if seen[status] < n/1000 {
			t.Errorf("%d answers of %d were %d: the requests miss a part of the API", seen[status], n, status)
		}
	}
	t.Logf("%v", seen)
}

var (
	fuzzPaths  = []string{"/api/v1/tokens", "/api/v1/liquidity-sources", "/api/v1/quote", "/api/v1/swap", "/api/v1/swap/", "/api/v1/depth", "/api/v1/stream", "/api/v1/market", "/api/v1/prices", "/api/v1/quotes", "/api/v1/receipt", "/tokenlist.json", "/readyz", "/x"}
	fuzzNames  = append([]string{"search", "limit", "tokens", "q", "tx", "quoted", "slippage", "x", "amount[]", "%"}, swapParameters...)
	fuzzValues = []string{
		"", "0", "1", "-1", "50", "10000", "10001", "1e18", "0x", "NaN", "null", "true", "1000000", "1000000000000000000", "5000000000000000000000000",
		"115792089237316195423570985008687907853269984665640564039457584007913129639935", "99999999999999999999999999999999999999999999999999999999999999999999999999999999",
		"%", "%00", "%zz", "%ff%fe", "..%2f..%2f", "'%20OR%201=1", "<script>", "%0d%0aX-Evil:%201", "\u202e", "LFJ", "UniswapV2,LFJ", "in", "out", "true", "0x" + strings.Repeat("ab", 32), "market", "routes", "meta", "meta,approval", ",,,", "usd", "%F0%9F%A6%84",
		monad.NativePlaceholder.Hex(), "0x0000000000000000000000000000000000000000", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
	}
)

// randomRequest is a request with some wrong parameters. Most have the right tokens
// and amounts too, so that they pass the first checks.
func randomRequest(rng *rand.Rand) string {
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	token := func() string { return traded[rng.IntN(len(traded))].Hex() }
	var pairs []string
	if rng.IntN(4) > 0 {
		digits := strconv.Itoa(rng.IntN(9)+1) + strings.Repeat("0", rng.IntN(40))
		pairs = []string{"tokenIn=" + token(), "tokenOut=" + token(), "amount=" + digits, "recipient=" + fuzzValues[len(fuzzValues)-2]}
	}
	for range rng.IntN(4) {
		p := pick(fuzzNames) + "=" + pick(fuzzValues)
		if i := rng.IntN(len(pairs) + 1); i < len(pairs) && rng.IntN(2) == 0 {
			pairs[i] = p
		} else {
			pairs = append(pairs, p)
		}
	}
	return pick(fuzzPaths) + "?" + strings.Join(pairs, "&")
}

// serveInProcess calls the handler and returns the status. Whatever the request, the
// status is below 500, the body is JSON, and no header has a line break.
func serveInProcess(t testing.TB, h http.Handler, target string) int {
	path, query, _ := strings.Cut(target, "?")
	r := &http.Request{Method: "GET", URL: &url.URL{Path: path, RawQuery: query}, RequestURI: target, Header: http.Header{}, RemoteAddr: "192.0.2.1:1", Proto: "HTTP/1.1"}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code >= 500 || !json.Valid(w.Body.Bytes()) && w.Header().Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%q: %d %s", target, w.Code, w.Body)
	}
	for name, values := range w.Header() {
		for _, v := range values {
			if strings.ContainsAny(v, "\r\n\x00") {
				t.Fatalf("%q: %s: %q", target, name, v)
			}
		}
	}
	return w.Code
}

// FuzzRequest sends requests to all endpoints. Its seeds are the requests of
// testdata/errors.txt and random ones.
func FuzzRequest(f *testing.F) {
	h := New(testConfig(f))
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range readErrorCases(f) {
		if c.service == "" && len(c.target) < maxURIBytes {
			path, query, _ := strings.Cut(c.target, "?")
			f.Add(path, query)
		}
	}
	for range 50 {
		path, query, _ := strings.Cut(randomRequest(rng), "?")
		f.Add(path, query)
	}
	f.Fuzz(func(t *testing.T, path, query string) {
		serveInProcess(t, h, apiPrefix+"/"+strings.TrimPrefix(path, apiPrefix+"/")+"?"+query)
	})
}

// FuzzQuery reads a query string as every endpoint with parameters does. What is
// accepted is within its limits, and what is rejected has a message that can be
// shown. Its seeds are the requests of testdata/errors.txt and right ones.
func FuzzQuery(f *testing.F) {
	s := New(testConfig(f)).(*server)
	for _, c := range readErrorCases(f) {
		_, query, _ := strings.Cut(c.target, "?")
		f.Add(query)
	}
	permit := calldata.Permit{Kind: calldata.Permit2, Amount: units(1, 18), Deadline: uint64(now.Unix())}
	pair := strings.TrimPrefix(params("tokenIn", wmon, "tokenOut", usdc, "amount", units(1, 18)), "?")
	for _, more := range []string{
		"", "&slippageBps=0&excludeSources=LFJ,UniswapV2&include=meta,why,viz&chainId=0x8f", "&search=usdc&limit=7", "&sellToken=1&slipageBps=3",
		"&recipient=" + alice.Hex() + "&minAmountOut=1&deadlineSeconds=30&maxPriceImpactBps=0&include=approval,permit,calls&owner=" + weth.Hex() + "&permitNonce=41&permitVersion=2",
		"&recipient=" + alice.Hex() + "&permit=" + fmt.Sprintf("%#x", permit.Prefix()) + strings.Repeat("07", 64) + "1b",
	} {
		f.Add(pair + more)
	}
	f.Fuzz(func(t *testing.T, query string) {
		response := func() *response {
			return &response{ResponseWriter: httptest.NewRecorder(), r: &http.Request{URL: &url.URL{RawQuery: query}}}
		}
		w := response()
		if req, err := s.parseQuote(w); checkParsed(t, w, err, quoteParameters) {
			checkOrder(t, req)
		}
		w = response()
		if req, err := s.parseSwap(w); checkParsed(t, w, err, swapParameters) {
			checkOrder(t, req)
			if req.deadlineSeconds < 30 || req.deadlineSeconds > 3600 || req.maxImpactBps < 0 || req.maxImpactBps > 10_000 || req.recipient.Cmp(lastReserved) <= 0 {
				t.Errorf("accepted %+v", req)
			}
			if p := req.permitOptions.permit; p != nil && (req.nativeIn || p.Amount.Lt(req.exactIn)) {
				t.Errorf("accepted the permit %+v", p)
			}
		}
		w = response()
		if req, err := s.parseDepth(w); checkParsed(t, w, err, depthParameters) && req.TokenIn == req.TokenOut {
			t.Errorf("accepted %+v", req)
		}
		w = response()
		if req, err := parseTokens(w); checkParsed(t, w, err, tokensParameters) && (utf8.RuneCountInString(req.search) > maxSearch || req.limit < 1 || req.limit > maxLimit) {
			t.Errorf("accepted %+v", req)
		}
		w = response()
		if tokens, err := s.parsePrices(w); checkParsed(t, w, err, pricesParameters) && len(tokens) > maxPriced {
			t.Errorf("accepted %d tokens", len(tokens))
		}
		w = response()
		q := readQuery(w, batchParameters)
		if s.parseBatch(q); checkParsed(t, w, q.err(), batchParameters) && (len(q.repeated) == 0 || len(q.repeated) > maxBatch) {
			t.Errorf("accepted %d orders", len(q.repeated))
		}
	})
}

// checkParsed says whether a query was accepted, and checks its problem if not: its
// code is one of status 400, every parameter has one error at most, and texts are
// short, on one line and printable.
func checkParsed(t *testing.T, w *response, err error, known []string) bool {
	t.Helper()
	for _, warning := range w.warnings {
		if name, ok := strings.CutPrefix(warning, "UNKNOWN_PARAMETER;name="); !ok || !headerSafe.MatchString(name) {
			t.Errorf("warning %q", warning)
		}
	}
	if err == nil {
		return true
	}
	p, ok := errors.AsType[*problem](err)
	if !ok || classOf(p.code).Status != http.StatusBadRequest || len(p.paramErrors) == 0 {
		t.Fatalf("%v", err)
	}
	seen := map[string]bool{}
	for _, e := range p.paramErrors {
		if !slices.Contains(known, e.Parameter) || seen[e.Parameter] || len(e.Message) > 300 || strings.ContainsFunc(e.Message, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q", e)
		}
		seen[e.Parameter] = true
	}
	return false
}

// checkOrder checks what all accepted orders have in common.
func checkOrder(t *testing.T, req request) {
	t.Helper()
	if req.TokenIn == req.TokenOut || monad.IsNative(req.TokenIn) || monad.IsNative(req.TokenOut) || req.AmountIn.IsZero() == req.exactOut.IsZero() || req.exactIn.IsZero() == req.exactOut.IsZero() || req.slippageBps > MaxSlippageBps {
		t.Errorf("accepted %+v", req)
	}
	for _, id := range req.excludedIDs {
		if !slices.ContainsFunc(monad.Sources(), func(s venue.Source) bool { return s.ID == id }) || !req.Exclude[id] {
			t.Errorf("accepted the source %q", id)
		}
	}
}
