package api

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"braid/router"
	"braid/venue"
)

// code identifies a kind of error for clients; its meaning never changes.
type code string

const (
	missingParameter      code = "MISSING_PARAMETER"
	invalidAddress        code = "INVALID_ADDRESS"
	invalidChecksum       code = "INVALID_CHECKSUM"
	invalidRecipient      code = "INVALID_RECIPIENT"
	invalidAmount         code = "INVALID_AMOUNT"
	ambiguousAmount       code = "AMBIGUOUS_AMOUNT"
	invalidSlippage       code = "INVALID_SLIPPAGE"
	invalidLimit          code = "INVALID_LIMIT"
	sameToken             code = "SAME_TOKEN"
	wrongChain            code = "WRONG_CHAIN"
	unknownSource         code = "UNKNOWN_SOURCE"
	duplicateParameter    code = "DUPLICATE_PARAMETER"
	invalidParameter      code = "INVALID_PARAMETER"
	validationFailed      code = "VALIDATION_FAILED"
	unknownToken          code = "UNKNOWN_TOKEN"
	noRoute               code = "NO_ROUTE"
	insufficientLiquidity code = "INSUFFICIENT_LIQUIDITY"
	amountTooSmall        code = "AMOUNT_TOO_SMALL"
	priceImpactTooHigh    code = "PRICE_IMPACT_TOO_HIGH"
	minAmountOutTooHigh   code = "MIN_AMOUNT_OUT_TOO_HIGH"
	unknownTransaction    code = "UNKNOWN_TRANSACTION"
	notFound              code = "NOT_FOUND"
	methodNotAllowed      code = "METHOD_NOT_ALLOWED"
	uriTooLong            code = "URI_TOO_LONG"
	rateLimited           code = "RATE_LIMITED"
	internal              code = "INTERNAL"
	stateStale            code = "STATE_STALE"
	nodeUnavailable       code = "NODE_UNAVAILABLE"
	overloaded            code = "OVERLOADED"
	timeout               code = "TIMEOUT"
)

// errorClass is a row of the error table: what all errors of a code share.
type errorClass struct {
	Code      code   `json:"code"`
	Status    int    `json:"status"`
	Title     string `json:"title"`
	Retryable bool   `json:"retryable"` // the same request may succeed later, unchanged
}

// errorTable has every code. Where several apply, 400 comes before 404, and 404
// before 422.
var errorTable = []errorClass{
	{missingParameter, 400, "A required parameter is missing or empty", false},
	{invalidAddress, 400, "An address is not 0x and 40 hex digits", false},
	{invalidChecksum, 400, "The recipient's EIP-55 checksum is wrong", false},
	{invalidRecipient, 400, "The recipient cannot be paid", false},
	{invalidAmount, 400, "The amount is not an integer from 1 to 2^256-1 in raw units", false},
	{ambiguousAmount, 400, "Both an amount in and an amount out are given", false},
	{invalidSlippage, 400, "The slippage is not an integer from 0 to 10000", false},
	{invalidLimit, 400, "The limit is not an integer of at least 1", false},
	{sameToken, 400, "Input and output are the same token", false},
	{wrongChain, 400, "The request is for another chain", false},
	{unknownSource, 400, "A source that is named does not exist", false},
	{duplicateParameter, 400, "A parameter is given twice", false},
	{invalidParameter, 400, "A parameter is malformed or out of range", false},
	{validationFailed, 400, "Several parameters are wrong", false},
	{unknownToken, 404, "A token is not known", false},
	{noRoute, 404, "No route joins the tokens", false},
	{insufficientLiquidity, 404, "The amount is beyond the depth of the market", false},
	{amountTooSmall, 404, "The output rounds to nothing", false},
	{priceImpactTooHigh, 422, "The price impact is above the guard", false},
	{minAmountOutTooHigh, 422, "The quoted amount is below minAmountOut", false},
	{unknownTransaction, 404, "No swap of the aggregator has this hash", false},
	{notFound, 404, "No such path", false},
	{methodNotAllowed, 405, "No such method on this path", false},
	{uriTooLong, 414, "The URL is too long", false},
	{rateLimited, 429, "Too many requests", true},
	{internal, 500, "Something is broken on this side", false},
	{stateStale, 503, "The market is not loaded, or too old", true},
	{nodeUnavailable, 502, "No node answered", true},
	{overloaded, 503, "More is asked than can be answered", true},
	{timeout, 504, "The time budget is spent", true},
}

// classOf is the row of a code.
func classOf(c code) errorClass {
	for _, row := range errorTable {
		if row.Code == c {
			return row
		}
	}
	return classOf(internal)
}

// sentinels maps the errors of other packages to codes, by errors.Is.
var sentinels = []struct {
	err        error
	code       code
	detail     string
	retryAfter time.Duration
}{
	{router.ErrUnknownToken, unknownToken, "a token is of no pool here; /api/v1/tokens lists those that can be traded", 0},
	{router.ErrNoRoute, noRoute, noPoolsMessage, 0},
	{venue.ErrEmpty, noRoute, noPoolsMessage, 0},
	{venue.ErrTooLarge, insufficientLiquidity, "the pools between the tokens cannot take so much; give less", 0},
	{venue.ErrTooSmall, amountTooSmall, "so little buys less than one raw unit of tokenOut; give more", 0},
	{context.DeadlineExceeded, timeout, timeoutMessage, time.Second},
	{context.Canceled, timeout, timeoutMessage, time.Second},
}

