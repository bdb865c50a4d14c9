package indexer

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"braid/codec"
	"braid/market"
	"braid/venue"
)

// Store is a file that saves a restarted process from finding and reading all
// pools again. It holds one of two things:
//
//   - a discovery: the pools found so far, without their state, while the
//     indexer searches the chain for pools for the first time;
//   - a snapshot: all pools with their state, all tokens and the pools that
//     wait, after one settled block (a block so deep that a reorg is not
//     expected to reach it).
//
// Each write is one transaction of bbolt (an embedded key-value store), so that
// the file holds what one write left, whenever the process dies. Each record
// has a checksum, and the header has a checksum of these: a file that was
// damaged, or mixes records of different writes, is not used.
//
// The file that is read is never written. Writes go to path + ".new", which is
// renamed to path after the first of them.
//
// Methods are safe for concurrent use. saveDiscovery does nothing on a nil
// Store.
//
//	bucket "meta"    "head"          record of JSON storeHeader
//	bucket "pools"   index, uint32   record of encodePool, in the order of the snapshot
//	bucket "waiting" ID, bytes       record of pack, in any order
//	bucket "tokens"  index, uint32   record of JSON market.Token, likewise
//	record           value, then CRC-32 (IEEE) of key and value
//
// Integers in keys and checksums are big-endian.
type Store struct {
	path        string
	fingerprint []byte         // identifies format and chain
	sources     []venue.Source // of this run
	storers     []venue.Storer // families that can encode and decode pools
	loaded      *storeContents // read by OpenStore; nil if there was nothing to use

	mu        sync.Mutex // guards the fields below
	db        *bbolt.DB
	installed bool         // path + ".new" has been renamed to path
	discovery *discovery   // the one that this process wrote to the file; nil if it wrote a snapshot, or nothing yet
	pools     []venue.Pool // that this process wrote to the file, in their order; nil before the first write
	tokens    int          // number of tokens in the file
	waiting   trie         // waiting pools in the file
	verdicts  trie         // verdicts in the file
	checksums checksums    // of the records in the file
}

var (
	bucketMeta   = []byte("meta")
	bucketPools  = []byte("pools")
	bucketTokens = []byte("tokens")
	bucketWait   = []byte("waiting")
	bucketProofs = []byte("proofs")
	keyHead      = []byte("head")
)

// errIncompatible is for a sound file that this configuration cannot use.
var errIncompatible = errors.New("it was written for another chain, another format, or was an unfinished search for other sources")

// storeHeader says what the file holds. The JSON names are part of the format.
type storeHeader struct {
	Fingerprint []byte         `json:"Print"`
	Sources     []venue.Source // that the pools are of
	Complete    bool           `json:"Whole"` // a snapshot; false: a discovery
	Block       market.Block   // of the snapshot; or a settled block that all blocks searched by the discovery are ancestors of, or equal to
	Next        uint64         // discovery: number of the first block not yet searched
	Pools       int            // number of records
	Tokens      int            // number of records
	Waiting     int            // number of records
	Verdicts    int            // number of records
	Checksum    uint32         `json:"Sum"` // see checksums.total
}

// checksums are the 4-byte checksums of all records of pools and tokens, in the
// order of their keys, and the sum of those of waiting pools and verdicts.
type checksums struct {
	pools, tokens []byte
	waiting       uint32
}

// total is the CRC-32 of the checksums, pools first, plus the sum.
func (c checksums) total() uint32 { return checksum(c.pools, c.tokens) + c.waiting }

// OpenStore reads the file at path, if there is one, and opens path + ".new" to
// be written. bbolt may panic when it reads a damaged file, which counts as an
// error here (catchPanics). A file that is damaged is renamed to path + ".damaged-" and the
// time in nanoseconds, and one written for another chain will be replaced: neither
// is an error. Of one written for other sources, the pools of those that are the
// same are used. A file that another process has open is.
// A nil log logs nothing.
func OpenStore(path string, chainID uint64, sources []venue.Source, families []venue.Family, log *slog.Logger) (*Store, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	fingerprint, err := codec.Fingerprint(chainID, nil)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s := &Store{path: path, fingerprint: fingerprint, sources: sources, storers: codec.Storers(families)}
	inUse := fmt.Errorf("store %s is in use by another process: give each its own", path)
	switch err := catchPanics(s.read); {
	case err == nil || errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, errIncompatible):
		log.Warn("store cannot be used: it will be replaced", "store", path, "err", err)
	case errors.Is(err, bbolt.ErrTimeout):
		return nil, inUse
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("store: %w", err)
	default:
		s.loaded = nil
		aside := fmt.Sprintf("%s.damaged-%d", path, time.Now().UnixNano())
		log.Warn("store is damaged: it is set aside, and a new one is written", "store", path, "aside", aside, "err", err)
		if err := os.Rename(path, aside); err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
	}
	if err := s.create(); errors.Is(err, bbolt.ErrTimeout) {
		return nil, inUse
	} else if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return s, nil
}

