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

// response is the http.ResponseWriter of one request, with the request and what
// is known of the answer so far.
type response struct {
	http.ResponseWriter
	r        *http.Request
	id       string
	started  time.Time
	route    string // the pattern of http.ServeMux that matched
	status   int    // HTTP status; 0: nothing is written yet
	outcome  string // OK or the code of the problem, for the metrics
	warnings []string
	timings  []string
	etag     string // of the uncompressed body, without quotes; empty: clients may not cache the answer
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

// Unwrap lets http.ResponseController reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// warn adds an item to the X-Warnings header: the answer is right, and still
// may not be what the caller expects.
func (w *response) warn(text string) { w.warnings = append(w.warnings, text) }

// setWarnings writes the X-Warnings header, before the body.
func (w *response) setWarnings() {
	if len(w.warnings) > 0 {
		w.Header().Set("X-Warnings", strings.Join(w.warnings, ", "))
	}
}

// addTiming adds a duration to the Server-Timing header, in milliseconds.
func (w *response) addTiming(what string, since time.Time) {
	w.timings = append(w.timings, fmt.Sprintf("%s;dur=%.3f", what, float64(time.Since(since).Microseconds())/1000))
}

// writeUncached answers 200 with JSON that is true for one block and must not
// be cached.
func (w *response) writeUncached(body any) error {
	w.Header().Set("Cache-Control", "no-store")
	return w.writeJSON(http.StatusOK, body)
}

// writeCached answers 200 with JSON that may be cached for 30 s and then
// revalidated by its ETag.
func (w *response) writeCached(body any) error {
	data, err := marshalLine(body)
	if err != nil {
		return err
	}
	w.writeCachedBytes(data, "application/json")
	return nil
}

// writeCachedBytes is writeCached for a body that is encoded already.
func (w *response) writeCachedBytes(data []byte, contentType string) {
	sum := sha256.Sum256(data)
	w.etag = base64.RawURLEncoding.EncodeToString(sum[:15])
	w.Header().Set("Cache-Control", "public, max-age=30")
	w.writeBody(http.StatusOK, contentType, data)
}

// marshalLine encodes a body as JSON with a newline at its end, as terminals
// and tools that read lines expect.
func marshalLine(body any) ([]byte, error) {
	data, err := json.Marshal(body)
	return append(data, '\n'), err
}

// writeJSON answers with a status and a body, whose caching the caller has set.
func (w *response) writeJSON(status int, body any) error {
	data, err := marshalLine(body)
	if err != nil {
		return err
	}
	w.writeBody(status, "application/json", data)
	return nil
}

// minGzipBytes is the size from which a body is compressed. A smaller one fits
// into the first packets of a connection (10 segments of about 1,460 bytes, RFC
// 6928), so compression would cost time and save none.
const minGzipBytes = 4 << 10

// writeBody writes a whole answer, or 304 where the client has it. A compressed
// body is another representation (RFC 9110), so its strong ETag differs.
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
		w.Write(body) // fails where the client has gone: nothing to be done
	}
}

// matchesETag says whether If-None-Match names the tag: the client has that
// representation.
func matchesETag(h http.Header, tag string) bool {
	for _, t := range strings.Split(strings.Join(h.Values("If-None-Match"), ","), ",") {
		if t = strings.TrimSpace(t); t == "*" || strings.TrimPrefix(t, "W/") == tag {
			return true
		}
	}
	return false
}

// acceptsGzip reads Accept-Encoding: gzip with a weight above 0.
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
