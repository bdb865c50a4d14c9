package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
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

// snapshotAge is the time since the snapshot was last confirmed to be that of the
// nodes' head; the longest duration if it never was.
func (s *server) snapshotAge() time.Duration {
	updated := s.Health().Updated
	if updated.IsZero() {
		return math.MaxInt64
	}
	return max(s.Now().Sub(updated), 0)
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
