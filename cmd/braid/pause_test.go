package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"braid/monad"
)

// TestPauseFile: the file is read again when it changes, and its new content
// replaces the old one.
func TestPauseFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "paused")
	ctx, stop := context.WithCancel(t.Context())
	paused, done := make(chan map[string]string), make(chan struct{})
	go func() {
		defer close(done)
		watchPauseFile(ctx, path, monad.Sources(), func(m map[string]string) { paused <- m }, slog.New(slog.DiscardHandler))
	}()
	for _, row := range []struct {
		text string
		want map[string]string
	}{
		{"Kuru\n# nothing\n\n  UniswapV3   its fees changed # for now\nNobody\n", map[string]string{"Kuru": "by the operator", "UniswapV3": "its fees changed"}},
		{"UniswapV3\tstill\r\n", map[string]string{"UniswapV3": "still"}},
		{"", map[string]string{}},
	} {
		if err := os.WriteFile(path+".new", []byte(row.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-paused:
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%q is not seen", row.text)
		}
	}
	stop()
	<-done
}
