package codec

import (
	"fmt"

	"braid/venue"
)

// EncodeHistory is what a pool knows of its past that EncodePool leaves out; nil if that
// is nothing.
func EncodeHistory(storers []venue.Storer, p venue.Pool) []byte {
	for _, j := range storers {
		if h, ok := j.(venue.Historian); ok {
			if data := h.History(p); data != nil {
				return data
			}
		}
	}
	return nil
}

// DecodeWithHistory is the pool that EncodePool and EncodeHistory made these bytes of.
func DecodeWithHistory(storers []venue.Storer, data, history []byte) (venue.Pool, error) {
	p, err := DecodePool(storers, data)
	if err != nil || len(history) == 0 {
		return p, err
	}
	for _, j := range storers {
		if h, ok := j.(venue.Historian); ok {
			if p, err := h.WithHistory(p, history); p != nil || err != nil {
				return p, err
			}
		}
	}
	return nil, fmt.Errorf("history: %w", ErrNoFamily)
}
