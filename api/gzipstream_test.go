package api

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"testing"
)

// TestGzipStream: the gzip reader of the standard library can read every Write as
// soon as it is made, and finds the end and the right checksum.
func TestGzipStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var compressed bytes.Buffer
	s := &gzipStream{to: &compressed}
	var r *gzip.Reader
	body := make([]byte, 6000)
	for i := range 200 {
		for range 1 + i {
			body[rng.IntN(len(body))] = byte(rng.Uint32()) // most bytes stay the same
		}
		b := body[:rng.IntN(len(body))+1]
		if i%7 == 0 {
			b = bytes.Repeat(b, 20) // longer than the window
		}
		if n, err := s.Write(b); n != len(b) || err != nil {
			t.Fatal(n, err)
		}
		if r == nil {
			var err error
			if r, err = gzip.NewReader(&compressed); err != nil {
				t.Fatal(err)
			}
		}
		got := make([]byte, len(b))
		if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, b) {
			t.Fatalf("write %d of %d bytes: %v", i, len(b), err)
		}
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Fatalf("%d bytes more: %v", len(rest), err)
	}
}

// TestPlainStream: a client that does not accept gzip gets plain text.
func TestPlainStream(t *testing.T) {
	s := serve(t)
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/v1/stream"+toUSDC, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "identity")
	res, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b := make([]byte, 12)
	if _, err := io.ReadFull(res.Body, b); err != nil || string(b) != "event: block" || res.Header.Get("Content-Encoding") != "" || res.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%q %v %v", b, res.Header, err)
	}
}

// TestGzipStreamSize: an event that resembles the one before it compresses well.
func TestGzipStreamSize(t *testing.T) {
	chain := newTestChain(t)
	s := serve(t, chain.configure)
	r, _ := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/v1/stream"+params("tokenIn", wmon, "tokenOut", usdc, "amount", units(300_000, 18), "include", "meta,why"), nil)
	r.Header.Set("Accept-Encoding", "gzip")
	res, err := s.Client().Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	counted := &countingReader{r: res.Body}
	zip, err := gzip.NewReader(counted)
	if err != nil {
		t.Fatal(err)
	}
	events := eventReader{t, bufio.NewReader(zip)}
	plain := len(events.nextResult().data)
	first := counted.n
	const count = 20
	for range count {
		chain.publish(t, chain.swapped(t, 1, units(1000, 18)))
		plain += len(events.nextResult().data)
	}
	each := (counted.n - first) / count
	fmt.Printf("stream: %d bytes a quote plain, %d compressed\n", plain/(count+1), each)
	if each*4 > plain/(count+1) {
		t.Errorf("%d bytes for each quote of %d", each, plain/(count+1))
	}
}

type countingReader struct {
	r io.Reader
	n int
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += n
	return n, err
}

// TestGzipStreamMemory: 256 compressed streams and their clients in this process hold
// less than 100 MB.
func TestGzipStreamMemory(t *testing.T) {
	chain := newTestChain(t)
	s := serve(t, chain.configure, func(c *Config) { c.MaxStreams = 4 * 256 })
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var clients []eventReader
	for range 256 {
		events, stop := s.openStream(toUSDC + "&include=meta,why")
		defer stop()
		clients = append(clients, events)
	}
	for range 5 {
		for _, events := range clients {
			events.nextResult()
		}
		chain.publish(t, chain.swapped(t, 1, units(1000, 18)))
	}
	held := heap() - before
	fmt.Printf("stream: 256 compressed streams and their clients hold %d kB each\n", held/256/1000)
	if held > 100<<20 {
		t.Errorf("%d MB", held>>20)
	}
}
