package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// newServer waits for no one: neither for the rest of a request, bodies that
// nobody reads included, nor for readers. Streams set limits of their own.
func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// end lets requests finish for a while and cuts off those that do not: a
// stranger's open request is no fault of the service.
func end(s *http.Server, grace time.Duration) error {
	ctx, stop := context.WithTimeout(context.Background(), grace)
	defer stop()
	if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return s.Close()
}
