package web

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

var link = regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`)

// TestPage requests the pages and every file they refer to; before the first build
// the placeholder.
func TestPage(t *testing.T) {
	h := Handler(Site{})
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
	"index.html": {Data: []byte("<head>" + localMeta + "</head>")},
	"docs.html": {Data: []byte(`<meta name="braid:origin" content="{%.Own%}"><code>"{%.Origin%}/api" {%.RPC%} KEY={%.Key%}</code>` +
		`{%range .Errors%}<tr id="{%.Code%}"><td>{%.Title%}</td></tr>{%end%}`)},
	"assets/a-1234.js":    {Data: []byte("let a")},
	"assets/a-1234.js.gz": {Data: []byte("packed")},
	"assets/theme.js":     {Data: []byte("let b")},
}

// TestLocal: the page holds the key of the local chain, and only there.
func TestLocal(t *testing.T) {
	local := &Local{RPC: "/rpc", Account: "0xf3", Key: `0xac"><script>`}
	if body := fetch(t, handler(small, Site{Local: local}), "/", "text/html", "").Body.String(); !strings.Contains(body, "0xac") || strings.Contains(body, "<script>") {
		t.Errorf("the page of a local chain: %s", body)
	}
	if body := fetch(t, handler(small, Site{}), "/", "text/html", "").Body.String(); !strings.Contains(body, localMeta) {
		t.Errorf("the page of another chain: %s", body)
	}
}

// TestCompressed: files whose name holds their hash may be cached for ever, and
// compressed ones are sent only to clients that accept gzip.
func TestCompressed(t *testing.T) {
	h := handler(small, Site{})
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

// TestDocsAreFilled: the docs show the service's own origin, never one of a request,
// and what is filled in is escaped.
func TestDocsAreFilled(t *testing.T) {
	errors := []byte(`{"errors":[{"code":"NO_ROUTE","status":404,"title":"<b>none</b>","retryable":false}]}`)
	local := &Local{RPC: "/rpc", Key: `0xac"><script>`}
	for _, row := range []struct {
		name  string
		site  Site
		words []string
	}{
		{"own address", Site{Address: "http://127.0.0.1:8080", Errors: errors}, []string{
			`content="http://127.0.0.1:8080"`, `"http://127.0.0.1:8080/api"`, "https://rpc.monad.xyz KEY=0x…", `<tr id="NO_ROUTE"><td>&lt;b&gt;none`}},
		{"public", Site{Address: "http://10.0.0.1:80", PublicURL: "https://braid.example"}, []string{`content=""`, `"https://braid.example/api"`}},
		{"local", Site{Address: "http://127.0.0.1:1", Local: local}, []string{"http://127.0.0.1:1/rpc KEY=0xac&#34;&gt;&lt;script"}},
	} {
		body := fetch(t, handler(small, row.site), "/docs", "text/html", "").Body.String()
		for _, word := range row.words {
			if !strings.Contains(body, word) {
				t.Errorf("%s: no %s in %s", row.name, word, body)
			}
		}
		if strings.Contains(body, "{%") || strings.Contains(body, "example.com") { // httptest's Host
			t.Errorf("%s: %s", row.name, body)
		}
	}
}

// TestDocsAreOfThisAPI: the built docs have every path and parameter of the OpenAPI
// document; if not, `make page` builds them again.
func TestDocsAreOfThisAPI(t *testing.T) {
	if _, err := fs.Stat(dist, "dist/docs.html"); err != nil {
		return // TestPage checks the placeholder
	}
	data, err := os.ReadFile("../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]struct {
			Get struct {
				Parameters []struct{ Name string }
			}
		}
	}
	if err := json.Unmarshal(data, &document); err != nil || len(document.Paths) == 0 {
		t.Fatal(err, len(document.Paths))
	}
	body := fetch(t, Handler(Site{}), "/docs", "text/html", "").Body.String()
	for path, item := range document.Paths {
		_, section, there := strings.Cut(body, `data-path="`+path+`"`)
		if !there {
			t.Errorf("no section for %s", path)
		}
		section, _, _ = strings.Cut(section, "</details>")
		for _, p := range item.Get.Parameters {
			if p.Name != "" && !strings.Contains(section, `data-name="`+p.Name+`"`) {
				t.Errorf("%s: nothing of the parameter %s", path, p.Name)
			}
		}
	}
}

var importPath = regexp.MustCompile(`(?:from|import)[ (]"\./(\w+)"`)

// TestNoImportCircle: no files of the page's source import each other in a circle,
// types included.
func TestNoImportCircle(t *testing.T) {
	names, err := filepath.Glob("src/*.ts*")
	if err != nil || len(names) == 0 {
		t.Fatal("no source:", err)
	}
	imports := map[string][]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		module := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		for _, m := range importPath.FindAllStringSubmatch(string(text), -1) {
			imports[module] = append(imports[module], m[1])
		}
	}
	done := map[string]bool{}
	var visit func(path []string)
	visit = func(path []string) {
		module := path[len(path)-1]
		if at := slices.Index(path, module); at < len(path)-1 {
			t.Errorf("import circle: %s", strings.Join(path[at:], ", "))
		} else if !done[module] {
			for _, next := range imports[module] {
				visit(append(path, next))
			}
			done[module] = true
		}
	}
	for module := range imports {
		visit([]string{module})
	}
}

func TestUnknownFile(t *testing.T) {
	h := handler(small, Site{})
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
