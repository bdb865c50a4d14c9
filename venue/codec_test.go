package venue_test

import (
	"bytes"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/venue"
)

// An ID is encoded by its bytes, whatever it looks like; taken out of the encoding
// and put back, it is the same encoding.
func TestEncodedID(t *testing.T) {
	source := &venue.Source{Factory: common.Address{7}}
	sources := map[common.Address]*venue.Source{source.Factory: source}
	for _, id := range []venue.ID{
		venue.AddressID(common.Address{1, 2}), venue.BytesID(bytes.Repeat([]byte{0xab}, 32)), "0x", "", "pool 1", "0xABCD", "0xabc", "0xzz",
	} {
		info := &venue.Info{ID: id, Source: source, Tokens: []common.Address{{3}, {4}}}
		n := 5
		fields := func(c *venue.Codec) { c.Info(&info); venue.Number(c, &n) }
		data := venue.Encode(fields)
		if size := 20 + 1 + len(id.Bytes()) + 1 + 2*20 + 1; len(data) != size {
			t.Errorf("%q: %d bytes, want %d", id, len(data), size)
		}
		key, rest := venue.SplitID(data)
		if !bytes.Equal(key, id.Bytes()) || !bytes.Equal(venue.JoinID(key, rest), data) {
			t.Errorf("%q: split into %x and %x", id, key, rest)
		}
		info, n = nil, 0
		if err := venue.Decode(data, sources, fields); err != nil || info.ID != id || n != 5 {
			t.Errorf("%q: decoded as %+v, %d: %v", id, info, n, err)
		}
		for cut := range data {
			if err := venue.Decode(data[:cut], sources, fields); err == nil {
				t.Errorf("%q: decoded from %d of %d bytes", id, cut, len(data))
			}
			venue.SplitID(data[:cut])
		}
	}
}
