package api

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// query holds the values of the parameters that an endpoint knows. It collects
// the errors of all of them, so that one answer can name them all.
type query struct {
	values   map[string]string
	repeated []string        // values of the one parameter that may be repeated
	rejected map[string]bool // names of parameters with an error
	errors   []paramError
	hints    hints
}

// repeatable is the name of the one parameter that may be given more than once.
const repeatable = "q"

// readQuery reads the known parameters of a request and ignores the others, with
// a warning for those that look like a mistake. Text that is not valid
// percent-encoding is taken literally and checked like any other value.
func readQuery(w *response, known []string) *query {
	q := &query{values: map[string]string{}, rejected: map[string]bool{}}
	unknown := 0
	for pair := range strings.SplitSeq(w.r.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, value = unescape(name), unescape(value)
		if !slices.Contains(known, name) {
			if unknown++; unknown <= maxUnknownParams && isLikelyMistake(name, known) {
				w.warn("UNKNOWN_PARAMETER;name=" + name)
			}
			continue
		}
		if name == repeatable {
			q.repeated = append(q.repeated, value)
		} else if _, twice := q.values[name]; twice && !q.rejected[name] {
			q.reject(name, duplicateParameter, "is given more than once; give it once")
		}
		q.values[name] = value
	}
	return q
}

func unescape(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

// reject records what is wrong with a parameter.
func (q *query) reject(name string, c code, message string) {
	q.rejected[name] = true
	q.errors = append(q.errors, paramError{name, c, message})
}

// err is the problem that lists all errors, nil if there are none.
func (q *query) err() error {
	if len(q.errors) == 0 {
		return nil
	}
	return validationProblem(q.errors, q.hints)
}

// optional is the value of a parameter; false if it is absent or rejected.
func (q *query) optional(name string) (string, bool) {
	v, given := q.values[name]
	return v, given && !q.rejected[name]
}

// required is the value of a parameter that must be there and not empty; false
// if it is rejected, now or before.
func (q *query) required(name string) (string, bool) {
	if q.rejected[name] {
		return "", false
	}
	v := q.values[name]
	if v == "" {
		q.reject(name, missingParameter, "is required"+requiredMessages[name])
	}
	return v, v != ""
}

// requiredMessages say what a required parameter is, after "is required".
var requiredMessages = map[string]string{
	"tokenIn":      ": the address of the token to sell; /api/v1/tokens lists tokens",
	"tokenOut":     ": the address of the token to buy; /api/v1/tokens lists tokens",
	"amount":       ": how much of tokenIn to sell, an integer in raw units",
	"amountOut":    " where it is given: how much of tokenOut to buy, an integer in raw units",
	"recipient":    ": the address that receives the output",
	"feeRecipient": " with feeBps: the address that the fee is paid to",
	"tokens":       ": the addresses of up to 100 tokens, separated by commas; /api/v1/tokens lists tokens",
	"tx":           ": the hash of a transaction",
	"q":            ": tokenIn:tokenOut:amount, repeated for up to 50 orders",
	"owner":        " where it is given: the address that signs; leave it out if that is the recipient",
}

// address reads a required address: 0x and 40 hex digits in any case. The
// checksum (EIP-55) is not checked here.
func (q *query) address(name string) (a common.Address, ok bool) {
	v, ok := q.required(name)
	if !ok {
		return a, false
	}
	if !isAddress(v) {
		q.reject(name, invalidAddress, addressMessage(name, v))
		return a, false
	}
	return common.HexToAddress(v), true
}

// amount reads a required amount in raw units, 1 to 2^256-1, in decimal digits;
// leading zeros are allowed.
func (q *query) amount(name string) u256.Int {
	v, ok := q.required(name)
	if !ok {
		return u256.Zero
	}
	n, ok := parseDecimal(v)
	if !ok || n.IsZero() {
		q.reject(name, invalidAmount, amountMessage(v, "1"))
	}
	return n
}

// integer reads an optional integer from lo to hi; def if it is absent. An error
// has code c, and names the unit after the range.
func (q *query) integer(name string, def, lo, hi uint64, unit string, c code) uint64 {
	v, ok := q.optional(name)
	if !ok {
		return def
	}
	n, err := strconv.ParseUint(v, 10, 32)
	if err != nil || n < lo || n > hi {
		q.reject(name, c, rangeMessage(v, lo, hi, unit))
	}
	return n
}

// boolean reads an optional true or false; false if it is absent.
func (q *query) boolean(name string) bool {
	v, ok := q.optional(name)
	if ok && v != "true" && v != "false" {
		q.reject(name, invalidParameter, "is neither true nor false; give one of them")
	}
	return v == "true"
}

// maxListItems is the most items that most lists may have, empty and repeated ones
// included.
const maxListItems = 64

// list reads an optional list of at most maxListItems.
func (q *query) list(name string) []string { return q.listOf(name, maxListItems) }

// listOf reads an optional list of at most so many items: they stand between commas
// and are trimmed; empty and repeated ones are left out. It is rejected for its
// length before items are compared, which takes time with its square.
func (q *query) listOf(name string, most int) (items []string) {
	v, ok := q.optional(name)
	if !ok {
		return nil
	}
	all := strings.SplitN(v, ",", most+1)
	if len(all) > most {
		q.reject(name, invalidParameter, fmt.Sprintf("has more than %[1]d items; give at most %[1]d", most))
		return nil
	}
	for _, item := range all {
		if item = strings.TrimSpace(item); item != "" && !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	return items
}

// isAddress says whether a text is 0x and 40 hex digits in any case.
func isAddress(s string) bool {
	return len(s) == 42 && s[:2] == "0x" && strings.Trim(s[2:], "0123456789abcdefABCDEF") == ""
}

// parseDecimal reads 1 to 78 decimal digits, as many as 2^256-1 has.
func parseDecimal(s string) (u256.Int, bool) {
	if len(s) == 0 || len(s) > 78 || strings.Trim(s, "0123456789") != "" {
		return u256.Zero, false
	}
	n, err := u256.FromDecimal(s)
	return n, err == nil
}

// isMixedCase says whether an address has letters of both cases, and so claims
// to have an EIP-55 checksum.
func isMixedCase(s string) bool {
	digits := s[2:]
	return strings.ToLower(digits) != digits && strings.ToUpper(digits) != digits
}
