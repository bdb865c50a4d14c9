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

// CreationTopic is the topic of Initialize.
func (f *Family) CreationTopic() common.Hash { return topicInitialize }

// loading is what is still to be read of a pool: first its price and active
// liquidity, then words of its bitmap and the ticks that they show.
type loading struct {
	begun      bool         // price and liquidity have been read
	dormant    bool         // no liquidity is active
	word, last int32        // words from..to that are still to be read
	ticks      []int32      // that words have shown
	found      []ticks.Tick // read already
}

// unread is the Idle of a pool while it is read.
const unread = "not read from the chain yet"

// Unloaded leaves a pool that is never routed as it is.
func (f *Family) Unloaded(p venue.Pool) venue.Pool {
	q, ok := p.(*Pool)
	if !ok {
		return nil
	}
	if q.unsupported() != "" {
		return q
	}
	blank := *q
	first, last := ticks.BitmapWords(q.key.spacing)
	blank.idle, blank.loading, blank.at, blank.protocol = unread, &loading{word: first, last: last}, ticks.Point{}, 0
	blank.growth = ticks.FeeGrowth{}
	blank.book = ticks.NewBook(q.key.spacing)
	return blank.withCurves()
}

// The manager keeps its pools in a mapping, and in each the price and fees,
// two sums of fees, the liquidity, and mappings of ticks and of the bitmap.
const (
	slotPools     = 6
	slotLiquidity = 3
	slotTicks     = 4
	slotBitmap    = 5
)

// maxSlots is how many storage slots are read by one call, and slotGas the gas
// limit for each.
const (
	maxSlots = 800
	slotGas  = 9_000
)

// Dormant implements venue.Dormant.
func (p *Pool) Dormant() bool { return p.loading != nil && p.loading.dormant }

// Wants reads price and liquidity, and both again with each batch of words and
// ticks.
func (f *Family) Wants(p venue.Pool) []venue.Read {
	q, ok := p.(*Pool)
	if !ok || q.loading == nil {
		return nil
	}
	base := mappingSlot(common.HexToHash(string(q.info.ID)).Bytes(), u256.From(slotPools))
	list := []u256.Int{base, base.Add(u256.From(slotLiquidity))}
	words, some := q.loading.batch()
	for _, w := range words {
		list = append(list, mappingSlot(venue.Signed(w), base.Add(u256.From(slotBitmap))))
	}
	for _, t := range some {
		list = append(list, mappingSlot(venue.Signed(t), base.Add(u256.From(slotTicks))))
	}
	data := venue.Calldata("extsload(bytes32[])", []byte{32}, u256.From(uint64(len(list))).Big().Bytes())
	for _, slot := range list {
		b := slot.Bytes()
		data = append(data, b[:]...)
	}
	return []venue.Read{{To: q.info.Source.Factory, Data: data, Gas: slotGas * uint64(len(list))}}
}

// batch are the words and ticks to be read next; none with the first read.
func (s *loading) batch() (words, ticks []int32) {
	if !s.begun {
		return nil, nil
	}
	for w := s.word; w <= s.last && len(words) < maxSlots; w++ {
		words = append(words, w)
	}
	return words, s.ticks[:min(len(s.ticks), maxSlots-len(words))]
}

// mappingSlot is the storage slot of a key in a mapping.
func mappingSlot(key []byte, mapping u256.Int) u256.Int {
	slot := mapping.Bytes()
	return u256.FromBytes(crypto.Keccak256(common.LeftPadBytes(key, 32), slot[:]))
}

func (f *Family) Load(p venue.Pool, answers [][]byte) (venue.Pool, error) {
	q, ok := p.(*Pool)
	if !ok || q.loading == nil || len(answers) != 1 {
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
	words, some := p.loading.batch()
	if list.Len() != 4+len(words)+len(some) {
		return nil, fmt.Errorf("%d bytes for %d slots", len(data), 2+len(words)+len(some))
	}
	slot0, liquidity, list := list.Number(2), list.Number(3), list.From(4)
	s := &loading{
		begun: true, dormant: !p.loading.begun && liquidity.IsZero(),
		word: p.loading.word + int32(len(words)), last: p.loading.last,
		ticks: slices.Clip(p.loading.ticks[len(some):]),
		found: slices.Clip(p.loading.found),
	}
	for i, w := range words {
		s.ticks = append(s.ticks, initialised(list.Number(i), w, p.key.spacing)...)
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
	if s.word <= s.last || len(s.ticks) > 0 {
		next.loading = s
		return &next, nil
	}
	book, err := ticks.BookOf(p.key.spacing, s.found)
	if err != nil {
		return nil, err
	}
	// Price, tick, the protocol's share and the fee, from the lowest bits up.
	next.at = ticks.Point{Price: slot0.Lsh(96).Rsh(96), Tick: int32(uint32(slot0.Rsh(160).Uint64())<<8) >> 8}
	next.protocol = uint32(slot0.Rsh(184).Uint64()) & 0xffffff
	next.loading, next.idle, next.book = nil, "", book
	if !next.at.Valid() || book.Liquidity(next.at.Tick) != liquidity {
		next.idle = contradiction
	}
	return next.withCurves(), nil
}

// initialised are the ticks whose bits are set in a word of the bitmap.
func initialised(word u256.Int, at, spacing int32) (list []int32) {
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
	hooked := p.key.hooks != (common.Address{})
	if c.Bool(&hooked); hooked {
		c.Fixed(p.key.hooks[:])
	}
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

// Restore gives a pool that had not been read completely as Unloaded does.
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
		return f.Unloaded(&p), nil
	}
	return p.withCurves(), nil
}

// IsFresh implements venue.Rememberer.
func (f *Family) IsFresh(p venue.Pool) bool {
	q, ok := p.(*Pool)
	return ok && q.growth == ticks.NewFeeGrowth()
}

// Fresh implements venue.Rememberer.
func (f *Family) Fresh(p venue.Pool) venue.Pool {
	q := *p.(*Pool)
	q.growth = ticks.NewFeeGrowth()
	return &q
}
