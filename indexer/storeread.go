package indexer

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"braid/market"
	"braid/venue"
)

// storeContents is all that a file holds.
type storeContents struct {
	storeHeader
	pools  []venue.Pool
	tokens []market.Token
}

// read reads the file into s.loaded. It is errIncompatible or errDamaged, or
// panics, if the file cannot be used.
func (s *Store) read() error {
	if _, err := os.Stat(s.path); err != nil {
		return err
	}
	db, err := bbolt.Open(s.path, 0o600, &bbolt.Options{Timeout: time.Second, ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := checkCycles(s.path, db.Info().PageSize); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return db.View(s.readTx)
}

// readTx reads all buckets and verifies all checksums. A header without a block, as
// of a store that was never written to, is no error.
func (s *Store) readTx(tx *bbolt.Tx) error {
	meta, pools, tokens := tx.Bucket(bucketMeta), tx.Bucket(bucketPools), tx.Bucket(bucketTokens)
	if meta == nil || pools == nil || tokens == nil {
		return fmt.Errorf("%w: a bucket is missing", errDamaged)
	}
	var contents storeContents
	header, err := verifyChecksum(keyHead, meta.Get(keyHead))
	if err == nil {
		err = json.Unmarshal(header, &contents.storeHeader)
	}
	if err != nil || contents.Block == (market.Block{}) {
		return err
	}
	if string(contents.Fingerprint) != string(s.fingerprint) {
		return errIncompatible
	}
	var sums checksums
	sums.pools, err = readRecords(pools, contents.Pools, func(value []byte) error {
		p, err := decodePool(s.storers, value)
		contents.pools = append(contents.pools, p)
		return err
	})
	if err != nil {
		return err
	}
	sums.tokens, err = readRecords(tokens, contents.Tokens, func(value []byte) error {
		var t market.Token
		err := json.Unmarshal(value, &t)
		contents.tokens = append(contents.tokens, t)
		return err
	})
	if err != nil {
		return err
	}
	// bbolt leaves the pages of earlier writes in the file. A damaged link may
	// lead to one of them, on which every record has a valid checksum.
	if sums.total() != contents.Checksum {
		return fmt.Errorf("%w: not all records are of one write", errDamaged)
	}
	s.loaded = &contents
	return nil
}

// readRecords calls decode with the value of each record of a bucket, of which
// there must be n, and gives their checksums.
func readRecords(bucket *bbolt.Bucket, n int, decode func(value []byte) error) (sums []byte, err error) {
	count := 0
	err = bucket.ForEach(func(key, record []byte) error {
		value, err := verifyChecksum(key, record)
		if err != nil {
			return err
		}
		if count++; count > n {
			return fmt.Errorf("%w: more than %d records", errDamaged, n)
		}
		sums = append(sums, record[len(value):]...)
		return decode(value)
	})
	if err == nil && count != n {
		err = fmt.Errorf("%w: %d records, want %d", errDamaged, count, n)
	}
	return sums, err
}
