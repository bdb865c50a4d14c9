package venue

import "github.com/ethereum/go-ethereum/common"

// Loader is the ability of a family whose logs do not tell all of a pool. When
// the logs of a block have been applied, each pool they changed is asked what
// it wants; the calls are made at that block, and the pool is loaded with the
// answers. Until then it quotes nothing.
type Loader interface {
	// Wants are the calls a pool waits for; none if it is complete.
	Wants(Pool) []Read

	// Load is the pool as the answers show it, in the order of the calls. Nil
	// stands for a call that reverted. What logs said before is of no account.
	Load(Pool, [][]byte) (Pool, error)
}

// Read is a call that changes nothing.
type Read struct {
	To   common.Address
	Data []byte
}
