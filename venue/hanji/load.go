package hanji

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/sequence"
	"braid/u256"
	"braid/venue"
)

// CreationTopic is the topic of OnchainCLOBCreated.
func (f *Family) CreationTopic() common.Hash { return topicCreated }

func (f *Family) Unloaded(p venue.Pool) venue.Pool {
	q, ok := p.(*Pool)
	if !ok {
		return nil
	}
	return &Pool{terms: q.terms, info: q.info, stops: unread}
}

// bookGas is the gas limit for reading a side of a book.
const bookGas = 3_000_000

// Wants reads the book of a market that was not followed since its creation.
func (f *Family) Wants(p venue.Pool) []venue.Read {
	q, ok := p.(*Pool)
	if !ok || q.stops&unread == 0 {
		return nil
	}
	return []venue.Read{
		{To: q.market, Data: venue.Calldata("book(bool)", nil), Gas: bookGas},
		{To: q.market, Data: venue.Calldata("book(bool)", []byte{1}), Gas: bookGas},
		{To: q.market, Data: venue.Calldata("paused()")},
		{To: q.market, Data: venue.Calldata("traderFilterEnabled()")},
	}
}

func (f *Family) Load(p venue.Pool, answers [][]byte) (venue.Pool, error) {
	q, ok := p.(*Pool)
	if !ok || len(answers) != 4 {
		return nil, errors.New("hanji: answers to what was not asked")
	}
	next := *q
	next.stops = 0
	for which, answer := range answers[:2] { // bids, which meet X, then asks
		side, err := readSide(answer)
		if err != nil {
			return nil, fmt.Errorf("hanji: market %s: %w", q.market, err)
		}
		next.book[which] = side
	}
	for i, why := range []stops{paused, filtered} {
		answer := answers[2+i]
		if len(answer) != 32 {
			return nil, fmt.Errorf("hanji: market %s: %d bytes for a flag", q.market, len(answer))
		}
		if answer[31] != 0 {
			next.stops |= why
		}
	}
	return &next, nil
}

// stored is a level as it is stored: shares and value count from the best price
// to the end of the level.
type stored struct {
	price u256.Int
	sum
}

// stored are the levels of the side.
func (s side) stored() []stored {
	list := make([]stored, 0, s.Len())
	var total sum
	for _, l := range s.Slice() {
		total = total.with(&l)
		list = append(list, stored{l.price, total})
	}
	return list
}

// restored is the side of stored levels.
func restored(list []stored) side {
	levels := make([]level, len(list))
	var before u256.Int
	for i, l := range list {
		levels[i] = level{l.price, l.shares.Sub(before)}
		before = l.shares
	}
	return newSide(sequence.Of(levels))
}

// readSide reads two lists of one length, prices and shares, best first.
func readSide(data []byte) (side, error) {
	w := venue.NewWords(data)
	n := (w.Len() - 4) / 2 // offsets, lengths, and the lists
	if w.Len() < 4 || len(data) != 32*(4+2*n) || w.Number(2) != u256.From(uint64(n)) || w.Number(3+n) != w.Number(2) {
		return side{}, fmt.Errorf("a side of %d bytes", len(data))
	}
	levels := make([]level, 0, n)
	for i := range n {
		if l := (level{w.Number(3 + i), w.Number(4 + n + i)}); !l.shares.IsZero() {
			levels = append(levels, l)
		}
	}
	return newSide(sequence.Of(levels)), nil
}

// fields of a pool, whose levels are in the given book.
func (p *Pool) fields(c *venue.Codec, book *[2][]stored) {
	c.Info(&p.info)
	c.Fixed(p.market[:])
	c.Int(&p.rate)
	for i := range p.unit {
		c.Int(&p.unit[i])
		c.Bool(&p.native[i])
	}
	venue.Number(c, &p.stops)
	for i := range book {
		venue.List(c, &book[i], func(l *stored) {
			c.Int(&l.price)
			c.Int(&l.shares)
			c.Int(&l.value)
		})
	}
}

func (f *Family) Save(p venue.Pool) []byte {
	return venue.Save(p, func(q *Pool, c *venue.Codec) {
		q.fields(c, &[2][]stored{q.book[x].stored(), q.book[y].stored()})
	})
}

func (f *Family) Restore(data []byte) (venue.Pool, error) {
	p := Pool{terms: &terms{}}
	var book [2][]stored
	if err := venue.Decode(data, f.sources, func(c *venue.Codec) { p.fields(c, &book) }); err != nil {
		return nil, fmt.Errorf("hanji: %w", err)
	}
	for i, levels := range book {
		p.book[i] = restored(levels)
	}
	return &p, nil
}
