package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestRPCProxy: the page reaches the local chain at /rpc by POST. No other request
// is forwarded, nor one of a page of another origin.
func TestRPCProxy(t *testing.T) {
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		io.WriteString(w, r.Method+" "+r.URL.Path+" "+string(body))
	}))
	defer node.Close()
	at, err := url.Parse(node.URL)
	if err != nil {
		t.Fatal(err)
	}
	h := withRPCProxy(http.NotFoundHandler(), at, slog.New(slog.DiscardHandler))
	for _, row := range []struct {
		method, path, origin string
		status               int
		says                 string
	}{
		{"POST", "/rpc", "", 200, "POST / {}"},
		{"POST", "/rpc", "http://example.com", 200, "POST / {}"},
		{"POST", "/rpc", "http://evil.example", 403, ""},
		{"GET", "/rpc", "", 404, ""},
		{"POST", "/rpc/debug", "", 404, ""},
		{"POST", "/api/v1/quote", "", 404, ""},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(row.method, row.path, strings.NewReader("{}"))
		if row.origin != "" {
			r.Header.Set("Origin", row.origin)
		}
		h.ServeHTTP(w, r)
		if w.Code != row.status || row.says != "" && w.Body.String() != row.says {
			t.Errorf("%s %s from %q: %d %q", row.method, row.path, row.origin, w.Code, w.Body)
		}
	}
}
