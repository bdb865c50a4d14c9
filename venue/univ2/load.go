package univ2

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// CreationTopic is the topic of PairCreated.
func (f *Family) CreationTopic() common.Hash { return topicCreated }

func (f *Family) Unloaded(p venue.Pool) venue.Pool {
	q, ok := p.(*Pool)
	if !ok {
		return nil
	}
	blank := *q
	blank.reserve, blank.unread = [2]u256.Int{}, true
	return &blank
}

// Wants reads the reserves of a pair that was not followed since its creation.
func (f *Family) Wants(p venue.Pool) []venue.Read {
	if q, ok := p.(*Pool); ok && q.unread {
		return []venue.Read{{To: q.pair, Data: venue.Calldata("getReserves()")}}
	}
	return nil
}

func (f *Family) Load(p venue.Pool, answers [][]byte) (venue.Pool, error) {
	q, ok := p.(*Pool)
	if !ok || len(answers) != 1 {
		return nil, errors.New("univ2: answers to what was not asked")
	}
	w := venue.NewWords(answers[0])
	if w.Len() < 2 {
		return nil, fmt.Errorf("univ2: pair %s: reserves of %d bytes", q.pair, len(answers[0]))
	}
	next := *q
	next.unread = false
	next.reserve = [2]u256.Int{w.Number(0), w.Number(1)}
	return &next, nil
}

func (p *Pool) fields(c *venue.Codec) {
	c.Info(&p.info)
	c.Fixed(p.pair[:])
	c.Bool(&p.unread)
	c.Int(&p.reserve[0])
	c.Int(&p.reserve[1])
	c.Int(&p.keep)
}

func (f *Family) Save(p venue.Pool) []byte { return venue.Save(p, (*Pool).fields) }

func (f *Family) Restore(data []byte) (venue.Pool, error) {
	var p Pool
	if err := venue.Decode(data, f.sources, p.fields); err != nil {
		return nil, fmt.Errorf("univ2: %w", err)
	}
	if p.keep.Gt(whole) {
		return nil, fmt.Errorf("univ2: pair %s keeps %s of 10000", p.pair, p.keep)
	}
	return &p, nil
}
