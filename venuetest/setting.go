package venuetest

import (
	"os"
	"strconv"
	"testing"
)

// Setting is a number from the environment, such as the length or the seed of a
// test, or its default.
func Setting(t testing.TB, name string, byDefault uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return byDefault
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q is not a number", name, text)
	}
	return n
}
