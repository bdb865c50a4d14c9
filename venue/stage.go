package venue

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
)

// Stager is a family that can set up its contracts and pools on a local chain.
type Stager interface {
	// Etch places the contracts of every source at the addresses that the
	// sources name.
	Etch(Site) error

	// Open creates the pools of those listings that are of its own sources, and
	// adds their liquidity, by transactions.
	Open(Site, []Listing) error
}

// Site is a local chain to a family that sets itself up on it.
type Site interface {
	// Init is the creation code of a contract, by the name of its build, with
	// the constructor's arguments.
	Init(name string, args ...any) ([]byte, error)

	// Etch runs creation code as the code of an account of choice and leaves
	// there what it returns. Only Etch of a Stager may use it: once the chain
	// runs there are transactions alone.
	Etch(at common.Address, init []byte) error

	// Deployer is the account that sends the transactions. It holds enough of
	// every token.
	Deployer() common.Address

	// Send makes the calls in their order, in as few blocks as hold them, and
	// returns the logs of each. The first that reverts is an error.
	Send([]Tx) ([][]*types.Log, error)
}

// Tx is a call by the deployer. Value is in wei, Gas is the limit.
type Tx struct {
	To    common.Address
	Value u256.Int
	Data  []byte
	Gas   uint64
}

// Listing is a pool to be opened, and the liquidity that the deployer adds of each
// token, in raw units.
type Listing struct {
	Source  *Source
	Tokens  []common.Address
	Amounts []u256.Int
}

// Etch places a contract, by the name of its build, at an address.
func Etch(site Site, at common.Address, name string, args ...any) error {
	init, err := site.Init(name, args...)
	if err != nil {
		return err
	}
	return site.Etch(at, init)
}

// EventIn is the first event of type E that a family decodes from logs, such as
// the creation of a pool in those of a transaction.
func EventIn[E Event](f Family, logs []*types.Log) (E, error) {
	for _, log := range logs {
		e, err := f.Decode(log)
		if err != nil {
			return *new(E), err
		}
		if found, ok := e.(E); ok {
			return found, nil
		}
	}
	return *new(E), fmt.Errorf("no %T in %d logs", *new(E), len(logs))
}
