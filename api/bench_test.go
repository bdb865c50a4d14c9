package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
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

// BenchmarkBatch is 50 quotes of new amounts over HTTP, as 50 requests and as one.
// make bench with -cpu 1 is the CPU that each takes, client included.
func BenchmarkBatch(b *testing.B) {
	s := serve(b)
	get := func(path string) {
		res, err := s.Client().Get(s.URL + path)
		if err != nil || res.StatusCode != http.StatusOK {
			b.Fatal(err, res.Status)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	for size, base := range map[string]u256.Int{"small": units(1, 18), "split": units(50_000, 18)} {
		next := base
		b.Run(size+"/requests", func(b *testing.B) {
			for b.Loop() {
				for range maxBatch {
					next = next.Add(u256.One)
					get(quoteOf(next))
				}
			}
		})
		b.Run(size+"/batch", func(b *testing.B) {
			for b.Loop() {
				entries := make([]string, maxBatch)
				for i := range entries {
					next = next.Add(u256.One)
					entries[i] = order(wmon.Hex(), usdc.Hex(), next.String())
				}
				get(batchOf(entries...))
			}
		})
	}
}

// BenchmarkPrices asks for the prices of 100 tokens over HTTP.
func BenchmarkPrices(b *testing.B) {
	s := serve(b)
	tokens := make([]string, maxPriced)
	for i := range tokens {
		tokens[i] = addr(uint64(i)).Hex()
	}
	copy(tokens, []string{wmon.Hex(), usdc.Hex(), usdt.Hex(), weth.Hex()})
	path := s.URL + "/api/v1/prices?tokens=" + strings.Join(tokens, ",")
	for b.Loop() {
		res, err := s.Client().Get(path)
		if err != nil || res.StatusCode != http.StatusOK {
			b.Fatal(err, res.Status)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
}
