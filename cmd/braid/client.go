package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// maxAnswer is the longest answer that is read, in bytes.
const maxAnswer = 4 << 20

// client follows no redirects: an answer must come from the host that was asked.
var client = &http.Client{
	Timeout:       30 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// fetch is the body and the header of an answer with status 200. Another status is
// an error with the reason that the service gives.
func fetch(ctx context.Context, address string) (body []byte, header http.Header, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	at := req.URL.Scheme + "://" + req.URL.Host
	resp, err := client.Do(req)
	if fault := new(url.Error); errors.As(err, &fault) {
		return nil, nil, fmt.Errorf("no service answers at %s (%w): start one with `make run` or `braid dev`, or give its address with --addr or BRAID_ADDR", at, fault.Err)
	}
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("the answer of %s is incomplete: %w", at, err)
	case len(body) > maxAnswer:
		return nil, nil, fmt.Errorf("the answer of %s is longer than %d bytes", at, maxAnswer)
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, nil, fmt.Errorf("%s redirects to %.200q: ask there if you trust it", at, resp.Header.Get("Location"))
	case resp.StatusCode != http.StatusOK:
		return nil, nil, serviceError(at, resp.StatusCode, body)
	}
	return body, resp.Header, nil
}

// serviceError is the reason that an answer with another status than 200 gives.
func serviceError(at string, status int, body []byte) error {
	var reason struct{ Code, Detail string }
	if json.Unmarshal(body, &reason) != nil || reason.Code == "" {
		return fmt.Errorf("%s answers %d %s, and not as braid does: is another program listening there?", at, status, http.StatusText(status))
	}
	return fmt.Errorf("the service answers %d %s: %s", status, plainText(reason.Code), plainText(reason.Detail))
}

// getJSON decodes an answer of the service into v.
func getJSON(ctx context.Context, address string, v any) error {
	body, _, err := fetch(ctx, address)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("what answers at %.80s is not braid: %w", address, err)
	}
	return nil
}

// plainText makes foreign text safe to print on a terminal: no control characters,
// and at most 400 characters.
func plainText(s string) string {
	const limit = 400
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return s
}
