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

// TestGzipStream: a standard reader has every Write as soon as it is made, and
// meets the end and a right checksum.
func TestGzipStream(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var all, packed bytes.Buffer
	s := &gzipStream{to: &packed}
	var r *gzip.Reader
	body := make([]byte, 6000)
	for i := range 200 {
		for range 1 + i {
			body[rng.IntN(len(body))] = byte(rng.Uint32()) // most stays as it was
		}
		b := body[:rng.IntN(len(body))+1]
		if i%7 == 0 {
			b = bytes.Repeat(b, 20) // longer than the window
		}
		if n, err := s.Write(b); n != len(b) || err != nil {
			t.Fatal(n, err)
		}
		all.Write(b)
		if r == nil {
			var err error
			if r, err = gzip.NewReader(&packed); err != nil {
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

// TestPlainStream: who does not ask for gzip gets text.
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

// TestGzipStreamSize: what is like the event before it takes little room.
func TestGzipStreamSize(t *testing.T) {
	g := newStage(t)
	s := serve(t, g.config)
	r, _ := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/v1/stream"+params("tokenIn", wmon, "tokenOut", usdc, "amount", units(300_000, 18), "include", "meta,why"), nil)
	r.Header.Set("Accept-Encoding", "gzip")
	res, err := s.Client().Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	counted := &counter{r: res.Body}
	zip, err := gzip.NewReader(counted)
	if err != nil {
		t.Fatal(err)
	}
	l := listener{t, bufio.NewReader(zip)}
	plain := len(l.next().data)
	first := counted.n
	const events = 20
	for range events {
		g.next(t, g.sold(t, 1, units(1000, 18)))
		plain += len(l.next().data)
	}
	each := (counted.n - first) / events
	fmt.Printf("stream: %d bytes a quote plain, %d packed\n", plain/(events+1), each)
	if each*4 > plain/(events+1) {
		t.Errorf("%d bytes for each quote of %d", each, plain/(events+1))
	}
}

type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += n
	return n, err
}

// TestGzipStreamMemory: as many packed streams as may be open hold little,
// their readers in this process included.
func TestGzipStreamMemory(t *testing.T) {
	g := newStage(t)
	s := serve(t, g.config, func(c *Config) { c.MaxStreams = 4 * 256 })
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var readers []listener
	for range 256 {
		l, stop := s.listen(toUSDC + "&include=meta,why")
		defer stop()
		readers = append(readers, l)
	}
	for range 5 {
		for _, l := range readers {
			l.next()
		}
		g.next(t, g.sold(t, 1, units(1000, 18)))
	}
	held := heap() - before
	fmt.Printf("stream: 256 packed streams and their readers hold %d kB each\n", held/256/1000)
	if held > 100<<20 {
		t.Errorf("%d MB", held>>20)
	}
}
