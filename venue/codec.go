package venue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// Codec encodes the fields of a pool for storage, and decodes them. A family
// lists the fields once, in a function that calls a method of the Codec for
// each: decoding fills the fields, encoding only reads them, as other
// goroutines may use the pool at the same time.
//
// The encoding has no names and no versions: fields follow each other in the
// order of the calls.
type Codec struct {
	data     []byte
	decoding bool
	sources  map[common.Address]*Source // by factory
	err      error
}

// Encode is the encoding of the fields that a function lists.
func Encode(fields func(*Codec)) []byte {
	var c Codec
	fields(&c)
	return c.data
}

// Decode fills the fields that a function lists from an encoding of the same
// fields, all of which must be used up. Sources are found by their factories.
func Decode(data []byte, sources map[common.Address]*Source, fields func(*Codec)) error {
	c := Codec{data: data, decoding: true, sources: sources}
	fields(&c)
	if c.err == nil && len(c.data) > 0 {
		c.err = fmt.Errorf("%d bytes too many", len(c.data))
	}
	return c.err
}

// Save is the encoding of a pool of type P by the fields that a function lists;
// nil for a pool of another type.
func Save[P Pool](p Pool, fields func(P, *Codec)) []byte {
	q, ok := p.(P)
	if !ok {
		return nil
	}
	return Encode(func(c *Codec) { fields(q, c) })
}

var errShort = errors.New("too short")

// next are the next n bytes; zeros when there are not so many.
func (c *Codec) next(n int) []byte {
	if len(c.data) < n {
		c.err = errors.Join(c.err, errShort)
		c.data = nil
		return make([]byte, n)
	}
	b := c.data[:n]
	c.data = c.data[n:]
	return b
}

// Fixed is a field of a fixed number of bytes, such as an address or a hash.
func (c *Codec) Fixed(b []byte) {
	if c.decoding {
		copy(b, c.next(len(b)))
	} else {
		c.data = append(c.data, b...)
	}
}

// Int is a 256-bit integer: its length in bytes, then those.
func (c *Codec) Int(n *u256.Int) {
	if c.decoding {
		*n = u256.FromBytes(c.next(int(c.next(1)[0] & 63)))
		return
	}
	b, size := n.Bytes(), (n.BitLen()+7)/8
	c.data = append(append(c.data, byte(size)), b[32-size:]...)
}

// Bool is a flag.
func (c *Codec) Bool(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	Number(c, &n)
	if c.decoding {
		*b = n != 0
	}
}

// Text is a string: its length in bytes, then those.
func (c *Codec) Text(s *string) {
	n := len(*s)
	c.count(&n)
	if c.decoding {
		*s = string(c.next(n))
	} else {
		c.data = append(c.data, *s...)
	}
}

// Info is the source, by its factory, the ID and the tokens of a pool. Every
// family lists it first.
func (c *Codec) Info(info **Info) {
	var source common.Address
	var i Info
	if !c.decoding {
		i, source = **info, (*info).Source.Factory
	}
	c.Fixed(source[:])
	c.id(&i.ID)
	List(c, &i.Tokens, func(a *common.Address) { c.Fixed(a[:]) })
	if !c.decoding {
		return
	}
	if i.Source = c.sources[source]; i.Source == nil {
		c.err = errors.Join(c.err, fmt.Errorf("no source has the factory %s", source))
		i.Source = &Source{}
	}
	*info = &i
}

// id is an ID: the number of its bytes, then those. Of one that is no hex with 0x
// it is the text, and the number is below zero.
func (c *Codec) id(id *ID) {
	key := id.Bytes()
	n := len(key)
	if id.IsText() {
		n = ^n
	}
	Number(c, &n)
	if !c.decoding {
		c.data = append(c.data, key...)
		return
	}
	text := n < 0
	if text {
		n = ^n
	}
	if n > len(c.data) {
		c.err = errors.Join(c.err, errShort)
		n = 0
	}
	if b := c.next(n); text {
		*id = ID(b)
	} else {
		*id = BytesID(b)
	}
}

// SplitID takes the bytes of the ID out of what Save of a family made; JoinID puts
// them back. rest is nil if the data is not long enough.
func SplitID(data []byte) (id, rest []byte) {
	at := common.AddressLength
	n, size := binary.Varint(data[min(at, len(data)):])
	if n < 0 {
		n = ^n
	}
	if at += size; size <= 0 || n > int64(len(data)-at) {
		return nil, nil
	}
	end := at + int(n)
	return data[at:end], slices.Concat(data[:at], data[end:])
}

// JoinID is the inverse of SplitID.
func JoinID(id, rest []byte) []byte {
	_, size := binary.Varint(rest[min(common.AddressLength, len(rest)):])
	at := min(common.AddressLength+max(size, 0), len(rest))
	return slices.Concat(rest[:at], id, rest[at:])
}

// Number is a field that is an integer of at most 64 bits, as a varint.
func Number[N ~int | ~int32 | ~int64 | ~uint8 | ~uint32 | ~uint64](c *Codec, n *N) {
	if !c.decoding {
		c.data = binary.AppendVarint(c.data, int64(*n))
		return
	}
	v, size := binary.Varint(c.data)
	if size <= 0 {
		c.err = errors.Join(c.err, errShort)
		size = len(c.data)
	}
	*n, c.data = N(v), c.data[size:]
}

// List is a field that is a list: its length, then the elements, each of which
// takes at least a byte.
func List[T any](c *Codec, list *[]T, each func(*T)) {
	n := len(*list)
	c.count(&n)
	if c.decoding {
		*list = nil
		if n > 0 {
			*list = make([]T, n)
		}
	}
	for i := range *list {
		each(&(*list)[i])
	}
}

// count is a length. A longer one than there are bytes left is an error: no
// element is shorter than a byte, so nothing is allocated for a false length.
func (c *Codec) count(n *int) {
	Number(c, n)
	if c.decoding && (*n < 0 || *n > len(c.data)) {
		c.err = errors.Join(c.err, errShort)
		*n = 0
	}
}
