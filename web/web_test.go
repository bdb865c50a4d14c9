package web

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

var link = regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`)

// TestPage asks for the pages and every file they name; before the first build
// for what stands in their place.
func TestPage(t *testing.T) {
	h := Handler(nil)
	_, err := fs.Stat(dist, "dist/index.html")
	built := err == nil
	for _, path := range []string{"/", "/market", "/docs"} {
		body := fetch(t, h, path, "text/html", "").Body.String()
		if regexp.MustCompile(`<style|<script>|style="|\son[a-z]+="`).MatchString(body) {
			t.Errorf("%s holds inline code, which the policy refuses", path)
		}
		files := link.FindAllStringSubmatch(body, -1)
		if built && len(files) == 0 {
			t.Errorf("%s names no files", path)
		}
		for _, f := range files {
			fetch(t, h, f[1], "", "")
		}
	}
}

var small = fstest.MapFS{
	"index.html":          {Data: []byte("<head>" + slot + "</head>")},
	"assets/a-1234.js":    {Data: []byte("let a")},
	"assets/a-1234.js.gz": {Data: []byte("packed")},
	"assets/theme.js":     {Data: []byte("let b")},
}

// TestLocal: the key stands in the page of a local chain and in no other.
func TestLocal(t *testing.T) {
	local := &Local{RPC: "/rpc", Account: "0xf3", Key: `0xac"><script>`}
	if body := fetch(t, handler(small, local), "/", "text/html", "").Body.String(); !strings.Contains(body, "0xac") || strings.Contains(body, "<script>") {
		t.Errorf("the page of a local chain: %s", body)
	}
	if body := fetch(t, handler(small, nil), "/", "text/html", "").Body.String(); !strings.Contains(body, slot) {
		t.Errorf("the page of another chain: %s", body)
	}
}

// TestPacked: files whose name holds their hash are kept for good, packed ones
// go only to those who can unpack them.
func TestPacked(t *testing.T) {
	h := handler(small, nil)
	w := fetch(t, h, "/assets/a-1234.js", "text/javascript", "br, gzip")
	if w.Body.String() != "packed" || w.Header().Get("Content-Encoding") != "gzip" || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("with gzip: %q %v", w.Body, w.Header())
	}
	if w := fetch(t, h, "/assets/a-1234.js", "text/javascript", ""); w.Body.String() != "let a" || w.Header().Get("Vary") == "" {
		t.Errorf("without gzip: %q %v", w.Body, w.Header())
	}
	if w := fetch(t, h, "/assets/theme.js", "text/javascript", "gzip"); w.Body.String() != "let b" || w.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("a name without hash: %q %v", w.Body, w.Header())
	}
}

func TestUnknownFile(t *testing.T) {
	h := handler(small, nil)
	for _, path := range []string{"/assets/none.js", "/assets/a-1234.js.gz", "/assets/%2e%2e", "/assets/%2e%2e%2findex.html", "/assets/index.html", "/web.go"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func fetch(t *testing.T, h http.Handler, path, contentType, encodings string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept-Encoding", encodings)
	h.ServeHTTP(w, r)
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), contentType) {
		t.Errorf("%s: %d %s", path, w.Code, w.Header().Get("Content-Type"))
	}
	if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("%s: policy %q", path, csp)
	}
	return w
}
