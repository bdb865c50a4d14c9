package api

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// exchange is one request and what is known of its answer so far.
type response struct {
	http.ResponseWriter
	r        *http.Request
	id       string
	started  time.Time
	route    string // the pattern that matched
	status   int    // 0: nothing is written yet
	outcome  string // OK or the code of the problem
	warnings []string
	timings  []string
	etag     string // of the body, where answers are cached
}

func (w *response) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController through.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// warn tells of something that was not asked for but did no harm.
func (w *response) warn(text string) { w.warnings = append(w.warnings, text) }

func (w *response) setWarnings() {
	if len(w.warnings) > 0 {
		w.Header().Set("X-Warnings", strings.Join(w.warnings, ", "))
	}
}

// timed adds a line to Server-Timing.
func (w *response) addTiming(what string, since time.Time) {
	w.timings = append(w.timings, fmt.Sprintf("%s;dur=%.3f", what, float64(time.Since(since).Microseconds())/1000))
}

// fresh answers with JSON that is true for one block and kept by nobody.
func (w *response) writeUncached(body any) error {
	w.Header().Set("Cache-Control", "no-store")
	return w.writeJSON(http.StatusOK, body)
}

// cached answers with JSON that may be kept for a while and asked for again
// by its tag.
func (w *response) writeCached(body any) error {
	data, err := marshalLine(body)
	if err != nil {
		return err
	}
	w.writeCachedBytes(data, "application/json")
	return nil
}

func (w *response) writeCachedBytes(data []byte, contentType string) {
	sum := sha256.Sum256(data)
	w.etag = base64.RawURLEncoding.EncodeToString(sum[:15])
	w.Header().Set("Cache-Control", "public, max-age=30")
	w.writeBody(http.StatusOK, contentType, data)
}

// line is a body as JSON. It ends with a newline, as terminals and tools that
// read lines expect.
func marshalLine(body any) ([]byte, error) {
	data, err := json.Marshal(body)
	return append(data, '\n'), err
}

func (w *response) writeJSON(status int, body any) error {
	data, err := marshalLine(body)
	if err != nil {
		return err
	}
	w.writeBody(status, "application/json", data)
	return nil
}

// gzipFrom is the size below which packing takes more time than it saves on
// the wire: some packets, which leave together.
const minGzipBytes = 4 << 10

// send writes a whole answer. A packed body is another representation, so its
// strong tag differs.
func (w *response) writeBody(status int, contentType string, body []byte) {
	w.setWarnings()
	h := w.Header()
	if len(w.timings) > 0 {
		w.addTiming("total", w.started)
		h.Set("Server-Timing", strings.Join(w.timings, ", "))
	}
	h.Add("Vary", "Accept-Encoding")
	zip := len(body) >= minGzipBytes && acceptsGzip(w.r.Header)
	if w.etag != "" {
		tag := w.etag
		if zip {
			tag += "-gzip"
		}
		tag = `"` + tag + `"`
		h.Set("ETag", tag)
		if matchesETag(w.r.Header, tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if zip {
		body = gzipped(body)
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if w.r.Method != http.MethodHead {
		w.Write(body) // the reader may have left: nothing to be done
	}
}

// holds says whether the caller already has the representation of that tag.
func matchesETag(h http.Header, tag string) bool {
	for _, t := range strings.Split(strings.Join(h.Values("If-None-Match"), ","), ",") {
		if t = strings.TrimSpace(t); t == "*" || strings.TrimPrefix(t, "W/") == tag {
			return true
		}
	}
	return false
}

func acceptsGzip(h http.Header) bool {
	for _, item := range strings.Split(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		coding, weight, _ := strings.Cut(item, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		_, q, weighed := strings.Cut(weight, "=")
		v, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
		return !weighed || err == nil && v > 0
	}
	return false
}

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails for unknown levels only
	return w
}}

func gzipped(body []byte) []byte {
	var b bytes.Buffer
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&b)
	w.Write(body) // a buffer takes everything
	w.Close()
	return b.Bytes()
}
