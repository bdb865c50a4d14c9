package ticks

import (
	"encoding/binary"
	"errors"
)

// History encodes what is known of the fee growth of a pool with a book: flags, the
// spans that are known, and 4 bits for each tick of the book. It is nil if nothing is
// known.
//
//	flags:1  Zero, NonZero and whether the span is known, of token 0 and of token 1
//	span     lowest and highest tick, as varints
//	ticks    the sides with fees of token 0 (2 bits) and token 1, two ticks a byte
func (g FeeGrowth) History(b *Book) []byte {
	flags := byte(0)
	for token := range g.spans {
		for i, set := range []bool{g.Zero[token], g.NonZero[token], g.spans[token].known} {
			if set {
				flags |= 1 << (2*i + token)
			}
		}
	}
	data := []byte{flags}
	for _, s := range g.spans {
		if s.known {
			data = binary.AppendVarint(binary.AppendVarint(data, int64(s.low)), int64(s.high))
		}
	}
	var r run
	bits, some := make([]byte, (b.size()+1)/2), false
	for i := range b.size() {
		b.seek(&r, i)
		v := byte(r.earned(i, 0) | r.earned(i, 1)<<2)
		bits[i/2] |= v << (4 * (i % 2))
		some = some || v != 0
	}
	if some {
		return append(data, bits...)
	}
	if flags == 0 {
		return nil
	}
	return data
}

var errHistory = errors.New("fee growth of another book")

// WithHistory gives a book and its fee growth what History encoded.
func WithHistory(b *Book, data []byte) (*Book, FeeGrowth, error) {
	var g FeeGrowth
	if len(data) == 0 || data[0] >= 1<<6 {
		return nil, g, errHistory
	}
	flags, data := data[0], data[1:]
	next := func() int32 {
		v, n := binary.Varint(data)
		if n <= 0 || v < MinTick || v > MaxTick {
			data = nil
			return MaxTick + 1
		}
		data = data[n:]
		return int32(v)
	}
	for token := range g.spans {
		g.Zero[token], g.NonZero[token] = flags>>token&1 != 0, flags>>(2+token)&1 != 0
		if flags>>(4+token)&1 != 0 {
			g.spans[token] = span{true, next(), next()}
			if g.spans[token].high > MaxTick {
				return nil, g, errHistory
			}
		}
	}
	if len(data) == 0 {
		return b, g, nil
	}
	if len(data) != (b.size()+1)/2 {
		return nil, g, errHistory
	}
	entries := make([]entry, b.size())
	var r run
	for i := range entries {
		b.seek(&r, i)
		e := *r.at(i)
		e.active = r.liquidity(i)
		v := data[i/2] >> (4 * (i % 2))
		e.outside = [2]outside{outside(v & 3), outside(v >> 2 & 3)}
		entries[i] = e
	}
	return &Book{b.spacing, rooted(grouped(entries, newLeaf))}, g, nil
}
