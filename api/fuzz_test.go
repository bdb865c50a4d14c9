package api

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"braid/monad"
)

// TestHostileRequests throws random queries at the handler: BRAID_FUZZ says
// how many.
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
	fuzzPaths  = []string{"/api/v1/tokens", "/api/v1/liquidity-sources", "/api/v1/quote", "/api/v1/swap", "/api/v1/swap/", "/api/v1/depth", "/api/v1/stream", "/api/v1/market", "/tokenlist.json", "/readyz", "/x"}
	fuzzNames  = append([]string{"search", "limit", "slippage", "x", "amount[]", "%"}, swapParameters...)
	fuzzValues = []string{
		"", "0", "1", "-1", "50", "10000", "10001", "1e18", "0x", "NaN", "null", "true", "1000000", "1000000000000000000", "5000000000000000000000000",
		"115792089237316195423570985008687907853269984665640564039457584007913129639935", "99999999999999999999999999999999999999999999999999999999999999999999999999999999",
		"%", "%00", "%zz", "%ff%fe", "..%2f..%2f", "'%20OR%201=1", "<script>", "%0d%0aX-Evil:%201", "\u202e", "LFJ", "UniswapV2,LFJ", "meta", "meta,approval", ",,,", "usd", "%F0%9F%A6%84",
		monad.NativePlaceholder.Hex(), "0x0000000000000000000000000000000000000000", "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
	}
)

// hostile is half right most of the time, so that it comes far in.
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

// throw asks in process and returns the status. Whatever the request, the
// answer is JSON and not the service's fault.
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

func FuzzRequest(f *testing.F) {
	h := New(testConfig(f))
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		path, query, _ := strings.Cut(randomRequest(rng), "?")
		f.Add(path, query)
	}
	f.Fuzz(func(t *testing.T, path, query string) {
		serveInProcess(t, h, "/api/v1/"+strings.TrimPrefix(path, "/api/v1/")+"?"+query)
	})
}
