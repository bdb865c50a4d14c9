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

// loading is how far a pool has been read: first its price and active liquidity,
// then its ticks, word by word of the bitmap.
type loading struct {
	begun   bool         // price and liquidity have been read
	dormant bool         // no liquidity is active
	next    int32        // word to be read next
	found   []ticks.Tick // in the words before
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

// Dormant implements venue.Dormant.
func (p *Pool) Dormant() bool { return p.loading != nil && p.loading.dormant }

// Wants reads price and liquidity of a pool that was not followed since its
// creation, and then both again with the next ticks.
func (f *Family) Wants(p venue.Pool) []venue.Read {
	q, ok := p.(*Pool)
	if !ok || q.loading == nil {
		return nil
	}
	if !q.loading.begun {
		return []venue.Read{{To: q.address, Data: venue.Calldata("slot0()")}, {To: q.address, Data: venue.Calldata("liquidity()")}}
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
	if !ok || len(answers) == 0 || len(answers) != len(f.Wants(p)) {
		return nil, errors.New("univ3: answers to what was not asked")
	}
	var next *Pool
	var err error
	if slot0, liquidity := venue.NewWords(answers[0]), venue.NewWords(answers[1]); len(answers) == 2 {
		next, err = q.begin(slot0, liquidity)
	} else {
		next, err = q.load(slot0, liquidity, venue.NewWords(answers[2]))
	}
	if err != nil {
		return nil, fmt.Errorf("univ3: pool %s: %w", q.address, err)
	}
	return next, nil
}

// begin takes in price and liquidity. A pool without a price has no ticks yet.
func (p *Pool) begin(slot0, liquidity *venue.Words) (*Pool, error) {
	if slot0.Len() < 2 || liquidity.Len() != 1 {
		return nil, errors.New("an answer is too short")
	}
	next := *p
	next.loading = &loading{begun: true, dormant: liquidity.Number(0).IsZero(), next: p.loading.next}
	if slot0.Number(0).IsZero() {
		next.loading, next.idle = nil, ""
	}
	return &next, nil
}

func (p *Pool) load(slot0, liquidity, list *venue.Words) (*Pool, error) {
	if slot0.Len() < 2 || liquidity.Len() != 1 || list.Len()%3 != 1 {
		return nil, errors.New("an answer is too short")
	}
	s := &loading{begun: true, next: list.Int32(0), found: slices.Clip(p.loading.found)}
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

// IsFresh implements venue.Rememberer.
func (f *Family) IsFresh(p venue.Pool) bool {
	q, ok := p.(*Pool)
	return ok && q.history == newHistory()
}

// Fresh implements venue.Rememberer.
func (f *Family) Fresh(p venue.Pool) venue.Pool {
	q := *p.(*Pool)
	q.history = newHistory()
	return &q
}
