package venue

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
)

// Stager is the ability of a family to set itself up on a bare chain. Of the
// listings it opens those of its own sources and leaves the others alone.
type Stager interface {
	// Etch puts the contracts of every source where the deployments say.
	Etch(Site) error

	// Open makes the pools and fills them, by transactions.
	Open(Site, []Listing) error
}

// Site is a bare chain as its venues find it.
type Site interface {
	// Init is the creation code of a venue's contract, by the name of its
	// build, with the constructor's arguments behind it.
	Init(name string, args ...any) ([]byte, error)

	// Etch runs creation code as if at an address of choice. It is for Etch of
	// a Stager only: later the chain runs and takes transactions alone.
	Etch(at common.Address, init []byte) error

	// Founder sends the transactions and holds plenty of every token.
	Founder() common.Address

	// Send makes the calls in their order, in as few blocks as hold them, and
	// returns the logs of each. The first that reverts is an error.
	Send([]Tx) ([][]*types.Log, error)
}

// Tx is a call the founder makes, with the gas it may burn.
type Tx struct {
	To    common.Address
	Value u256.Int
	Data  []byte
	Gas   uint64
}

// Listing is a pool to be opened, and what the founder puts in of each token.
type Listing struct {
	Source  *Source
	Tokens  []common.Address
	Amounts []u256.Int
}

// Etch puts a contract, by the name of its build, where the deployments say.
func Etch(site Site, at common.Address, name string, args ...any) error {
	init, err := site.Init(name, args...)
	if err != nil {
		return err
	}
	return site.Etch(at, init)
}
