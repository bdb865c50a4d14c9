// Package web is the page people use, embedded in the binary.
package web

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed dist
var dist embed.FS

// policy lets the page run its own files, talk to its own origin and show
// token images; nothing inline, nothing framed.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' https: data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler serves the page at /, the docs at /docs and their files below
// /assets/.
func Handler() http.Handler {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	serve := func(name func(*http.Request) string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			name := name(r)
			if info, err := fs.Stat(files, name); err != nil || info.IsDir() {
				http.NotFound(w, r)
				return
			}
			h := w.Header()
			h.Set("Content-Security-Policy", policy)
			h.Set("Referrer-Policy", "no-referrer")
			h.Set("X-Content-Type-Options", "nosniff")
			h.Set("Cache-Control", "no-cache")
			http.ServeFileFS(w, r, files, name)
		}
	}
	named := func(name string) func(*http.Request) string { return func(*http.Request) string { return name } }
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", serve(named("index.html")))
	mux.Handle("GET /docs", serve(named("docs.html")))
	mux.Handle("GET /assets/{file}", serve(func(r *http.Request) string { return "assets/" + r.PathValue("file") }))
	return mux
}
