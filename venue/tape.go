package venue

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"braid/u256"
)

// Tape is a pool written down. One walk over the pool's fields serves both
// ways: it fills them when playing, and only reads them when recording, as
// pools are shared.
type Tape struct {
	data    []byte
	playing bool
	sources map[common.Address]*Source // by factory
	err     error
}

// Record is what a walk writes.
func Record(walk func(*Tape)) []byte {
	var t Tape
	walk(&t)
	return t.data
}

// Play lets a walk fill fields from what such a walk has written. Sources are
// found by their factories.
func Play(data []byte, sources map[common.Address]*Source, walk func(*Tape)) error {
	t := Tape{data: data, playing: true, sources: sources}
	walk(&t)
	if t.err == nil && len(t.data) > 0 {
		t.err = fmt.Errorf("%d bytes too many", len(t.data))
	}
	return t.err
}

var errShort = errors.New("too short")

// next are the next n bytes; zeros when there are not so many.
func (t *Tape) next(n int) []byte {
	if len(t.data) < n {
		t.err = errors.Join(t.err, errShort)
		t.data = nil
		return make([]byte, n)
	}
	b := t.data[:n]
	t.data = t.data[n:]
	return b
}

// Fixed is for addresses and hashes.
func (t *Tape) Fixed(b []byte) {
	if t.playing {
		copy(b, t.next(len(b)))
	} else {
		t.data = append(t.data, b...)
	}
}

func (t *Tape) Int(n *u256.Int) {
	if t.playing {
		*n = u256.FromBytes(t.next(int(t.next(1)[0] & 63)))
		return
	}
	b, size := n.Bytes(), (n.BitLen()+7)/8
	t.data = append(append(t.data, byte(size)), b[32-size:]...)
}

func (t *Tape) Bool(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	Number(t, &n)
	if t.playing {
		*b = n != 0
	}
}

func (t *Tape) Text(s *string) {
	n := len(*s)
	t.count(&n)
	if t.playing {
		*s = string(t.next(n))
	} else {
		t.data = append(t.data, *s...)
	}
}

// Info is the identity of a pool.
func (t *Tape) Info(info **Info) {
	var source common.Address
	var i Info
	if !t.playing {
		i, source = **info, (*info).Source.Factory
	}
	id := string(i.ID)
	t.Fixed(source[:])
	t.Text(&id)
	List(t, &i.Tokens, func(a *common.Address) { t.Fixed(a[:]) })
	if !t.playing {
		return
	}
	i.ID = ID(id)
	if i.Source = t.sources[source]; i.Source == nil {
		t.err = errors.Join(t.err, fmt.Errorf("no source has the factory %s", source))
		i.Source = &Source{}
	}
	*info = &i
}

// Number is an integer that fits a machine word.
func Number[N ~int | ~int32 | ~int64 | ~uint8 | ~uint32 | ~uint64](t *Tape, n *N) {
	if !t.playing {
		t.data = binary.AppendVarint(t.data, int64(*n))
		return
	}
	v, size := binary.Varint(t.data)
	if size <= 0 {
		t.err = errors.Join(t.err, errShort)
		size = len(t.data)
	}
	*n, t.data = N(v), t.data[size:]
}

// List is a list of anything, none of which takes less than a byte.
func List[T any](t *Tape, list *[]T, each func(*T)) {
	n := len(*list)
	t.count(&n)
	if t.playing {
		*list = nil
		if n > 0 {
			*list = make([]T, n)
		}
	}
	for i := range *list {
		each(&(*list)[i])
	}
}

// count is a length, which is never more than what is left to play.
func (t *Tape) count(n *int) {
	Number(t, n)
	if t.playing && (*n < 0 || *n > len(t.data)) {
		t.err = errors.Join(t.err, errShort)
		*n = 0
	}
}
