package api

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
)

// TestBodiesEndWithANewline: a terminal's next prompt stands on a line of its
// own, and tools that read lines read the last one too.
func TestBodiesEndWithANewline(t *testing.T) {
	s := serve(t)
	for _, path := range append([]string{goodQuote, "/none", "/api/v1/quote?amount=x"}, paths...) {
		if strings.HasSuffix(path, "/stream") {
			continue // a stream is no JSON, and without parameters an error like that of /quote
		}
		a := s.get(path, "Accept-Encoding", "identity")
		if !bytes.HasSuffix(a.raw, []byte("\n")) || bytes.HasSuffix(a.raw, []byte("\n\n")) {
			t.Errorf("%s ends with %q", path, a.raw[max(len(a.raw)-3, 0):])
		}
		if n := a.header.Get("Content-Length"); n != "" && n != strconv.Itoa(len(a.raw)) {
			t.Errorf("%s: %d bytes, Content-Length %s", path, len(a.raw), n)
		}
		if again := s.get(path, "Accept-Encoding", "identity"); again.header.Get("ETag") != a.header.Get("ETag") {
			t.Errorf("%s: the tag changes", path)
		}
	}
}
