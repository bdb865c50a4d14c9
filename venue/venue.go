// Package venue says what a liquidity source must be able to do.
//
// A pool is a value: what happens to it gives another value. Families (one
// folder each below this one) bring the mathematics, the ear for their logs
// and the hand that calls their contracts; nothing above them knows a family
// by name.
package venue

import (
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
)

// ID names a pool: its address, or its 32-byte id inside a shared contract;
// lower-case hex with 0x.
type ID string

// Info is what never changes about a pool.
type Info struct {
	ID     ID
	Source *Source
	Tokens []common.Address
}

// Quote is the answer of a pool: what leaves it, and what the swap burns.
type Quote struct {
	Out u256.Int
	Gas uint64
}

// Call tells the Executor how to make a swap: the kind of its step and the
// bytes the kind needs. A pool that is paid before it is called names where.
type Call struct {
	Kind   byte
	Body   []byte
	Prepay common.Address

	// A contract that keeps accounts while it is called lets steps follow each
	// other inside: one whose JoinIn is the JoinOut of the step before becomes
	// part of that step. The first byte of such a Body counts its hops, and a
	// joined one adds the token between them and the rest of its own Body.
	JoinIn, JoinOut string
}

// Pool is one market between two or more tokens at one block. It never
// changes; any number of goroutines may ask it. in and out are positions in
// Info().Tokens.
type Pool interface {
	Info() *Info

	// Quote is what the contract pays for amount, to the wei, or the reason
	// it would revert. It allocates nothing.
	Quote(in, out int, amount u256.Int) (Quote, error)

	// Swap is the pool after that swap.
	Swap(in, out int, amount u256.Int) (Pool, error)

	// Spot is the marginal price before any trade, net of fees, in raw units
	// of out per raw unit of in; 0 when nothing can be swapped that way.
	Spot(in, out int) float64

	// Depth is how much of a token stands behind the present price, in raw
	// units. It ranks pools and never reaches an amount.
	Depth(token int) float64

	Call(in, out int) Call
}

// What a pool says to an amount it cannot take.
var (
	ErrTooSmall = errors.New("amount too small: the output rounds to nothing")
	ErrTooLarge = errors.New("amount beyond the depth of the pool")
	ErrEmpty    = errors.New("pool holds no liquidity")
)

// ErrUnknownPool is what Apply says to an event of a pool it was not given
// and that the event does not create.
var ErrUnknownPool = errors.New("unknown pool")

// Event is what one log says about one pool.
type Event interface{ Pool() ID }

// Wide is an event that concerns all pools of a source; it names none.
type Wide interface {
	Event
	Source() *Source
}

// Family follows the pools of all its sources by their logs.
type Family interface {
	// Topics are the first topics of the logs Decode wants to see.
	Topics() []common.Hash

	// Decode reads a log. Logs of strangers give nil; a log of a known
	// contract that cannot be read is an error.
	Decode(log *types.Log) (Event, error)

	// Apply is the pool after the event. With a nil pool the event must be
	// one that creates it.
	Apply(p Pool, e Event) (Pool, error)
}

// Descriptor is what every family can say without having a source.
type Descriptor interface {
	// Name is what Source.Family of its sources says.
	Name() string

	// Check says what is wrong with the parameters of a source, if anything.
	Check(Params) error

	// Step describes the family's kind of step of the Executor's route.
	Step() StepKind
}

// Custodian is a pool whose tokens lie with an account that is neither the
// pool itself nor the factory of its source.
type Custodian interface{ Custody() common.Address }

// Custody is the account of a Custodian; zero for any other pool.
func Custody(p Pool) common.Address {
	if c, ok := p.(Custodian); ok {
		return c.Custody()
	}
	return common.Address{}
}

// AddressID is the ID of a pool with a contract of its own.
func AddressID(a common.Address) ID {
	const digits = "0123456789abcdef"
	var b [42]byte
	b[0], b[1] = '0', 'x'
	for i, v := range a {
		b[2+2*i], b[3+2*i] = digits[v>>4], digits[v&15]
	}
	return ID(b[:])
}
