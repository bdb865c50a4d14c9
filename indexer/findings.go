package indexer

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/venue"
)

// What is learned beside the blocks, by goroutines that read the chain at their own
// pace, is recorded with the number of the first block for which it holds: one more
// than any block built so far. So every state is a function of its block and of the
// record, whatever the timing, and blocks of one number agree on all branches.

// findings are what one goroutine has learned at one time.
type findings struct {
	from       uint64 // first block for which they hold; set by the record
	epoch      int    // of the state they were learned from
	tokens     []market.Token
	loaded     []venue.Pool // waiting pools with their state after block at
	at         common.Hash
	reload     []venue.ID // to be read again
	quarantine []venue.ID // to be kept out of routes
	verdicts   []verdict  // of trials
}

// record are the findings. The goroutine of Run owns it.
type record struct {
	highest uint64 // number of the highest block built so far
	list    []findings
	tokens  map[common.Address]describedToken
}

type describedToken struct {
	market.Token
	from uint64
}

// add records findings for the blocks above all that were built.
func (r *record) add(f findings) { r.addFrom(f, r.highest+1) }

func (r *record) addFrom(f findings, from uint64) {
	f.from = from
	if r.tokens == nil {
		r.tokens = map[common.Address]describedToken{}
	}
	for _, t := range f.tokens {
		if _, known := r.tokens[t.Address]; !known {
			r.tokens[t.Address] = describedToken{t, from}
		}
	}
	r.list = append(r.list, f)
}

// built notes that the block of a number was built, and drops findings that only
// blocks more than keep below the highest would need. Tokens stay.
func (r *record) built(number uint64, keep int) {
	r.highest = max(r.highest, number)
	r.list = slices.DeleteFunc(r.list, func(f findings) bool { return f.from+2*uint64(keep) < r.highest })
}

// between are the findings that hold from a block above base up to block b on.
func (r *record) between(base, b uint64) (list []findings) {
	for _, f := range r.list {
		if f.from > base && f.from <= b {
			list = append(list, f)
		}
	}
	return list
}

// token is the description of a token in block b, if there is one.
func (r *record) token(a common.Address, b uint64) (market.Token, bool) {
	t, ok := r.tokens[a]
	return t.Token, ok && t.from <= b
}

// takeFindings records what other goroutines have learned by now, for the blocks
// above base and all others built. Those of another epoch may be of another chain.
func (x *Indexer) takeFindings(base market.Block) {
	x.record.built(base.Number, x.keep)
	for {
		select {
		case f := <-x.findings:
			if f.epoch == x.epoch {
				x.record.add(f)
			}
		default:
			return
		}
	}
}
