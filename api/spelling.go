package api

import (
	"slices"
	"strings"
)

// maxStrangers bounds the work that unknown parameters can cause.
const maxUnknownParams = 32

// siblings are parameters of /swap that mean nothing to /quote, which gets
// them from callers that ask both with one query.
var swapOnlyParams = []string{"recipient", "minAmountOut", "deadlineSeconds", "maxPriceImpactBps"}

// nearMiss says whether an unknown parameter was probably meant to have an
// effect: it is spelled like one of the known, or other aggregators know it.
// Its name can then stand in a header as it is.
func isLikelyMistake(name string, known []string) bool {
	if len(known) == 0 || !headerSafe.MatchString(name) || slices.Contains(swapOnlyParams, name) {
		return false
	}
	if slices.Contains(known, "tokenIn") && foreignParams[strings.ToLower(name)] {
		return true
	}
	return len(nearest(name, known)) > 0
}

// nearest are the candidates that no other is closer than, if they are two
// edits or fewer away, case apart.
func nearest(word string, candidates []string) []string {
	type match struct {
		candidate string
		distance  int
	}
	var near []match
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d <= 2 && d < len(c)/2 {
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

// distance is Levenshtein's, of bytes, or 3 for whatever is further apart
// than the lengths alone allow to be near.
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

// Nearest are the candidates that are spelled most like a word.
func Nearest(word string, candidates []string) []string { return nearest(word, candidates) }
