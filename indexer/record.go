package indexer

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"braid/venue"
)

func number(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }

// seal adds a sum over key and value, by which damage is known.
func seal(key, value []byte) []byte {
	return binary.BigEndian.AppendUint32(value[:len(value):len(value)], sum(key, value))
}

func unseal(key, sealed []byte) ([]byte, error) {
	n := len(sealed) - 4
	if n < 0 || binary.BigEndian.Uint32(sealed[n:]) != sum(key, sealed[:n]) {
		return nil, fmt.Errorf("%w: record %x", errDamaged, key)
	}
	return sealed[:n], nil
}

func sum(key, value []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(key), crc32.IEEETable, value)
}

// save writes a pool down, its family by the topic of its births. One whose
// state is not known is written blank, to be read when it is taken up again.
func save(joiners []venue.Joiner, p venue.Pool) []byte {
	u, unknown := p.(unusable)
	if unknown {
		p = u.was
	}
	for _, j := range joiners {
		if unknown {
			if blank := j.Blank(p); blank != nil {
				p = blank
			}
		}
		if data := j.Save(p); data != nil {
			birth := j.Birth()
			return append(birth[:4:4], data...)
		}
	}
	return nil
}

// restore is the pool that was written down.
func restore(joiners []venue.Joiner, data []byte) (venue.Pool, error) {
	for _, j := range joiners {
		if birth := j.Birth(); len(data) >= 4 && string(birth[:4]) == string(data[:4]) {
			return j.Restore(data[4:])
		}
	}
	return nil, fmt.Errorf("%w: a pool of no family", errDamaged)
}
