package univ3

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

// CreationTopic is the topic of PoolCreated.
func (f *Family) CreationTopic() common.Hash { return topicCreated }

// loading is how far the ticks of a pool have been read, word by word of its
// bitmap.
type loading struct {
	next  int32        // word to be read next
	found []ticks.Tick // in the words before
}

// unread is the Idle of a pool while it is read.
const unread = "not read from the chain yet"

func (f *Family) Unloaded(p venue.Pool) venue.Pool {
	q, ok := p.(*Pool)
	if !ok {
		return nil
	}
	first, _ := ticks.BitmapWords(q.book.Spacing())
	blank := *q
	blank.idle, blank.loading, blank.at, blank.history = unread, &loading{next: first}, ticks.Point{}, history{}
	return blank.with(ticks.NewBook(q.book.Spacing()))
}

// Gas limits of the Lens, which reads ticks until it has used what it is given:
// so much for each word of the bitmap, for some ticks in them, at most maxGas in
// all, and endGas to return what it has read.
const (
	wordGas  = 9_500
	ticksGas = 500_000
	maxGas   = 6_000_000
	endGas   = 300_000
)

// Wants reads price, liquidity and the next ticks of a pool that was not
// followed since its creation.

func (f *Family) Wants(p venue.Pool) []venue.Read {
	q, ok := p.(*Pool)
	if !ok || q.loading == nil {
		return nil
	}
	spacing := q.book.Spacing()
	_, last := ticks.BitmapWords(spacing)
	budget := min(wordGas*uint64(last-q.loading.next+1)+ticksGas, maxGas)
	return []venue.Read{
		{To: q.address, Data: venue.Calldata("slot0()")},
		{To: q.address, Data: venue.Calldata("liquidity()")},
		{Gas: budget + endGas, Data: venue.Calldata("ticks(address,int256,int256,int256,uint256)",
			q.address[:], venue.Signed(spacing), venue.Signed(q.loading.next), venue.Signed(last), u256.From(budget).Big().Bytes())},
	}
}

func (f *Family) Load(p venue.Pool, answers [][]byte) (venue.Pool, error) {
	q, ok := p.(*Pool)
	if !ok || q.loading == nil || len(answers) != 3 {
		return nil, errors.New("univ3: answers to what was not asked")
	}
	next, err := q.load(venue.NewWords(answers[0]), venue.NewWords(answers[1]), venue.NewWords(answers[2]))
	if err != nil {
		return nil, fmt.Errorf("univ3: pool %s: %w", q.address, err)
	}
	return next, nil
}

func (p *Pool) load(slot0, liquidity, list *venue.Words) (*Pool, error) {
	if slot0.Len() < 2 || liquidity.Len() != 1 || list.Len()%3 != 1 {
		return nil, errors.New("an answer is too short")
	}
	s := &loading{next: list.Int32(0), found: slices.Clip(p.loading.found)}
	for i := 1; i < list.Len(); i += 3 {
		s.found = append(s.found, ticks.Tick{Index: list.Int32(i), Gross: list.Number(i + 1), Net: list.Number(i + 2)})
	}
	if s.next <= p.loading.next {
		return nil, errors.New("the Lens read no word")
	}
	next := *p
	if _, last := ticks.BitmapWords(p.book.Spacing()); s.next <= last {
		next.loading = s
		return &next, nil
	}
	book, err := ticks.BookOf(p.book.Spacing(), s.found)
	if err != nil {
		return nil, err
	}
	next.loading, next.idle = nil, ""
	next.at = ticks.Point{Price: slot0.Number(0), Tick: slot0.Int32(1)}
	if !next.at.Price.IsZero() && (!next.at.Valid() || book.Liquidity(next.at.Tick) != liquidity.Number(0)) {
		next.idle = contradiction
	}
	return next.with(book), nil
}

// stored is what is encoded of a book.
type stored struct {
	spacing int32
	ticks   []ticks.Tick
}

func (p *Pool) fields(c *venue.Codec, book *stored) {
	c.Info(&p.info)
	c.Fixed(p.address[:])
	c.Text(&p.idle)
	venue.Number(c, &p.fee)
	c.Int(&p.at.Price)
	venue.Number(c, &p.at.Tick)
	venue.Number(c, &book.spacing)
	venue.List(c, &book.ticks, func(k *ticks.Tick) {
		venue.Number(c, &k.Index)
		c.Int(&k.Gross)
		c.Int(&k.Net)
	})
}

func (f *Family) Save(p venue.Pool) []byte {
	q, ok := p.(*Pool)
	if !ok {
		return nil
	}
	book := stored{q.book.Spacing(), q.book.Ticks()}
	return venue.Encode(func(c *venue.Codec) { q.fields(c, &book) })
}

// Restore gives a pool that had not been read completely as Unloaded does.
func (f *Family) Restore(data []byte) (venue.Pool, error) {
	var p Pool
	var w stored
	err := venue.Decode(data, f.sources, func(c *venue.Codec) { p.fields(c, &w) })
	if err == nil && (w.spacing <= 0 || p.fee >= 1_000_000) {
		err = fmt.Errorf("fee %d, tick spacing %d", p.fee, w.spacing)
	}
	var book *ticks.Book
	if err == nil {
		book, err = ticks.BookOf(w.spacing, w.ticks)
	}
	if err != nil {
		return nil, fmt.Errorf("univ3: %w", err)
	}
	p.pancake = isPancake(p.info.Source)
	if p.idle == unread {
		return f.Unloaded(p.with(book)), nil
	}
	return p.with(book), nil
}
