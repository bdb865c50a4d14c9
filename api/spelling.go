package api

import (
	"slices"
	"strings"
)

// maxUnknownParams is how many unknown parameters of a request are compared with
// the known ones; it bounds the work.
const maxUnknownParams = 32

// swapOnlyParams are parameters of /swap that /quote ignores without a warning,
// because clients send one query to both.
var swapOnlyParams = []string{"recipient", "minAmountOut", "deadlineSeconds", "maxPriceImpactBps"}

// isLikelyMistake says whether an unknown parameter was probably meant to have an
// effect: it is spelled almost like a known one, or other aggregators have it.
// If so, its name can be written into a header as it is.
func isLikelyMistake(name string, known []string) bool {
	if len(known) == 0 || !headerSafe.MatchString(name) || slices.Contains(swapOnlyParams, name) {
		return false
	}
	if slices.Contains(known, "tokenIn") && foreignParams[strings.ToLower(name)] {
		return true
	}
	return len(Nearest(name, known)) > 0
}

// Nearest returns the candidates with the smallest edit distance to a word,
// ignoring case, in their order and each once. It returns none where that
// distance is above 2, or half of the candidate's length or more.
func Nearest(word string, candidates []string) []string {
	type match struct {
		candidate string
		distance  int
	}
	var near []match
	word = strings.ToLower(word)
	for _, c := range candidates {
		if d := editDistance(word, strings.ToLower(c)); d <= 2 && d < len(c)/2 {
			near = append(near, match{c, d})
		}
	}
	slices.SortStableFunc(near, func(a, b match) int { return a.distance - b.distance })
	var words []string
	for _, m := range near {
		if m.distance == near[0].distance && !slices.Contains(words, m.candidate) {
			words = append(words, m.candidate)
		}
	}
	return words
}

// editDistance is the Levenshtein distance of two texts in bytes; 3 where their
// lengths alone differ by more than 2.
func editDistance(a, b string) int {
	if len(a)-len(b) > 2 || len(b)-len(a) > 2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
