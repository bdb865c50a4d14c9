package main

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"
)

// unfinished sends a request that declares more body than it has.
func unfinished(t *testing.T, s *http.Server) net.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestUnfinishedRequest: the connection of a client that sends half a request is
// closed.
func TestUnfinishedRequest(t *testing.T) {
	s := newServer(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	s.ReadTimeout /= 100
	if _, err := io.ReadAll(unfinished(t, s)); err != nil {
		t.Errorf("still open: %v", err)
	}
}

// TestShutdown: such a client does not keep the service from shutting down without
// an error.
func TestShutdown(t *testing.T) {
	began := make(chan struct{})
	s := newServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		io.ReadAll(r.Body)
	}), slog.New(slog.DiscardHandler))
	c := unfinished(t, s)
	<-began
	if err := shutdown(s, time.Millisecond); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(c); errors.Is(err, net.ErrClosed) || isTimeout(err) {
		t.Errorf("still open: %v", err)
	}
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}
