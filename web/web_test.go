package web

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`)

// TestPage asks for the pages and every file they name.
func TestPage(t *testing.T) {
	h := Handler()
	for _, path := range []string{"/", "/docs"} {
		body := fetch(t, h, path, "text/html")
		if strings.Contains(body, "<style") || strings.Contains(body, "onclick") || regexp.MustCompile(`<script>|style="`).MatchString(body) {
			t.Errorf("%s holds inline code, which the policy refuses", path)
		}
		files := link.FindAllStringSubmatch(body, -1)
		if len(files) == 0 {
			t.Errorf("%s names no files", path)
		}
		for _, f := range files {
			fetch(t, h, f[1], "")
		}
	}
}

func TestUnknownFile(t *testing.T) {
	for _, path := range []string{"/assets/none.js", "/assets/%2e%2e", "/assets/%2e%2e%2findex.html", "/assets/index.html", "/web.go"} {
		w := httptest.NewRecorder()
		Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func fetch(t *testing.T, h http.Handler, path, contentType string) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), contentType) {
		t.Errorf("%s: %d %s", path, w.Code, w.Header().Get("Content-Type"))
	}
	if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("%s: policy %q", path, csp)
	}
	return w.Body.String()
}
