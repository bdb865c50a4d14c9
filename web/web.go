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

// dist is what Vite builds. A checkout on which npm has not run holds nothing
// there, and the binary shows placeholder instead.
//
//go:embed all:dist
var dist embed.FS

// policy lets the page run its own files, talk to its own origin and show
// token images; nothing inline, nothing framed.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https: data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const placeholder = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>braid</title></head>
<body><h1>braid</h1><p>The API is at /api/v1 and described by <a href="/openapi.json">/openapi.json</a>.
This binary was built without the page: <code>make run</code> builds both.</p></body></html>
`

// Local is the account of a local chain, with which a visitor may try swaps
// without a wallet. Its key is known to everyone.
type Local struct {
	RPC     string `json:"rpc"` // the chain's JSON-RPC, a path of this origin
	Account string `json:"account"`
	Key     string `json:"key"`
}

// Site is what the pages tell of the service that they belong to.
type Site struct {
	PublicURL string // origin by which everybody reaches it; empty: not known
	Address   string // origin of its own listener, printed where PublicURL is not known
	Errors    []byte // the body of /errors.json
	Local     *Local // only the service of a local chain gives one
}

// slot is where the pages are told of the local chain.
const slot = `<meta name="braid:local" content="">`

// Handler serves the pages at /, /market and /docs, their files below
// /assets/, and a page that says so at any other path. The pages of a service without a local chain know no account.
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
		packed := pack(body)
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			head(w.Header(), "no-cache")
			serve(w, r, name, body, packed)
		})
	}
	missing := page(files, "missing.html", site)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		head(w.Header(), "no-store")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		w.Write(missing) // the reader may have left: nothing to be done
	})
	mux.HandleFunc("GET /assets/{file}", func(w http.ResponseWriter, r *http.Request) {
		asset(w, r, files, "assets/"+r.PathValue("file"))
	})
	return mux
}

func page(files fs.FS, name string, site Site) []byte {
	body, err := fs.ReadFile(files, name)
	if err != nil {
		return []byte(placeholder)
	}
	if name == "docs.html" {
		return docs(body, site)
	}
	if site.Local != nil {
		told, err := json.Marshal(site.Local)
		if err != nil {
			panic(err) // three strings
		}
		body = bytes.Replace(body, []byte(slot), []byte(strings.Replace(slot, `""`, `"`+html.EscapeString(string(told))+`"`, 1)), 1)
	}
	return body
}

func pack(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(body) // a buffer takes everything
	w.Close()
	return b.Bytes()
}

// asset serves a file, packed if the build packed it and the reader can
// unpack. Vite writes a file's hash into its name, so it never changes.
func asset(w http.ResponseWriter, r *http.Request, files fs.FS, name string) {
	body, err := fs.ReadFile(files, name)
	if err != nil || path.Ext(name) == ".gz" {
		http.NotFound(w, r)
		return
	}
	kept := "no-cache"
	if hashed := strings.Contains(path.Base(name), "-"); hashed {
		kept = "public, max-age=31536000, immutable"
	}
	head(w.Header(), kept)
	packed, _ := fs.ReadFile(files, name+".gz")
	serve(w, r, name, body, packed)
}

// serve sends packed, where there is such a form, to readers that can unpack.
func serve(w http.ResponseWriter, r *http.Request, name string, body, packed []byte) {
	if len(packed) > 0 {
		w.Header().Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			body = packed
		}
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

func head(h http.Header, kept string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", kept)
}
