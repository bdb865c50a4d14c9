package api

import (
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

const (
	maxSymbol = 32
	maxName   = 64
	maxLogo   = 1024
)

// clean makes what a token says of itself fit to be shown: no control, no
// zero-width and no bidi characters, nothing that is
// invisible by definition, at most so many code points.
func clean(s string, most int) string {
	s = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, s))
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i]
		}
	}
	return s
}

// logo is an https URL or nothing.
func logo(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(s) > maxLogo {
		return ""
	}
	return u.String()
}

// usd is the worth of an amount: plain, 2 to 6 decimals. False when the price
// is unknown.
func usd(amount u256.Int, price float64) (string, bool) {
	v := amount.Float() * price
	if price <= 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return "0", false
	}
	s := strconv.FormatFloat(v, 'f', 6, 64)
	keep := len(s) - 4
	return s[:keep] + strings.TrimRight(s[keep:], "0"), true
}

// lower is an address in lower case, without the cost of a checksum.
func lower(a common.Address) string { return string(venue.AddressID(a)) }
