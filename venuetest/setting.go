package venuetest

import (
	"os"
	"strconv"
	"testing"
)

// Setting is a number of the environment, by which a test is made longer or
// another one.
func Setting(t testing.TB, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q is not a number", name, text)
	}
	return n
}
