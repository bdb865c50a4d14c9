package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"braid/u256"
)

// BenchmarkQuoteHTTP sends quotes to a real server on the loopback interface: new
// amounts, a cached one, and amounts that are refused.
func BenchmarkQuoteHTTP(b *testing.B) {
	s := serve(b)
	for name, path := range map[string]func(i uint64) string{
		"small":   func(i uint64) string { return quoteOf(units(1, 18).Add(u256.From(i))) },
		"split":   func(i uint64) string { return quoteOf(units(50_000, 18).Add(u256.From(i))) },
		"again":   func(uint64) string { return quoteOf(units(50_000, 18)) },
		"refused": func(i uint64) string { return quoteOf(u256.One.Add(u256.From(i % 1000))) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs() // of client and server together
			for i := uint64(0); b.Loop(); i++ {
				res, err := s.Client().Get(s.URL + path(i))
				if err != nil {
					b.Fatal(err)
				}
				if (res.StatusCode == http.StatusOK) == (name == "refused") {
					b.Fatal(res.Status)
				}
				io.Copy(io.Discard, res.Body) // so that the connection is used again
				res.Body.Close()
			}
		})
	}
}

func quoteOf(amount u256.Int) string {
	return "/api/v1/quote" + params("tokenIn", wmon, "tokenOut", usdc, "amount", amount)
}

// BenchmarkQuote is the same without a network.
func BenchmarkQuote(b *testing.B) {
	h := New(testConfig(b))
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", quoteOf(units(50_000, 18).Add(u256.From(i))), nil))
		if w.Code != http.StatusOK {
			b.Fatal(w.Code)
		}
	}
}

func BenchmarkTokens(b *testing.B) {
	h := New(testConfig(b))
	r := httptest.NewRequest("GET", "/api/v1/tokens", nil)
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
}
