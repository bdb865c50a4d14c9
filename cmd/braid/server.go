package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// newServer has a time limit for each part of a request: its header, its body,
// whether it is read or not, and the answer. Streams set limits of their own.
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
