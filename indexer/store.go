package indexer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"braid/market"
	"braid/venue"
)

// Store keeps on disk what is dear to find out: the pools found while a chain
// is joined, and from then on the market of a settled block. Each write is one
// transaction, so that whenever the process dies the file holds what one of
// them left. A nil Store keeps nothing.
type Store struct {
	path    string
	print   []byte // of all that must be the same for the file to be of use
	joiners []venue.Joiner
	have    *stored // when it was opened

	mu     sync.Mutex
	db     *bbolt.DB
	placed bool         // the file stands where the old one stood
	finds  *finds       // whose pools are in the file
	pools  []venue.Pool // that are in the file, in their order
	token  int          // how many tokens are
	sums   [2][]byte    // of the records of both, one behind the other
}

// storeFormat changes when the meaning of what is written does.
const storeFormat = 2

var (
	bucketMeta   = []byte("meta")
	bucketPools  = []byte("pools")
	bucketTokens = []byte("tokens")
	keyHead      = []byte("head")
)

// errForeign is a file of which nothing can be taken up.
var errForeign = errors.New("it was written for another chain, other sources or another format")

// sheet is the first page of the file.
type sheet struct {
	Print  []byte
	Whole  bool         // a market, or else finds
	Block  market.Block // of the market, or the anchor of the finds
	Next   uint64       // block to be searched
	Pools  int
	Tokens int
	Sum    uint32 // over the sums of their records
}

// OpenStore reads the file, if there is one. Whatever that has been through, a
// new one is written to, which is sound and takes its place with the first
// write. A file that cannot be read is set aside. What was written for other
// sources is of no use.
func OpenStore(path string, chainID uint64, sources []venue.Source, families []venue.Family, log *slog.Logger) (*Store, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	print, err := json.Marshal([]any{storeFormat, chainID, sources})
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	s := &Store{path: path, print: print}
	for _, f := range families {
		if j, ok := f.(venue.Joiner); ok {
			s.joiners = append(s.joiners, j)
		}
	}
	inUse := fmt.Errorf("store %s is in use by another process: give each its own", path)
	switch err := guarded(s.read); {
	case err == nil || errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, errForeign):
		log.Warn("store is of no use: it is written anew", "store", path, "err", err)
	case errors.Is(err, bbolt.ErrTimeout):
		return nil, inUse
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("store: %w", err)
	default:
		s.have = nil
		aside := fmt.Sprintf("%s.damaged-%d", path, time.Now().UnixNano())
		log.Warn("store cannot be read: it is set aside and made anew", "store", path, "aside", aside, "err", err)
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

// create opens a new file, which takes the place of the old one when it holds
// as much. What a process that died left of its own is written over.
func (s *Store) create() error {
	path := s.path + ".new"
	open := func() (err error) {
		s.db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
		return err
	}
	err := guarded(open)
	if err != nil && !errors.Is(err, bbolt.ErrTimeout) && os.Remove(path) == nil {
		err = open()
	}
	return err
}

// Close ends the last write.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.db.Close()
	if !s.placed {
		err = errors.Join(err, os.Remove(s.path+".new"))
	}
	return err
}

// stored is what a file holds.
type stored struct {
	sheet
	pools  []venue.Pool
	tokens []market.Token
}

// read takes in all that the file holds, if it is of use.
func (s *Store) read() error {
	if _, err := os.Stat(s.path); err != nil {
		return err
	}
	db, err := bbolt.Open(s.path, 0o600, &bbolt.Options{Timeout: time.Second, ReadOnly: true})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := checkCircles(s.path, db.Info().PageSize); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return db.View(s.view)
}

