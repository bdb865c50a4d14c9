package indexer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"go.etcd.io/bbolt"

	"braid/market"
	"braid/venue"
)

// storeContents is all that a file holds.
type storeContents struct {
	storeHeader
	pools    []venue.Pool
	tokens   []market.Token
	waiting  []waitingPool
	verdicts trie

	// If the file was written for other sources than those of this run, the pools of
	// rows that are not the same any more are left out, and added are the rows whose
	// pools are missing.
	changed bool
	added   []venue.Source
}

// waitingPool is a pool that waits.
type waitingPool struct {
	pool   venue.Pool
	reason reason
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
	meta, pools, tokens, waiting := tx.Bucket(bucketMeta), tx.Bucket(bucketPools), tx.Bucket(bucketTokens), tx.Bucket(bucketWait)
	verdicts := tx.Bucket(bucketProofs)
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
	same := contents.compareSources(s.sources)
	if contents.changed && !contents.Complete {
		return errIncompatible
	}
	if waiting == nil || verdicts == nil {
		return fmt.Errorf("%w: a bucket is missing", errDamaged)
	}
	var sums checksums
	sums.pools, err = readRecords(pools, contents.Pools, func(_, value []byte) error {
		if contents.changed && len(value) >= 24 && !same[common.Address(value[4:24])] {
			return nil // the first field of a pool is its source's factory
		}
		p, err := decodePool(s.storers, value)
		contents.pools = append(contents.pools, p)
		return err
	})
	if err != nil {
		return err
	}
	sums.tokens, err = readRecords(tokens, contents.Tokens, func(_, value []byte) error {
		var t market.Token
		err := json.Unmarshal(value, &t)
		contents.tokens = append(contents.tokens, t)
		return err
	})
	if err != nil {
		return err
	}
	waitingSums, err := readRecords(waiting, contents.Waiting, func(key, value []byte) error {
		if len(value) < 5 || (entry{value: value}).reason() >= reasons {
			return fmt.Errorf("%w: a waiting pool of %d bytes", errDamaged, len(value))
		}
		if contents.changed && len(value) >= 25 && !same[common.Address(value[5:25])] {
			return nil
		}
		e := entry{key: bytes.Clone(key), value: bytes.Clone(value)}
		p, err := unpack(s.storers, e)
		contents.waiting = append(contents.waiting, waitingPool{p, e.reason()})
		return err
	})
	if err != nil {
		return err
	}
	verdictSums, err := readRecords(verdicts, contents.Verdicts, func(key, value []byte) error {
		contents.verdicts = contents.verdicts.put(entry{key: bytes.Clone(key), value: bytes.Clone(value)})
		return venue.Decode(value, nil, new(verdict).fields)
	})
	if err != nil {
		return err
	}
	for sum := range slices.Chunk(slices.Concat(waitingSums, verdictSums), 4) {
		sums.waiting += binary.BigEndian.Uint32(sum)
	}
	// bbolt leaves the pages of earlier writes in the file. A damaged link may
	// lead to one of them, on which every record has a valid checksum.
	if sums.total() != contents.Checksum {
		return fmt.Errorf("%w: not all records are of one write", errDamaged)
	}
	s.loaded = &contents
	return nil
}

// compareSources sets changed and added, and tells the factories of the rows that are the
// same.
func (contents *storeContents) compareSources(now []venue.Source) (same map[common.Address]bool) {
	before := map[string]bool{}
	for _, row := range contents.Sources {
		before[rowText(row)] = true
	}
	same = map[common.Address]bool{}
	for _, row := range now {
		if before[rowText(row)] {
			same[row.Factory] = true
		} else {
			contents.added = append(contents.added, row)
		}
	}
	contents.changed = len(same) != len(contents.Sources) || len(contents.added) > 0
	return same
}

// rowText identifies a row.
func rowText(row venue.Source) string {
	text, _ := json.Marshal(row) // cannot fail: it was parsed
	return string(text)
}

// readRecords calls decode with key and value of each record of a bucket, of which
// there must be n, and gives their checksums.
func readRecords(bucket *bbolt.Bucket, n int, decode func(key, value []byte) error) (sums []byte, err error) {
	if n == 0 { // bbolt may follow a damaged page of an empty bucket for ever
		return nil, nil
	}
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
		return decode(key, value)
	})
	if err == nil && count != n {
		err = fmt.Errorf("%w: %d records, want %d", errDamaged, count, n)
	}
	return sums, err
}
