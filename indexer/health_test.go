package indexer

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// A node may write an error of any length; what is shown of it is short.
func TestLongFault(t *testing.T) {
	var log bytes.Buffer
	x := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	x.fault(errors.New("node: "+strings.Repeat("x", 1<<20)), 0)
	if n := len(x.Health().Reason); n != 500 || log.Len() > 1000 {
		t.Errorf("a reason of %d bytes, a log of %d", n, log.Len())
	}
}
