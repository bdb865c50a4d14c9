package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// maxHeaderBytes is the size of the largest header of a request.
const maxHeaderBytes = 16 << 10

// newServer has a time limit for each part of a request: its header, its body,
// whether it is read or not, and the answer. Streams set limits of their own. It
// speaks HTTP/1.1, and HTTP/2 without TLS to clients that begin with it, such as
// proxies.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           h,
		Protocols:         protocols,
		MaxHeaderBytes:    maxHeaderBytes,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// shutdown waits for open requests, and after the grace closes their connections.
// That some client did not finish is no error of the service.
func shutdown(s *http.Server, grace time.Duration) error {
	ctx, stop := context.WithTimeout(context.Background(), grace)
	defer stop()
	if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return s.Close()
}
