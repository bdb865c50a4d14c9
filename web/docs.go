package web

import (
	"bytes"
	"encoding/json"
	"html/template"
)

// publicRPC is the node that the examples of the docs use if there is no local
// chain.
const publicRPC = "https://rpc.monad.xyz"

// problem is a row of the API's table of errors.
type problem struct {
	Code      string
	Status    int
	Title     string
	Retryable bool
}

// problems decodes the body of /errors.json; it may be empty.
func problems(body []byte) []problem {
	var catalogue struct{ Errors []problem }
	if len(body) > 0 {
		if err := json.Unmarshal(body, &catalogue); err != nil {
			panic(err) // the API's own table
		}
	}
	return catalogue.Errors
}

// docs executes docs.html as a template with what only the running service knows.
// The build renders everything else (web/src/guide.tsx), with template actions
// between {% and %}. Nothing that is filled in comes from a request.
func docs(page []byte, site Site) []byte {
	data := struct {
		Origin string // of the API, in the examples
		Own    string // Origin if it is only the listener's address: the script replaces it by the page's own
		RPC    string
		Key    string
		Local  bool
		Errors []problem
	}{Origin: site.PublicURL, RPC: publicRPC, Key: "0x…", Errors: problems(site.Errors)}
	if site.PublicURL == "" {
		data.Origin, data.Own = site.Address, site.Address
	}
	if site.Local != nil {
		data.Local, data.Key, data.RPC = true, site.Local.Key, data.Origin+site.Local.RPC
	}
	var filled bytes.Buffer
	if err := template.Must(template.New("docs").Delims("{%", "%}").Parse(string(page))).Execute(&filled, data); err != nil {
		panic(err) // the build's own template, and a buffer
	}
	return filled.Bytes()
}
