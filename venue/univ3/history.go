package univ3

import (
	"errors"

	"braid/ticks"
	"braid/venue"
)

// History is the flags of the history, and that of the ticks.
func (f *Family) History(p venue.Pool) []byte {
	q, ok := p.(*Pool)
	if !ok || q.loading != nil {
		return nil
	}
	flags := byte(0)
	for i, set := range []bool{q.history.noProtocolFee, q.history.protocolFees, q.history.singleObservation} {
		if set {
			flags |= 1 << i
		}
	}
	growth := q.history.growth.History(q.book)
	if flags == 0 && growth == nil {
		return nil
	}
	return append([]byte{flags}, growth...)
}

// WithHistory implements venue.Historian.
func (f *Family) WithHistory(p venue.Pool, data []byte) (venue.Pool, error) {
	q, ok := p.(*Pool)
	if !ok {
		return nil, nil
	}
	if len(data) == 0 || data[0] > 7 {
		return nil, errors.New("univ3: no history")
	}
	h, book := history{noProtocolFee: data[0]&1 != 0, protocolFees: data[0]&2 != 0, singleObservation: data[0]&4 != 0}, q.book
	if len(data) > 1 {
		var err error
		if book, h.growth, err = ticks.WithHistory(book, data[1:]); err != nil {
			return nil, err
		}
	}
	next := q
	if book != q.book {
		next = q.with(book)
	} else {
		same := *q
		next = &same
	}
	next.history = h
	return next, nil
}
