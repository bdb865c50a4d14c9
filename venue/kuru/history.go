package kuru

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/sequence"
	"braid/venue"
)

// history is what logs told that only the gas of a swap depends on: which sides have
// traded, and the makers of the orders in the book. Makers without orders are left out:
// no swap meets them.
type history struct {
	traded [2]bool
	makers []orderMaker
	orders [2][]int // by side and place in the book: the maker's number
}

type orderMaker struct {
	address common.Address
	paid    bool
}

func (h *history) fields(c *venue.Codec) {
	for side := range h.traded {
		c.Bool(&h.traded[side])
	}
	venue.List(c, &h.makers, func(m *orderMaker) {
		c.Fixed(m.address[:])
		c.Bool(&m.paid)
	})
	for side := range h.orders {
		venue.List(c, &h.orders[side], func(n *int) { venue.Number(c, n) })
	}
}

// History implements venue.Historian.
func (f *Family) History(p venue.Pool) []byte {
	q, ok := p.(*Pool)
	if !ok || q.loading != nil {
		return nil
	}
	h, numbers, some := history{traded: q.traded}, map[common.Address]int{}, q.traded != [2]bool{}
	for side := range q.book {
		for _, o := range q.book[side].Slice() {
			n, known := numbers[o.maker]
			if !known {
				n, numbers[o.maker] = len(h.makers), len(h.makers)
				h.makers = append(h.makers, orderMaker{o.maker, q.wasPaid(o.maker)})
				some = some || o.maker != common.Address{} || q.wasPaid(o.maker)
			}
			h.orders[side] = append(h.orders[side], n)
		}
	}
	if !some {
		return nil
	}
	return venue.Encode(h.fields)
}

// WithHistory implements venue.Historian.
func (f *Family) WithHistory(p venue.Pool, data []byte) (venue.Pool, error) {
	q, ok := p.(*Pool)
	if !ok {
		return nil, nil
	}
	var h history
	if err := venue.Decode(data, nil, h.fields); err != nil {
		return nil, fmt.Errorf("kuru: history: %w", err)
	}
	next := q.next()
	next.traded = h.traded
	for _, m := range h.makers {
		if at, known := next.paidAt(m.address); m.paid && !known {
			next.paid = next.paid.Splice(at, at, m.address)
		}
	}
	for side := range next.book {
		orders := next.book[side].Slice()
		if len(orders) != len(h.orders[side]) {
			return nil, errors.New("kuru: history of another book")
		}
		for i, n := range h.orders[side] {
			if n < 0 || n >= len(h.makers) {
				return nil, errors.New("kuru: history with a maker that is not listed")
			}
			orders[i].maker = h.makers[n].address
		}
		next.book[side] = sequence.Of(orders)
	}
	return next, nil
}
