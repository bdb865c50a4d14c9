package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// query is what a caller gave for the parameters an endpoint knows. It
// collects every fault, so that all of them can be answered at once.
type query struct {
	values   map[string]string
	rejected map[string]bool
	errors   []paramError
	hints    hints
}

// read takes the known parameters and passes over the others. A value that is
// no valid percent-encoding is taken as it stands and judged like any other.
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
		if _, twice := q.values[name]; twice && !q.rejected[name] {
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

func (q *query) reject(name string, c code, message string) {
	q.rejected[name] = true
	q.errors = append(q.errors, paramError{name, c, message})
}

// err is the problem with the query, nil if there is none.
func (q *query) err() error {
	if len(q.errors) == 0 {
		return nil
	}
	return validationProblem(q.errors, q.hints)
}

// optional is false for a parameter that is absent or already faulty.
func (q *query) optional(name string) (string, bool) {
	v, given := q.values[name]
	return v, given && !q.rejected[name]
}

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

// needs say what a required parameter is.
var requiredMessages = map[string]string{
	"tokenIn":   ": the address of the token to sell; /api/v1/tokens lists tokens",
	"tokenOut":  ": the address of the token to buy; /api/v1/tokens lists tokens",
	"amount":    ": how much of tokenIn to sell, an integer in raw units",
	"recipient": ": the address that receives the output",
	"owner":     " where it is given: the address that signs; leave it out if that is the recipient",
}

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

// amount reads digits; leading zeros are fine.
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

// integer reads a number from lo to hi, def if there is none. The unit is for
// the sentence about one that is not.
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

// list splits at commas, trims, and drops what is empty or said before.
func (q *query) list(name string) []string {
	v, ok := q.optional(name)
	if !ok {
		return nil
	}
	var items []string
	for item := range strings.SplitSeq(v, ",") {
		if item = strings.TrimSpace(item); item != "" && !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	return items
}

func isAddress(s string) bool {
	return len(s) == 42 && s[:2] == "0x" && strings.Trim(s[2:], "0123456789abcdefABCDEF") == ""
}

// decimal reads 1 to 78 digits, the length of 2^256-1.
func parseDecimal(s string) (u256.Int, bool) {
	if len(s) == 0 || len(s) > 78 || strings.Trim(s, "0123456789") != "" {
		return u256.Zero, false
	}
	n, err := u256.FromDecimal(s)
	return n, err == nil
}

// mixedCase says whether the spelling of an address claims a checksum.
func isMixedCase(s string) bool {
	digits := s[2:]
	return strings.ToLower(digits) != digits && strings.ToUpper(digits) != digits
}
