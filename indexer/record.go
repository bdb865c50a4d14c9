package indexer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"braid/codec"
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

// encodePool is a pool as bytes; see codec.EncodePool. A pool whose state is not
// known is read from the chain after a restart.
func encodePool(storers []venue.Storer, p venue.Pool) []byte { return codec.EncodePool(storers, p) }

// decodePool is the inverse of encodePool.
func decodePool(storers []venue.Storer, data []byte) (venue.Pool, error) {
	p, err := codec.DecodePool(storers, data)
	if errors.Is(err, codec.ErrNoFamily) {
		err = fmt.Errorf("%w: %w", errDamaged, err)
	}
	return p, err
}