func (s *Store) view(tx *bbolt.Tx) error {
	meta, pools, tokens := tx.Bucket(bucketMeta), tx.Bucket(bucketPools), tx.Bucket(bucketTokens)
	if meta == nil || pools == nil || tokens == nil {
		return fmt.Errorf("%w: it has no pages", errDamaged)
	}
	var have stored
	head, err := unseal(keyHead, meta.Get(keyHead))
	if err == nil {
		err = json.Unmarshal(head, &have.sheet)
	}
	if err != nil || have.Block == (market.Block{}) {
		return err
	}
	if string(have.Print) != string(s.print) {
		return errForeign
	}
	var sums [2][]byte
	err = pools.ForEach(func(k, v []byte) error {
		data, err := unseal(k, v)
		if err != nil {
			return err
		}
		sums[0] = append(sums[0], v[len(data):]...)
		p, err := restore(s.joiners, data)
		if have.pools = append(have.pools, p); len(have.pools) > have.Pools {
			err = errDamaged
		}
		return err
	})
	if err != nil {
		return err
	}
	err = tokens.ForEach(func(k, v []byte) error {
		var t market.Token
		data, err := unseal(k, v)
		if err == nil {
			sums[1] = append(sums[1], v[len(data):]...)
			err = json.Unmarshal(data, &t)
		}
		if have.tokens = append(have.tokens, t); len(have.tokens) > have.Tokens {
			err = errDamaged
		}
		return err
	})
	if err == nil && (len(have.pools) != have.Pools || len(have.tokens) != have.Tokens) {
		err = fmt.Errorf("%w: %d pools and %d tokens, want %d and %d", errDamaged, len(have.pools), len(have.tokens), have.Pools, have.Tokens)
	}
	// A page of an earlier write can lie where a damaged link finds it, with
	// every record sound.
	if err == nil && sum(sums[0], sums[1]) != have.Sum {
		err = fmt.Errorf("%w: not all records are of one write", errDamaged)
	}
	if err == nil {
		s.have = &have
	}
	return err
}

// saveFinds writes what was found since the last time.
func (s *Store) saveFinds(f *finds) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := s.finds != f
	if fresh {
		s.pools, s.token, s.sums = nil, 0, [2][]byte{}
	}
	err := s.write(fresh, sheet{Block: f.anchor, Next: f.next}, f.pools, nil)
	if err == nil {
		s.finds = f
	}
	return err
}

// saveMarket writes what changed since the last time.
func (s *Store) saveMarket(m *market.Snapshot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := s.finds != nil || s.pools == nil
	if fresh {
		s.pools, s.token, s.sums = nil, 0, [2][]byte{}
	}
	err := s.write(fresh, sheet{Whole: true, Block: m.Block()}, m.Pools(), m.Tokens())
	if err == nil {
		s.finds = nil
	}
	return err
}

// write makes the file hold these pools and tokens; of those it holds, only
// what is another by now is written. Fresh forgets all.
func (s *Store) write(fresh bool, head sheet, pools []venue.Pool, tokens []market.Token) error {
	sums := [2][]byte{make([]byte, 4*len(pools)), make([]byte, 4*len(tokens))}
	copy(sums[0], s.sums[0])
	copy(sums[1], s.sums[1])
	err := s.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{bucketMeta, bucketPools, bucketTokens} {
			if fresh && tx.Bucket(name) != nil {
				if err := tx.DeleteBucket(name); err != nil {
					return err
				}
			}
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		put := func(bucket []byte, i int, value, sums []byte) error {
			sealed := seal(number(i), value)
			copy(sums[4*i:], sealed[len(value):])
			return tx.Bucket(bucket).Put(number(i), sealed)
		}
		for i, p := range pools {
			if i < len(s.pools) && s.pools[i] == p {
				continue
			}
			if err := put(bucketPools, i, save(s.joiners, p), sums[0]); err != nil {
				return err
			}
		}
		for i := s.token; i < len(tokens); i++ {
			data, err := json.Marshal(tokens[i])
			if err == nil {
				err = put(bucketTokens, i, data, sums[1])
			}
			if err != nil {
				return err
			}
		}
		head.Print, head.Pools, head.Tokens, head.Sum = s.print, len(pools), len(tokens), sum(sums[0], sums[1])
		data, err := json.Marshal(head)
		if err != nil {
			return err
		}
		return tx.Bucket(bucketMeta).Put(keyHead, seal(keyHead, data))
	})
	if err == nil && !s.placed {
		err = os.Rename(s.path+".new", s.path)
		s.placed = err == nil
	}
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	s.pools, s.token, s.sums = pools, len(tokens), sums
	return nil
}