// create opens path + ".new". What a process that died left there is written
// over.
func (s *Store) create() error {
	path := s.path + ".new"
	open := func() (err error) {
		s.db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
		return err
	}
	err := catchPanics(open)
	if err != nil && !errors.Is(err, bbolt.ErrTimeout) && os.Remove(path) == nil {
		err = open()
	}
	return err
}

// Close waits for a write under way and closes the file. A new file to which
// nothing was written is removed.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.db.Close()
	if !s.installed {
		err = errors.Join(err, os.Remove(s.path+".new"))
	}
	return err
}

// saveDiscovery makes the file hold a discovery. Pools are only ever added to a
// discovery; of one that the file holds already, only those added since are
// written.
func (s *Store) saveDiscovery(d *discovery) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.write(s.discovery != d, storeHeader{Block: d.anchor, Next: d.next}, d.pools, nil, trie{}, trie{})
	if err == nil {
		s.discovery = d
	}
	return err
}

// saveSnapshot makes the file hold a snapshot. If it holds one already, only the
// pools and tokens that differ are written.
func (s *Store) saveSnapshot(m *state) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.write(s.discovery != nil || s.pools == nil, storeHeader{Complete: true, Block: m.Block()}, m.Pools(), m.Tokens(), m.waiting.pools, m.verdicts)
	if err == nil {
		s.discovery = nil
	}
	return err
}

// write makes the file hold these pools and tokens in one transaction. Unless
// reset is set, it relies on this: the order of pools and tokens never changes,
// none is removed, and a token does not change. Pools are immutable and a
// changed pool is a new pointer, so comparing pointers finds those to write.
func (s *Store) write(reset bool, header storeHeader, pools []venue.Pool, tokens []market.Token, waiting, verdicts trie) error {
	if reset {
		s.pools, s.tokens, s.waiting, s.verdicts, s.checksums = nil, 0, trie{}, trie{}, checksums{}
	}
	sums := checksums{make([]byte, 4*len(pools)), make([]byte, 4*len(tokens)), s.checksums.waiting}
	copy(sums.pools, s.checksums.pools)
	copy(sums.tokens, s.checksums.tokens)
	err := s.db.Update(func(tx *bbolt.Tx) error {
		if err := makeBuckets(tx, reset); err != nil {
			return err
		}
		put := func(bucket []byte, i int, value, sums []byte) error {
			record := appendChecksum(recordKey(i), value)
			copy(sums[4*i:], record[len(value):])
			return tx.Bucket(bucket).Put(recordKey(i), record)
		}
		for i, p := range pools {
			if i < len(s.pools) && s.pools[i] == p {
				continue
			}
			if err := put(bucketPools, i, encodePool(s.storers, p), sums.pools); err != nil {
				return err
			}
		}
		for i := s.tokens; i < len(tokens); i++ {
			data, err := json.Marshal(tokens[i])
			if err == nil {
				err = put(bucketTokens, i, data, sums.tokens)
			}
			if err != nil {
				return err
			}
		}
		if err := s.writeTrie(tx.Bucket(bucketWait), s.waiting, waiting, &sums.waiting); err != nil {
			return err
		}
		if err := s.writeTrie(tx.Bucket(bucketProofs), s.verdicts, verdicts, &sums.waiting); err != nil {
			return err
		}
		header.Fingerprint, header.Sources, header.Checksum = s.fingerprint, s.sources, sums.total()
		header.Pools, header.Tokens, header.Waiting, header.Verdicts = len(pools), len(tokens), waiting.count, verdicts.count
		data, err := json.Marshal(header)
		if err != nil {
			return err
		}
		return tx.Bucket(bucketMeta).Put(keyHead, appendChecksum(keyHead, data))
	})
	if err == nil && !s.installed {
		err = os.Rename(s.path+".new", s.path)
		s.installed = err == nil
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	s.pools, s.tokens, s.waiting, s.verdicts, s.checksums = pools, len(tokens), waiting, verdicts, sums
	return nil
}

// writeTrie writes the waiting pools or verdicts that differ from those in the file,
// and brings the sum of their checksums up to date.
func (s *Store) writeTrie(bucket *bbolt.Bucket, written, next trie, sum *uint32) (err error) {
	differences(written, next, func(key []byte, before, after *entry) {
		if old := bucket.Get(key); before != nil && len(old) >= 4 {
			*sum -= binary.BigEndian.Uint32(old[len(old)-4:])
		}
		if after == nil {
			err = errors.Join(err, bucket.Delete(key))
			return
		}
		value := after.value
		if after.live != nil {
			value = pack(s.storers, after.live.(venue.Pool), after.reason())
		}
		record := appendChecksum(key, value)
		*sum += binary.BigEndian.Uint32(record[len(value):])
		err = errors.Join(err, bucket.Put(key, record))
	})
	return err
}

// makeBuckets makes the buckets that are missing; reset empties all of them.
func makeBuckets(tx *bbolt.Tx, reset bool) error {
	for _, name := range [][]byte{bucketMeta, bucketPools, bucketTokens, bucketWait, bucketProofs} {
		if reset && tx.Bucket(name) != nil {
			if err := tx.DeleteBucket(name); err != nil {
				return err
			}
		}
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return nil
}
