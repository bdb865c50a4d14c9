package univ4

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"braid/ticks"
	"braid/u256"
	"braid/venue"
)

func (f *Family) Birth() common.Hash { return topicInitialize }

// survey is what is to be read of a pool: words of its bitmap, which show
// ticks, and the ticks.
type survey struct {
	words []int32
	ticks []int32
	found []ticks.Tick
}

// unread is why a pool idles while it is read.
const unread = "not read from the chain yet"

// Blank leaves a pool that is not routed as it is: nothing wakes it.
func (f *Family) Blank(p venue.Pool) venue.Pool {
	q, ok := p.(*Pool)
	if !ok {
		return nil
	}
	if q.barred() != "" {
		return q
	}
	blank := *q
	first, last := ticks.BitmapWords(q.key.spacing)
	s := &survey{}
	for w := first; w <= last; w++ {
		s.words = append(s.words, w)
	}
	blank.idle, blank.survey, blank.at, blank.protocol = unread, s, ticks.Point{}, 0
	blank.growth = ticks.FeeGrowth{}
	blank.book = ticks.NewBook(q.key.spacing)
	return blank.priced()
}

// The manager keeps its pools in a mapping, and in each the price and fees,
// two sums of fees, the liquidity, and mappings of ticks and of the bitmap.
const (
	slotPools     = 6
	slotLiquidity = 3
	slotTicks     = 4
	slotBitmap    = 5
)

// slots is how many words of its storage the manager is asked for at a time,
// and slotGas what each takes at the most.
const (
	slots   = 800
	slotGas = 9_000
)

// Wants asks for price and liquidity with each lot of words and ticks.
func (f *Family) Wants(p venue.Pool) []venue.Read {
	q, ok := p.(*Pool)
	if !ok || q.survey == nil {
		return nil
	}
	base := entry(common.HexToHash(string(q.info.ID)).Bytes(), u256.From(slotPools))
	list := []u256.Int{base, base.Add(u256.From(slotLiquidity))}
	words, some := q.survey.lot()
	for _, w := range words {
		list = append(list, entry(venue.Signed(w), base.Add(u256.From(slotBitmap))))
	}
	for _, t := range some {
		list = append(list, entry(venue.Signed(t), base.Add(u256.From(slotTicks))))
	}
	data := venue.Calldata("extsload(bytes32[])", []byte{32}, u256.From(uint64(len(list))).Big().Bytes())
	for _, slot := range list {
		b := slot.Bytes()
		data = append(data, b[:]...)
	}
	return []venue.Read{{To: q.info.Source.Factory, Data: data, Gas: slotGas * uint64(len(list))}}
}

// lot is what is read next.
func (s *survey) lot() (words, ticks []int32) {
	words = s.words[:min(len(s.words), slots)]
	return words, s.ticks[:min(len(s.ticks), slots-len(words))]
}

// entry is where a mapping keeps a key.
func entry(key []byte, mapping u256.Int) u256.Int {
	slot := mapping.Bytes()
	return u256.FromBytes(crypto.Keccak256(common.LeftPadBytes(key, 32), slot[:]))
}

func (f *Family) Load(p venue.Pool, answers [][]byte) (venue.Pool, error) {
	q, ok := p.(*Pool)
	if !ok || q.survey == nil || len(answers) != 1 {
		return nil, errors.New("univ4: answers to what was not asked")
	}
	next, err := q.load(answers[0])
	if err != nil {
		return nil, fmt.Errorf("univ4: pool %s: %w", q.info.ID, err)
	}
	return next, nil
}

func (p *Pool) load(data []byte) (*Pool, error) {
	list := venue.NewWords(data)
	words, some := p.survey.lot()
	if list.Len() != 4+len(words)+len(some) {
		return nil, fmt.Errorf("%d bytes for %d slots", len(data), 2+len(words)+len(some))
	}
	slot0, liquidity, list := list.Number(2), list.Number(3), list.From(4)
	s := &survey{
		words: p.survey.words[len(words):],
		ticks: slices.Clip(p.survey.ticks[len(some):]),
		found: slices.Clip(p.survey.found),
	}
	for i, w := range words {
		s.ticks = append(s.ticks, set(list.Number(i), w, p.key.spacing)...)
	}
	for i, t := range some {
		word := list.Number(len(words) + i) // liquidityNet above liquidityGross
		net := word.Rsh(128)
		if net.BitLen() == 128 {
			net = net.Sub(u256.One.Lsh(128))
		}
		s.found = append(s.found, ticks.Tick{Index: t, Gross: word.Lsh(128).Rsh(128), Net: net})
	}
	next := *p
	if len(s.words)+len(s.ticks) > 0 {
		next.survey = s
		return &next, nil
	}
	book, err := ticks.BookOf(p.key.spacing, s.found)
	if err != nil {
		return nil, err
	}
	// Price, tick, the protocol's share and the fee, from the lowest bits up.
	next.at = ticks.Point{Price: slot0.Lsh(96).Rsh(96), Tick: int32(uint32(slot0.Rsh(160).Uint64())<<8) >> 8}
	next.protocol = uint32(slot0.Rsh(184).Uint64()) & 0xffffff
	next.survey, next.idle, next.book = nil, "", book
	if !next.at.Valid() || book.Liquidity(next.at.Tick) != liquidity {
		next.idle = contradiction
	}
	return next.priced(), nil
}

// set are the ticks that a word of the bitmap shows.
func set(word u256.Int, at, spacing int32) (list []int32) {
	b := word.Bytes()
	for i := range int32(32) {
		for v := b[31-i]; v != 0; v &= v - 1 {
			list = append(list, (at*256+8*i+int32(bits.TrailingZeros8(v)))*spacing)
		}
	}
	return list
}

func (p *Pool) fields(c *venue.Codec, list *[]ticks.Tick) {
	c.Info(&p.info)
	c.Bool(&p.key.native)
	venue.Number(c, &p.key.fee)
	venue.Number(c, &p.key.spacing)
	c.Fixed(p.key.hooks[:])
	c.Text(&p.idle)
	c.Int(&p.at.Price)
	venue.Number(c, &p.at.Tick)
	venue.Number(c, &p.protocol)
	venue.List(c, list, func(k *ticks.Tick) {
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
	list := q.book.Ticks()
	return venue.Encode(func(c *venue.Codec) { q.fields(c, &list) })
}

// Restore gives a pool that had not been read whole as a blank one.
func (f *Family) Restore(data []byte) (venue.Pool, error) {
	var p Pool
	var list []ticks.Tick
	err := venue.Decode(data, f.sources, func(c *venue.Codec) { p.fields(c, &list) })
	if err == nil && p.key.spacing <= 0 {
		err = fmt.Errorf("tick spacing %d", p.key.spacing)
	}
	if err == nil {
		p.book, err = ticks.BookOf(p.key.spacing, list)
	}
	if err != nil {
		return nil, fmt.Errorf("univ4: %w", err)
	}
	if p.idle == unread {
		return f.Blank(&p), nil
	}
	return p.priced(), nil
}
