package venue

import "github.com/ethereum/go-ethereum/common"

// Loader is a family whose logs do not tell the whole state of a pool. After
// the logs of a block, each pool that they changed is asked for its Wants; the
// calls are made at that block, Load takes the answers, and the pool is asked
// again. Until it wants nothing more it quotes nothing.
type Loader interface {
	// Wants are the calls whose answers the pool needs; none if it is complete.
	Wants(Pool) []Read

	// Load is the pool with the answers, which are in the order of Wants. Nil
	// stands for a call that reverted. The answers replace what logs said.
	Load(Pool, [][]byte) (Pool, error)
}

// Storer is a family whose pools need not be followed since their creation:
// they are found by their creation logs alone, read whole at any block, and
// stored and restored.
type Storer interface {
	Loader

	// CreationTopic is the first topic of the log by which the factory of a source
	// announces a new pool.
	CreationTopic() common.Hash

	// Unloaded is the pool with nothing but what never changes: it wants all the
	// rest. Nil for a pool of another family.
	Unloaded(Pool) Pool

	// Save encodes a pool; nil for a pool of another family. Pools that behave
	// alike have the same encoding, whether they were followed or loaded.
	Save(Pool) []byte

	// Restore decodes a pool that Save encoded.
	Restore([]byte) (Pool, error)
}

// Dormant is a pool of which price and active liquidity have been read, and the
// rest not yet. If no liquidity is active, the rest may be read later: most such
// pools are empty, and it is what most calls are made for.
type Dormant interface{ Dormant() bool }

// IsDormant tells whether a pool is such a one, without active liquidity.
func IsDormant(p Pool) bool {
	d, ok := p.(Dormant)
	return ok && d.Dormant()
}

// Rememberer is a Storer whose pools know more of their past than Save encodes,
// which only the gas of their swaps depends on.
type Rememberer interface {
	// IsFresh tells whether a pool was followed since its creation, and has no past.
	IsFresh(Pool) bool

	// Fresh is a restored pool that was fresh when it was saved.
	Fresh(Pool) Pool
}

// Historian is a Storer whose pools know more of their past than Save encodes, which
// only the gas of their swaps depends on. A pool that is sent to another process takes
// it along, so that both give the same estimates.
type Historian interface {
	// History encodes it; nil if it is nothing, and for a pool of another family.
	History(Pool) []byte

	// WithHistory is a restored pool with what History encoded; nil for a pool of
	// another family.
	WithHistory(Pool, []byte) (Pool, error)
}

// Read is an eth_call that a pool needs. Without To it is a call of the Lens, a
// contract of ours whose code is sent along with the call.
type Read struct {
	To   common.Address
	Data []byte
	Gas  uint64 // limit; 0 for a plain getter
}
