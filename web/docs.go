package web

import (
	"bytes"
	"encoding/json"
	"html/template"
)

// publicRPC is the node that the docs name where there is no local chain.
const publicRPC = "https://rpc.monad.xyz"

// problem is a row of the table of errors.
type problem struct {
	Code      string
	Status    int
	Title     string
	Retryable bool
}

// problems reads the body of /errors.json, if the service has one.
func problems(body []byte) []problem {
	var catalogue struct{ Errors []problem }
	if len(body) > 0 {
		if err := json.Unmarshal(body, &catalogue); err != nil {
			panic(err) // the API's own table
		}
	}
	return catalogue.Errors
}

// docs fills what only the running service knows into docs.html: the build
// renders everything else (web/src/guide.tsx) and leaves actions of a template
// between {% and %}. Nothing of it comes from a request.
func docs(page []byte, site Site) []byte {
	fill := struct {
		Origin string // of the API, as the blocks print it
		Own    string // the same where it is but the listener's: the script puts the reader's in its place
		RPC    string
		Key    string
		Local  bool
		Errors []problem
	}{Origin: site.PublicURL, RPC: publicRPC, Key: "0x…", Errors: problems(site.Errors)}
	if site.PublicURL == "" {
		fill.Origin, fill.Own = site.Address, site.Address
	}
	if site.Local != nil {
		fill.Local, fill.Key, fill.RPC = true, site.Local.Key, fill.Origin+site.Local.RPC
	}
	var filled bytes.Buffer
	if err := template.Must(template.New("docs").Delims("{%", "%}").Parse(string(page))).Execute(&filled, fill); err != nil {
		panic(err) // the build's own template, and a buffer
	}
	return filled.Bytes()
}
