// Package web is the page people use, embedded in the binary.
package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// dist is what Vite builds. Before the first build it is empty, and the binary
// serves placeholder instead.
//
//go:embed all:dist
var dist embed.FS

// policy is the content security policy: scripts and styles only from files of this
// origin, connections only to this origin, images from anywhere (logos of tokens),
// no frames.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https: data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const placeholder = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>braid</title></head>
<body><h1>braid</h1><p>The API is at /api/v1 and described by <a href="/openapi.json">/openapi.json</a>.
This binary was built without the page: <code>make run</code> builds both.</p></body></html>
`

// Local is the account of a local chain, with which the page can swap without a
// wallet. Its key is public.
type Local struct {
	RPC     string `json:"rpc"` // path of the chain's JSON-RPC on this origin
	Account string `json:"account"`
	Key     string `json:"key"`
}

// Site is what the pages show of the service that serves them.
type Site struct {
	PublicURL string // URL by which it is reached from outside; empty if not known
	Address   string // URL of its listener, shown if PublicURL is not known
	Errors    []byte // the body of /errors.json
	Local     *Local // account of the local chain; nil on other chains
}

// localMeta is the element of the pages that holds Local as JSON, if there is one.
const localMeta = `<meta name="braid:local" content="">`

// Handler serves the pages at /, /market and /docs, their files below /assets/, and
// a page for status 404 at any other path.
func Handler(site Site) http.Handler {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return handler(files, site)
}

func handler(files fs.FS, site Site) http.Handler {
	mux := http.NewServeMux()
	for pattern, name := range map[string]string{"GET /{$}": "index.html", "GET /market": "market.html", "GET /docs": "docs.html"} {
		body := page(files, name, site)
		compressed := compress(body)
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			setHeaders(w.Header(), "no-cache")
			serve(w, r, name, body, compressed)
		})
	}
	missing := page(files, "missing.html", site)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		setHeaders(w.Header(), "no-store")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		w.Write(missing) // an error means that the client has gone
	})
	mux.HandleFunc("GET /assets/{file}", func(w http.ResponseWriter, r *http.Request) {
		asset(w, r, files, "assets/"+r.PathValue("file"))
	})
	return mux
}

// page is a page of the build, with what it shows of the site filled in.
func page(files fs.FS, name string, site Site) []byte {
	body, err := fs.ReadFile(files, name)
	if err != nil {
		return []byte(placeholder)
	}
	if name == "docs.html" {
		return docs(body, site)
	}
	if site.Local != nil {
		local, err := json.Marshal(site.Local)
		if err != nil {
			panic(err) // three strings
		}
		body = bytes.Replace(body, []byte(localMeta), []byte(strings.Replace(localMeta, `""`, `"`+html.EscapeString(string(local))+`"`, 1)), 1)
	}
	return body
}

// compress is body as gzip.
func compress(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(body) // writes to a buffer do not fail
	w.Close()
	return b.Bytes()
}

// asset serves a file, compressed if the build compressed it and the client accepts
// that. A file whose name holds its hash (Vite's do) never changes.
func asset(w http.ResponseWriter, r *http.Request, files fs.FS, name string) {
	body, err := fs.ReadFile(files, name)
	if err != nil || path.Ext(name) == ".gz" {
		http.NotFound(w, r)
		return
	}
	cacheControl := "no-cache"
	if hashed := strings.Contains(path.Base(name), "-"); hashed {
		cacheControl = "public, max-age=31536000, immutable"
	}
	setHeaders(w.Header(), cacheControl)
	compressed, _ := fs.ReadFile(files, name+".gz")
	serve(w, r, name, body, compressed)
}

// serve sends the compressed form, if there is one, to clients that accept gzip, and
// body to others.
func serve(w http.ResponseWriter, r *http.Request, name string, body, compressed []byte) {
	if len(compressed) > 0 {
		w.Header().Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			body = compressed
		}
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

// setHeaders sets the headers that all answers have.
func setHeaders(h http.Header, cacheControl string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", cacheControl)
}
