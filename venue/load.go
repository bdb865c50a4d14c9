package venue

import "github.com/ethereum/go-ethereum/common"

// Loader is the ability of a family whose logs do not tell all of a pool. When
// the logs of a block have been applied, each pool they changed is asked what
// it wants; the calls are made at that block, and the pool is loaded with the
// answers and asked again. Until it wants nothing more it quotes nothing.
type Loader interface {
	// Wants are the calls a pool waits for; none if it is complete.
	Wants(Pool) []Read

	// Load is the pool as the answers show it, in the order of the calls. Nil
	// stands for a call that reverted. What logs said before is of no account.
	Load(Pool, [][]byte) (Pool, error)
}

// Joiner is the ability of a family to take up pools in mid-life: to find them
// by their births alone, to read them whole at any block, and to write them
// down and go on from there.
type Joiner interface {
	Loader

	// Birth is the first topic of the log by which a source's factory makes a
	// pool.
	Birth() common.Hash

	// Blank is the pool with no more known of it than what never changes: it
	// wants all the rest. Nil for a pool of another family.
	Blank(Pool) Pool

	// Save writes a pool down; nil for a pool of another family. Pools that
	// will always behave alike are written alike, whether they were followed
	// or loaded.
	Save(Pool) []byte

	// Restore is the pool that was written down.
	Restore([]byte) (Pool, error)
}

// Read is a call that changes nothing. Without To it is a call of the Lens, a
// contract of ours whose code comes with the call.
type Read struct {
	To   common.Address
	Data []byte
	Gas  uint64 // it may burn; 0 for the little that a plain getter burns
}
