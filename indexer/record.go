package indexer

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"braid/venue"
)

// recordKey is the key of the record with index i: 4 bytes, big-endian, so that
// bbolt keeps records in the order of their indices.
func recordKey(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }

// appendChecksum makes a record: the value, then a 4-byte checksum of key and
// value.
func appendChecksum(key, value []byte) []byte {
	return binary.BigEndian.AppendUint32(value[:len(value):len(value)], checksum(key, value))
}

// verifyChecksum is the value of a record, or errDamaged.
func verifyChecksum(key, record []byte) ([]byte, error) {
	n := len(record) - 4
	if n < 0 || binary.BigEndian.Uint32(record[n:]) != checksum(key, record[:n]) {
		return nil, fmt.Errorf("%w: record %x", errDamaged, key)
	}
	return record[:n], nil
}

// checksum is the CRC-32 (IEEE) of key and value, one after the other.
func checksum(key, value []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(key), crc32.IEEETable, value)
}

// encodePool is a pool as bytes: the first 4 bytes of the topic of its family's
// creation event, then what the family writes. A pool whose state is not known is
// written without state, to be read from the chain after a restart. It is nil for
// a pool of no family.
func encodePool(storers []venue.Storer, p venue.Pool) []byte {
	u, unknown := p.(unusable)
	if unknown {
		p = u.previous
	}
	for _, j := range storers {
		if unknown {
			if blank := j.Unloaded(p); blank != nil {
				p = blank
			}
		}
		if data := j.Save(p); data != nil {
			topic := j.CreationTopic()
			return append(topic[:4:4], data...)
		}
	}
	return nil
}

// decodePool is the inverse of encodePool.
func decodePool(storers []venue.Storer, data []byte) (venue.Pool, error) {
	for _, j := range storers {
		if topic := j.CreationTopic(); len(data) >= 4 && string(topic[:4]) == string(data[:4]) {
			return j.Restore(data[4:])
		}
	}
	return nil, fmt.Errorf("%w: a pool of no family", errDamaged)
}
