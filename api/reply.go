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
type exchange struct {
	http.ResponseWriter
	r        *http.Request
	id       string
	began    time.Time
	route    string // the pattern that matched
	status   int    // 0: nothing is written yet
	outcome  string // OK or the code of the problem
	warnings []string
	timings  []string
	tag      string // of the body, where answers are cached
}

func (x *exchange) WriteHeader(status int) {
	x.status = status
	x.ResponseWriter.WriteHeader(status)
}

func (x *exchange) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.WriteHeader(http.StatusOK)
	}
	return x.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController through.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// warn tells of something that was not asked for but did no harm.
func (x *exchange) warn(w string) { x.warnings = append(x.warnings, w) }

func (x *exchange) showWarnings() {
	if len(x.warnings) > 0 {
		x.Header().Set("X-Warnings", strings.Join(x.warnings, ", "))
	}
}

// timed adds a line to Server-Timing.
func (x *exchange) timed(what string, since time.Time) {
	x.timings = append(x.timings, fmt.Sprintf("%s;dur=%.3f", what, float64(time.Since(since).Microseconds())/1000))
}

// fresh answers with JSON that is true for one block and kept by nobody.
func (x *exchange) fresh(body any) error {
	x.Header().Set("Cache-Control", "no-store")
	return x.json(http.StatusOK, body)
}

// cached answers with JSON that may be kept for a while and asked for again
// by its tag.
func (x *exchange) cached(body any) error {
	data, err := line(body)
	if err != nil {
		return err
	}
	x.keep(data, "application/json")
	return nil
}

func (x *exchange) keep(data []byte, contentType string) {
	sum := sha256.Sum256(data)
	x.tag = base64.RawURLEncoding.EncodeToString(sum[:15])
	x.Header().Set("Cache-Control", "public, max-age=30")
	x.send(http.StatusOK, contentType, data)
}

// line is a body as JSON. It ends with a newline, as terminals and tools that
// read lines expect.
func line(body any) ([]byte, error) {
	data, err := json.Marshal(body)
	return append(data, '\n'), err
}

func (x *exchange) json(status int, body any) error {
	data, err := line(body)
	if err != nil {
		return err
	}
	x.send(status, "application/json", data)
	return nil
}

// gzipFrom is the size below which packing takes more time than it saves on
// the wire: some packets, which leave together.
const gzipFrom = 4 << 10

// send writes a whole answer. A packed body is another representation, so its
// strong tag differs.
func (x *exchange) send(status int, contentType string, body []byte) {
	x.showWarnings()
	h := x.Header()
	if len(x.timings) > 0 {
		x.timed("total", x.began)
		h.Set("Server-Timing", strings.Join(x.timings, ", "))
	}
	h.Add("Vary", "Accept-Encoding")
	zip := len(body) >= gzipFrom && acceptsGzip(x.r.Header)
	if x.tag != "" {
		tag := x.tag
		if zip {
			tag += "-gzip"
		}
		tag = `"` + tag + `"`
		h.Set("ETag", tag)
		if holds(x.r.Header, tag) {
			x.WriteHeader(http.StatusNotModified)
			return
		}
	}
	if zip {
		body = pack(body)
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.WriteHeader(status)
	if x.r.Method != http.MethodHead {
		x.Write(body) // the reader may have left: nothing to be done
	}
}

// holds says whether the caller already has the representation of that tag.
func holds(h http.Header, tag string) bool {
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

var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails for unknown levels only
	return w
}}

func pack(body []byte) []byte {
	var b bytes.Buffer
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(&b)
	w.Write(body) // a buffer takes everything
	w.Close()
	return b.Bytes()
}
