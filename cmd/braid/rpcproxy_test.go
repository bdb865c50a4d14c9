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
// is forwarded, nor one of a page of another origin, nor one to a host that is not
// ours.
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
	s := service{addr: "braid.test:8080", publicURL: "https://swap.example/braid"}
	front := httptest.NewServer(withRPCProxy(http.NotFoundHandler(), at, s.hosts(), slog.New(slog.DiscardHandler)))
	defer front.Close()
	for _, row := range []struct {
		method, path, host, origin string
		status                     int
	}{
		{"POST", "/rpc", "", "", 200},
		{"POST", "/rpc", "127.0.0.1:80", "http://127.0.0.1:80", 200},
		{"POST", "/rpc", "127.0.0.1:80", "http://evil.example", 403},
		{"GET", "/rpc", "", "", 404},
		{"POST", "/rpc/debug", "", "", 404},
		{"POST", "/api/v1/quote", "", "", 404},
		{"POST", "/rpc", "localhost:8080", "", 200},
		{"POST", "/rpc", "LOCALHOST", "http://LOCALHOST", 200},
		{"POST", "/rpc", "[::1]:8080", "", 200},
		{"POST", "/rpc", "192.168.1.2:8080", "", 200},
		{"POST", "/rpc", "braid.test:8080", "", 200},
		{"POST", "/rpc", "Swap.Example", "http://Swap.Example", 200},
		{"POST", "/rpc", "evil.example:8080", "http://evil.example:8080", 403},
		{"POST", "/rpc", "evil.example", "", 403},
		{"POST", "/rpc", "127.0.0.1.evil.example", "", 403},
		{"POST", "/rpc", "localhost.evil.example", "", 403},
	} {
		r, err := http.NewRequest(row.method, front.URL+row.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = row.host // or that of the URL
		if row.origin != "" {
			r.Header.Set("Origin", row.origin)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != row.status || row.status == 200 && string(body) != "POST / {}" {
			t.Errorf("%s %s of %q from %q: %d %q", row.method, row.path, row.host, row.origin, answer.StatusCode, body)
		}
	}
}
