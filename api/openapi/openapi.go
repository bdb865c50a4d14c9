// Package openapi checks HTTP responses against an OpenAPI document, for the tests of api.
//
// It is a package of its own because the compiler spends about 15 s of CPU on
// any package that imports libopenapi (its generic types are instantiated
// there): here that is paid once, and not with every change of a test.
package openapi

import (
	"fmt"
	"net/http"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/errors"
)

// Document is a parsed OpenAPI document. It holds functions and not the
// validator, or packages that import this one would meet its types again.
type Document struct {
	validate         func() []string
	validateResponse func(*http.Request, *http.Response) []string
}

// Parse reads a document in JSON or YAML.
func Parse(text []byte) (Document, error) {
	parsed, err := libopenapi.NewDocument(text)
	if err != nil {
		return Document{}, err
	}
	v, errs := validator.NewValidator(parsed)
	if len(errs) > 0 {
		return Document{}, errs[0]
	}
	return Document{
		func() []string { return texts(v.ValidateDocument()) },
		func(request *http.Request, response *http.Response) []string {
			return texts(v.ValidateHttpResponse(request, response))
		},
	}, nil
}

// Validate lists what keeps the document from being valid OpenAPI.
func (d Document) Validate() []string { return d.validate() }

// ValidateResponse lists where a response differs from what the document says
// about the method and path of the request. It consumes the response's body.
func (d Document) ValidateResponse(request *http.Request, response *http.Response) []string {
	return d.validateResponse(request, response)
}

func texts(valid bool, errs []*errors.ValidationError) (list []string) {
	if valid {
		return nil
	}
	for _, e := range errs {
		list = append(list, fmt.Sprint(e.Message, ": ", e.Reason, " ", e.SchemaValidationErrors))
	}
	return list
}
