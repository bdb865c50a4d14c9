package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// TestBodiesEndWithANewline: so that a terminal's next prompt is on a line of its
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

func TestSecurityTxt(t *testing.T) {
	s := serve(t, func(c *Config) { c.Contact = "mailto:security@example.org" })
	if got := string(s.get("/.well-known/security.txt").raw); !strings.HasPrefix(got, "Contact: mailto:security@example.org\nExpires: 2027-02-14T") {
		t.Errorf("security.txt: %s", got)
	}
	a := serve(t).get("/.well-known/security.txt")
	var p problemBody
	a.into(t, &p)
	if a.status != http.StatusNotFound || p.Code != notFound || !strings.Contains(p.Detail, "--contact") {
		t.Errorf("without a contact: %d %s", a.status, a.raw)
	}
}

// TestServers: the document names the URL of the configuration, whatever Host a
// client sends.
func TestServers(t *testing.T) {
	for public, want := range map[string]string{"": "/", "https://swap.example.org/braid": "https://swap.example.org/braid"} {
		s := serve(t, func(c *Config) { c.Public = public })
		r, err := http.NewRequest("GET", s.URL+"/openapi.json", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "evil.example"
		r.Header.Set("X-Forwarded-Host", "evil.example")
		res, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var d struct{ Servers []struct{ URL string } }
		if err := json.NewDecoder(res.Body).Decode(&d); err != nil {
			t.Fatal(err)
		}
		if len(d.Servers) != 1 || d.Servers[0].URL != want {
			t.Errorf("%q: %+v", public, d.Servers)
		}
	}
}
