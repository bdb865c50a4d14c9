package univ2

import (
	"fmt"

	"braid/venue"
)

func (p *Pool) history(c *venue.Codec) {
	venue.Number(c, &p.synced)
	c.Bool(&p.oracle)
}

// History is what the gas of the oracle depends on.
func (f *Family) History(p venue.Pool) []byte {
	if q, ok := p.(*Pool); ok && (q.synced != 0 || q.oracle) {
		return venue.Encode(q.history)
	}
	return nil
}

// WithHistory implements venue.Historian.
func (f *Family) WithHistory(p venue.Pool, data []byte) (venue.Pool, error) {
	q, ok := p.(*Pool)
	if !ok {
		return nil, nil
	}
	next := *q
	if err := venue.Decode(data, nil, next.history); err != nil {
		return nil, fmt.Errorf("univ2: history: %w", err)
	}
	return &next, nil
}
