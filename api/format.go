package api

import (
	"math"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// unknownPrice is written for a USD value that is not known.
const unknownPrice = "0"

// formatUSD is the value of an amount in raw units, in USD with 2 to 6 decimals.
// price is in USD per raw unit.
func formatUSD(amount u256.Int, price float64) string {
	if price <= 0 {
		return unknownPrice
	}
	return formatDollars(amount.Float() * price)
}

// formatDollars is a value in USD with 2 to 6 decimals.
func formatDollars(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return unknownPrice
	}
	s := strconv.FormatFloat(v, 'f', 6, 64)
	keep := len(s) - 4
	return s[:keep] + strings.TrimRight(s[keep:], "0")
}

// lowerHex is an address in lower case. Unlike Address.Hex it computes no checksum.
func lowerHex(a common.Address) string { return string(venue.AddressID(a)) }
