package api

import (
	"regexp"
	"strconv"
	"strings"
)

// Messages about values that cannot be read: first what is wrong with the text,
// then what would be right. Of the value they quote at most a short word of
// letters, digits and dots, so that no answer repeats long or active text.

// digitsMessage says why a text is not an integer in decimal digits within its
// range.
func digitsMessage(v string) string {
	switch {
	case v == "":
		return "is empty"
	case strings.Trim(v, "0123456789") == "":
		return "is out of range"
	case strings.Trim(v, "0123456789., \t\r\n") == "" && strings.ContainsAny(v, " \t\r\n"):
		return "has a space in it"
	case strings.HasPrefix(v, "-"):
		return "is negative"
	case strings.HasPrefix(v, "+"):
		return "has a sign before it"
	case strings.HasPrefix(v, "0x") || strings.HasPrefix(v, "0X"):
		return "is in hexadecimal"
	case strings.ContainsRune(v, '%'):
		return "has a percent sign in it"
	case exponent.MatchString(v):
		return "is written with an exponent"
	case strings.Trim(v, "0123456789.") == "":
		return "has a decimal point"
	case strings.Trim(v, "0123456789.,_'") == "":
		return "has separators in it"
	}
	return "is not a number"
}

var exponent = regexp.MustCompile(`^[0-9.]+[eE][+-]?[0-9]+$`)

// amountMessage says why a text is not an amount in raw units; from is the
// lowest amount allowed.
func amountMessage(v string, from string) string {
	return digitsMessage(v) + "; give an integer from " + from + " to 2^256-1 in raw units, in digits alone: 1.5 of a token with 18 decimals is 1500000000000000000"
}

// rangeMessage says why a text is not an integer from lo to hi; unit is written
// after the range.
func rangeMessage(v string, lo, hi uint64, unit string) string {
	return digitsMessage(v) + "; give an integer from " + strconv.FormatUint(lo, 10) + " to " + strconv.FormatUint(hi, 10) + unit
}

var (
	hexDigits    = regexp.MustCompile(`^(0[xX])?[0-9a-fA-F]+$`)
	symbolLike   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.]{0,15}$`)
	missingValue = regexp.MustCompile(`^(null|undefined|NaN|None|nil|true|false)$`)
)

// addressMessage says why the value of a parameter is not an address, and how to
// find one. Parameters whose name begins with token hold tokens.
func addressMessage(name, v string) string {
	const do = "; give 0x and 40 hex digits"
	token := strings.HasPrefix(name, "token")
	digits := strings.TrimPrefix(strings.TrimPrefix(v, "0x"), "0X")
	switch {
	case strings.TrimSpace(v) != v:
		return "has a space before or behind it" + do
	case strings.HasPrefix(v, "0X"):
		return "begins with 0X in place of 0x" + do
	case hexDigits.MatchString(v) && len(digits) == 40:
		return "has no 0x before its digits" + do
	case hexDigits.MatchString(v) && digits != v && len(digits) == 64:
		return "is 32 bytes long, as a pool's id or a transaction's hash is" + do
	case hexDigits.MatchString(v) && digits != v:
		return "has a wrong number of hex digits, " + strconv.Itoa(len(digits)) + do
	case token && (strings.EqualFold(v, "MON") || strings.EqualFold(v, "native")):
		return "is a name, not an address; for the native currency give 0x0000000000000000000000000000000000000000, or the address of WMON"
	case missingValue.MatchString(v):
		return "is what a program writes for a value that it does not have" + do
	case token && symbolLike.MatchString(v):
		return "is a symbol, not an address" + do + ", which /api/v1/tokens?search=" + v + " tells"
	case token:
		return "is not an address" + do + "; /api/v1/tokens?search= finds it by a symbol"
	case strings.Contains(v, "."):
		return "is a name, and names are not resolved here" + do
	}
	return "is not an address" + do
}
