package univ4

import (
	"braid/ticks"
	"braid/venue"
)

// History is that of the ticks.
func (f *Family) History(p venue.Pool) []byte {
	if q, ok := p.(*Pool); ok && q.idle != unread {
		return q.growth.History(q.book)
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
	var err error
	if next.book, next.growth, err = ticks.WithHistory(q.book, data); err != nil {
		return nil, err
	}
	if next.book != q.book {
		return next.withCurves(), nil
	}
	return &next, nil
}