const (
	noPoolsMessage = "no pools with liquidity lead from tokenIn to tokenOut; choose other tokens, or ask again later"
	timeoutMessage = "there was no answer in the time that one request may take; ask again"
)

// problem is an error as the client will see it.
type problem struct {
	code        code
	detail      string // what is wrong and what would be right, in one line; empty: the title
	paramErrors []paramError
	hints       hints
	retryAfter  time.Duration // for the header Retry-After; 0: none
}

// nodeRetry is the Retry-After of NODE_UNAVAILABLE.
const nodeRetry = time.Second

// errOverloaded rejects a request that would have to wait for too long.
var errOverloaded error = &problem{
	code: overloaded, retryAfter: time.Second,
	detail: "the service has more requests than it can answer now; ask again after as many seconds as Retry-After says",
}

// paramError is what is wrong with one parameter. The message begins with a verb,
// as in "is empty", so that the name can be written before it.
type paramError struct {
	Parameter string `json:"parameter"`
	Code      code   `json:"code"`
	Message   string `json:"message"`
}

// hints are values with which a changed request would succeed; amounts are in raw
// units.
type hints struct {
	DidYouMean      []string `json:"didYouMean,omitempty"`
	ExcludedSources []string `json:"excludedSources,omitempty"`
	MaxAmountIn     string   `json:"maxAmountIn,omitempty"`
	MinAmountIn     string   `json:"minAmountIn,omitempty"`
	MaxAmountOut    string   `json:"maxAmountOut,omitempty"`
	AmountOut       string   `json:"amountOut,omitempty"`
	PriceImpactBps  int      `json:"priceImpactBps,omitempty"`
	Untried         int      `json:"untried,omitempty"`
}

func (p *problem) Error() string { return string(p.code) + ": " + p.detail }

// validationProblem is the problem of a request with wrong parameters. Its code is
// that of the errors if they have the same, or else VALIDATION_FAILED.
func validationProblem(errs []paramError, h hints) *problem {
	p := &problem{code: errs[0].Code, paramErrors: errs, hints: h}
	lines := make([]string, len(errs))
	for i, e := range errs {
		lines[i] = e.Parameter + " " + e.Message
		if e.Code != p.code {
			p.code = validationFailed
		}
	}
	p.detail = strings.Join(lines, "; ")
	return p
}

// asProblem turns any error into a problem. One that no sentinel matches is a bug:
// INTERNAL.
func asProblem(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	for _, c := range sentinels {
		if errors.Is(err, c.err) {
			return &problem{code: c.code, detail: c.detail, retryAfter: c.retryAfter}
		}
	}
	return &problem{code: internal}
}

// writeProblem answers with an error.
func (s *server) writeProblem(w *response, err error) {
	p, body := s.renderProblem(w, err)
	if p.retryAfter > 0 {
		seconds := int((p.retryAfter + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	w.Header().Set("Cache-Control", "no-store")
	w.outcome, w.etag = string(p.code), ""
	w.writeBody(classOf(p.code).Status, "application/problem+json", append(body, '\n'))
}

// renderProblem is an error as JSON (RFC 9457). Only a bug is logged, with the
// whole error. Cached problems are shared by requests, so the problem is copied
// and not changed.
func (s *server) renderProblem(w *response, err error) (problem, []byte) {
	shared := asProblem(err)
	p, row := *shared, classOf(shared.code)
	if row.Code == internal && err != error(shared) {
		s.Log.Error("bug", "id", w.id, "route", w.route, "error", err)
	}
	if p.detail == "" {
		p.detail = row.Title
	}
	if p.paramErrors == nil {
		p.paramErrors = []paramError{}
	}
	body, _ := json.Marshal(struct { // strings and integers only: cannot fail
		Type      string       `json:"type"`
		Title     string       `json:"title"`
		Status    int          `json:"status"`
		Detail    string       `json:"detail"`
		Code      code         `json:"code"`
		Error     string       `json:"error"`
		RequestID string       `json:"requestId"`
		Retryable bool         `json:"retryable"`
		Errors    []paramError `json:"errors"`
		Hints     hints        `json:"hints"`
	}{"/errors.json#" + string(row.Code), row.Title, row.Status, p.detail, row.Code, p.detail, w.id, row.Retryable, p.paramErrors, p.hints})
	return p, body
}

// Errors is the table of all error codes as JSON, the body of /errors.json: under
// "errors", objects with type, code, status, title and retryable.
func Errors() []byte {
	body, _ := json.Marshal(errorList()) // strings and integers only: cannot fail
	return body
}

func (s *server) errorList(w *response) error { return w.writeCached(errorList()) }

// errorList is the body of /errors.json.
func errorList() any {
	type entry struct {
		Type string `json:"type"`
		errorClass
	}
	list := make([]entry, len(errorTable))
	for i, row := range errorTable {
		list[i] = entry{"/errors.json#" + string(row.Code), row}
	}
	return map[string][]entry{"errors": list}
}
