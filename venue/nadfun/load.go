package nadfun

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
	"braid/venue"
)

// CreationTopic is the topic of CurveCreate.
func (f *Family) CreationTopic() common.Hash { return topicCreated }

func (f *Family) Unloaded(p venue.Pool) venue.Pool {
	q, ok := p.(*Pool)
	if !ok {
		return nil
	}
	return &Pool{info: q.info, address: q.address, idle: unread}
}

// Wants reads the terms of a curve, of which logs contain only a part.
func (f *Family) Wants(p venue.Pool) []venue.Read {
	q, ok := p.(*Pool)
	if !ok || q.idle != unread {
		return nil
	}
	read := func(signature string, args ...[]byte) venue.Read {
		return venue.Read{To: q.info.Source.Factory, Data: venue.Calldata(signature, args...)}
	}
	return []venue.Read{
		read("curves(address)", q.address[:]),
		read("feeConfig()"),
		read("isLocked(address)", q.address[:]),
		read("isGraduated(address)", q.address[:]),
	}
}

func (f *Family) Load(p venue.Pool, answers [][]byte) (venue.Pool, error) {
	old, ok := p.(*Pool)
	if !ok || len(answers) != 4 {
		return nil, errors.New("nadfun: answers to what was not asked")
	}
	for i, words := range []int{8, 3, 1, 1} {
		if len(answers[i]) != 32*words {
			return nil, fmt.Errorf("nadfun: curve of %s: answer %d has %d bytes", old.address, i, len(answers[i]))
		}
	}
	word := func(answer, i int) u256.Int { return venue.NewWords(answers[answer]).Number(i) }
	next := *old
	next.real = word(0, 1)
	next.virtual = [2]u256.Int{mon: word(0, 2), token: word(0, 3)}
	next.terms = terms{k: word(0, 4), target: word(0, 5), first: word(0, 7), fee: word(1, 2)}
	switch {
	case !word(3, 0).IsZero():
		next.idle = graduated
	case !word(2, 0).IsZero():
		next.idle = locked
	default:
		next.idle = ""
	}
	return &next, nil
}

// fields leaves out the numbers of a curve that has reached its target: it never
// trades again.
func (p *Pool) fields(c *venue.Codec) {
	c.Info(&p.info)
	c.Fixed(p.address[:])
	c.Text(&p.idle)
	if p.idle == locked || p.idle == graduated {
		return
	}
	for _, n := range []*u256.Int{
		&p.terms.k, &p.terms.target, &p.terms.first, &p.terms.fee, &p.virtual[mon], &p.virtual[token], &p.real,
	} {
		c.Int(n)
	}
}

func (f *Family) Save(p venue.Pool) []byte { return venue.Save(p, (*Pool).fields) }

func (f *Family) Restore(data []byte) (venue.Pool, error) {
	var p Pool
	if err := venue.Decode(data, f.sources, p.fields); err != nil {
		return nil, fmt.Errorf("nadfun: %w", err)
	}
	return &p, nil
}
