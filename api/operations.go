package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"time"

	"braid/monad"
)

// document is the OpenAPI document of all paths. The tests check every answer
// against it.
//
//go:embed openapi.json
var document []byte

// documentFor is the document with the public URL as its server. The Host header
// is written by the client, so it is not used. Without a URL the server is "/",
// which is relative to where the document was fetched.
func documentFor(public string) []byte {
	if public == "" {
		return document
	}
	url, _ := json.Marshal(public) // a string: cannot fail
	return bytes.Replace(document, []byte(relativeServer), append([]byte(`"url": `), url...), 1)
}

const relativeServer = `"url": "/"`

// healthz is the endpoint /healthz: the process answers.
func (s *server) healthz(w *response) error {
	return w.writeUncached(map[string]string{"status": "ok"})
}

// readyz is the endpoint /readyz: whether quotes can be given, and if not, why.
func (s *server) readyz(w *response) error {
	h := s.Health()
	body := struct {
		Ready      bool    `json:"ready"`
		Reason     string  `json:"reason"`
		Reachable  bool    `json:"nodeReachable"`
		Block      uint64  `json:"block"`
		Lag        uint64  `json:"lag"`
		Updated    *string `json:"updated"`
		AgeSeconds *int64  `json:"ageSeconds"`

		Paused map[string]string `json:"paused"`
	}{Paused: map[string]string{}, Ready: h.Ready, Reason: h.Reason, Reachable: h.Reachable, Block: h.Block, Lag: h.Lag}
	maps.Copy(body.Paused, h.Paused)
	if !h.Updated.IsZero() {
		body.Updated = new(h.Updated.UTC().Format(time.RFC3339))
		body.AgeSeconds = new(int64(s.snapshotAge().Seconds()))
	}
	if _, err := s.head(); err != nil {
		body.Ready = false
		if body.Reason == "" {
			body.Reason = asProblem(err).detail
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	if body.Ready {
		return w.writeJSON(http.StatusOK, body)
	}
	w.Header().Set("Retry-After", "1")
	return w.writeJSON(http.StatusServiceUnavailable, body)
}

// snapshotAge is the time since the snapshot was last confirmed to be that of the
// nodes' head; the longest duration if it never was.
func (s *server) snapshotAge() time.Duration {
	updated := s.Health().Updated
	if updated.IsZero() {
		return math.MaxInt64
	}
	return max(s.Now().Sub(updated), 0)
}

// scrape is the endpoint /metrics.
func (s *server) scrape(w *response) error {
	w.Header().Set("Cache-Control", "no-store")
	s.metrics.handler.ServeHTTP(w, w.r)
	return nil
}

func (s *server) version(w *response) error {
	return w.writeUncached(map[string]any{"version": s.Version, "chainId": monad.ChainID})
}

func (s *server) openapi(w *response) error {
	w.writeCachedBytes(s.document, "application/json")
	return nil
}

// security is the endpoint /.well-known/security.txt (RFC 9116). It needs a
// contact.
func (s *server) security(w *response) error {
	if s.Contact == "" {
		return &problem{code: notFound, detail: "the operator of this instance has named no contact for security reports (--contact)"}
	}
	expires := s.Now().Add(30 * 24 * time.Hour).UTC().Format(time.RFC3339)
	w.Header().Set("Cache-Control", "no-store")
	w.writeBody(http.StatusOK, "text/plain; charset=utf-8", []byte("Contact: "+s.Contact+"\nExpires: "+expires+"\nPreferred-Languages: en\n"))
	return nil
}

// page serves the web page. A file that it does not have is answered like any
// unknown path.
func (s *server) page(w *response) error {
	page := &pageWriter{response: w}
	s.Page.ServeHTTP(page, w.r)
	if page.missing {
		return unknownPath()
	}
	return nil
}

// pageWriter suppresses a 404 of the page's handler, so that it can be answered as
// a problem.
type pageWriter struct {
	*response
	missing bool
}

func (w *pageWriter) WriteHeader(status int) {
	if w.missing = status == http.StatusNotFound; !w.missing {
		w.response.WriteHeader(status)
	}
}

func (w *pageWriter) Write(b []byte) (int, error) {
	if w.missing {
		return len(b), nil
	}
	return w.response.Write(b)
}
