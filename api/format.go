package api

import (
	"math"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// unpriced is a worth that is not known.
const unknownPrice = "0"

// usd is the worth of an amount: plain, 2 to 6 decimals.
func formatUSD(amount u256.Int, price float64) string {
	if price <= 0 {
		return unknownPrice
	}
	return formatDollars(amount.Float() * price)
}

func formatDollars(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return unknownPrice
	}
	s := strconv.FormatFloat(v, 'f', 6, 64)
	keep := len(s) - 4
	return s[:keep] + strings.TrimRight(s[keep:], "0")
}

// lower is an address in lower case, without the cost of a checksum.
func lowerHex(a common.Address) string { return string(venue.AddressID(a)) }
