package indexer

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// A node may send an error of any length; at most 500 bytes of it are logged and
// shown in Health.
func TestLongErrorIsCut(t *testing.T) {
	var log bytes.Buffer
	x := New(Config{Log: slog.New(slog.NewTextHandler(&log, nil))})
	x.recordFault(errors.New("node: "+strings.Repeat("x", 1<<20)), 0)
	if n := len(x.Health().Reason); n != 500 || log.Len() > 1000 {
		t.Errorf("a reason of %d bytes, a log of %d", n, log.Len())
	}
}
