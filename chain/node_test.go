package chain

import (
	"testing"
	"time"
)

func TestRetryAfterHeader(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "soon": 0, "2": 2 * time.Second, "0.5": time.Second / 2, "86400": time.Minute, "Thu, 01 Jan 2099 00:00:00 GMT": time.Minute,
	} {
		if got := retryAfter(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
