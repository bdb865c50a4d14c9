package indexer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/venue"
)

// A pool is admitted to the market after the first block in which it can be traded
// in some direction, its state is known and its tokens are described; from then on
// it stays. Until then it waits: it is followed by its events, but has no number,
// is in no graph, and costs nothing in a block that does not touch it. Anybody can
// create pools, so what waits must be cheap.

// reason is why a pool waits. The numbers are part of the store's format.
type reason byte

const (
	waitLiquidity reason = iota // nothing can be traded
	waitRead                    // its state has to be read
	waitDormant                 // no liquidity was active when the chain was joined; its ticks have to be read
	waitToken                   // a token has to be described
	waitProof                   // a trial has to prove what it pays
	reasons
)

var reasonNames = [reasons]string{"no liquidity", "not read yet", "no active liquidity, ticks not read yet", "token not described yet", "not proved yet"}

// state is what is known after a block: the market, and the pools that wait. It is
// a function of the block and of the record of findings, and is never changed.
type state struct {
	*market.Snapshot
	waiting  waiting
	verdicts trie           // of trials of pools, by ID: see verdict
	touched  []touchedBlock // the last blocks up to this one, oldest first
	epoch    int            // how often the chain was started over
}

// touchedBlock is a block, and the pools not in the market that its logs concern.
type touchedBlock struct {
	hash  common.Hash
	pools []venue.ID
}

// maxTouched is the number of blocks within which a waiting pool must have been
// read for the result to be used; about 10 s.
const maxTouched = 32

// touch are the touched blocks after one more.
func (s *state) touch(hash common.Hash, pools []venue.ID) []touchedBlock {
	list := s.touched
	if len(list) >= maxTouched {
		list = list[len(list)-maxTouched+1:]
	}
	return append(slices.Clone(list), touchedBlock{hash, pools})
}

// unchangedSince tells whether no log since a block concerned a waiting pool. It is
// false if the block is not one of the last ancestors.
func (s *state) unchangedSince(hash common.Hash, id venue.ID) bool {
	for i := len(s.touched) - 1; i >= 0; i-- {
		if s.touched[i].hash == hash {
			return true
		}
		if slices.Contains(s.touched[i].pools, id) {
			return false
		}
	}
	return false
}

// waiting are the pools that wait, by ID. A small pool is kept encoded; one that
// holds liquidity, or whose encoding exceeds maxPacked, as a value, so that an
// event does not cost encoding all of it.
type waiting struct {
	pools trie // value: reason, with the bit isFresh, and the pool without its ID; or reason and position of the token waited for
	needs trie // key: token waited for, then ID
	reads trie // key: ID of a pool to be read, if it may hold liquidity
	proof trie // key: ID of a pool to be proved
	count [reasons]int
}

const (
	maxPacked = 512  // bytes
	isFresh   = 0x80 // in the first byte of a value: see venue.Rememberer
)

// pack encodes a pool that waits; nil if no family can.
func pack(storers []venue.Storer, p venue.Pool, why reason) []byte {
	data := encodePool(storers, p)
	if data == nil {
		return nil
	}
	_, rest := venue.SplitID(data[4:])
	value := make([]byte, 1, 5+len(rest))
	value[0] = byte(why)
	for _, j := range storers {
		if r, ok := j.(venue.Rememberer); ok && r.IsFresh(p) {
			value[0] |= isFresh
		}
	}
	return append(append(value, data[:4]...), rest...)
}

// unpack is the pool of an entry.
func unpack(storers []venue.Storer, e entry) (venue.Pool, error) {
	if e.live != nil {
		return e.live.(venue.Pool), nil
	}
	data := append(slices.Clip(e.value[1:5]), venue.JoinID(e.key, e.value[5:])...)
	p, err := decodePool(storers, data)
	if err != nil || e.value[0]&isFresh == 0 {
		return p, err
	}
	for _, j := range storers {
		if r, ok := j.(venue.Rememberer); ok && j.Save(p) != nil {
			return r.Fresh(p), nil
		}
	}
	return p, nil
}

func (e entry) reason() reason { return reason(e.value[0] &^ isFresh) }

// pool is the waiting pool with an ID; nil if there is none.
func (w waiting) pool(storers []venue.Storer, id venue.ID) venue.Pool {
	e, ok := w.pools.get(id.Bytes())
	if !ok {
		return nil
	}
	p, err := unpack(storers, e)
	if err != nil {
		return nil // cannot be: it was encoded by the same families
	}
	return p
}

// with is w with a pool that waits, for the token at a position if that is why.
func (w waiting) with(storers []venue.Storer, p venue.Pool, why reason, token int) waiting {
	info := p.Info()
	e := entry{key: info.ID.Bytes()}
	old, had := w.pools.get(e.key)
	if why != waitToken && why != waitProof && !(had && old.live != nil) {
		e.value = pack(storers, p, why)
	}
	if e.value == nil || len(e.value) > maxPacked {
		e.value, e.live = []byte{byte(why), byte(token)}, p
	}
	w = w.without(info.ID)
	w.pools = w.pools.put(e)
	w.count[why]++
	switch why {
	case waitToken:
		w.needs = w.needs.put(entry{key: slices.Concat(info.Tokens[token][:], e.key)})
	case waitRead:
		w.reads = w.reads.put(entry{key: e.key})
	case waitProof:
		w.proof = w.proof.put(entry{key: e.key})
	}
	return w
}

// forProof are the pools that wait to be proved.
func (w waiting) forProof() (pools []venue.Pool) {
	w.proof.from(nil, func(key entry) bool {
		if e, ok := w.pools.get(key.key); ok {
			pools = append(pools, e.live.(venue.Pool))
		}
		return true
	})
	return pools
}

// without is w without a pool.
func (w waiting) without(id venue.ID) waiting {
	e, had := w.pools.get(id.Bytes())
	if !had {
		return w
	}
	w.count[e.reason()]--
	w.pools = w.pools.remove(e.key)
	switch e.reason() {
	case waitToken:
		token := e.live.(venue.Pool).Info().Tokens[e.value[1]]
		w.needs = w.needs.remove(slices.Concat(token[:], e.key))
	case waitRead:
		w.reads = w.reads.remove(e.key)
	case waitProof:
		w.proof = w.proof.remove(e.key)
	}
	return w
}

// waitingFor are the pools that wait for a token, by ID.
func (w waiting) waitingFor(token common.Address) (ids []venue.ID) {
	w.needs.from(token[:], func(e entry) bool {
		if common.Address(e.key[:common.AddressLength]) != token {
			return false
		}
		p, _ := w.pools.get(e.key[common.AddressLength:])
		ids = append(ids, p.live.(venue.Pool).Info().ID)
		return true
	})
	return ids
}

// all are the waiting pools, by ID.
func (w waiting) all(storers []venue.Storer) (pools []venue.Pool) {
	w.pools.from(nil, func(e entry) bool {
		if p, err := unpack(storers, e); err == nil {
			pools = append(pools, p)
		}
		return true
	})
	return pools
}

// byReason are the numbers of waiting pools, without those that merely hold no
// liquidity.
func (w waiting) byReason() map[string]int {
	counts := map[string]int{}
	for why, n := range w.count {
		if n > 0 && reason(why) != waitLiquidity {
			counts[reasonNames[why]] = n
		}
	}
	return counts
}
