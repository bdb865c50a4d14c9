// Package venue says what a liquidity source must be able to do.
//
// A pool is a value: an event gives another value. A family (one folder each
// below this one) quotes its pools exactly, follows them by their logs, and
// encodes the calls of their contracts; nothing but package families knows a
// family by name. Amounts are raw units of a token unless it says otherwise.
package venue

import (
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
)

// ID names a pool: its address, or its 32-byte id inside a shared contract, as
// lower-case hex with 0x.
type ID string

// Info is what never changes about a pool.
type Info struct {
	ID     ID
	Source *Source
	Tokens []common.Address
}

// Quote is what a swap pays, in raw units of the output token, and the gas it
// needs inside the pool and its tokens.
type Quote struct {
	Out u256.Int
	Gas uint64
}

// Call tells the Executor how to make a swap: Kind and Body of a step of its
// route (see StepKind).
type Call struct {
	Kind byte
	Body []byte

	// Prepay is the address that must be paid before the call, for a pool that
	// the step before may pay; else zero.
	Prepay common.Address

	// Pools of a contract that nets what they owe each other are merged into one
	// step: if JoinIn of a step is the JoinOut of the step before, it becomes
	// part of that step. The first byte of such a Body counts its hops; each
	// further hop appends the token before it and its own Body without the first
	// byte.
	JoinIn, JoinOut string
}

// Pool is one market between two or more tokens at one block. It never
// changes; any number of goroutines may use it. in and out are positions in
// Info().Tokens, amounts are raw units.
type Pool interface {
	Info() *Info

	// Quote is what the contract pays for amount, exactly, or the reason why it
	// would revert: ErrTooSmall, ErrTooLarge or ErrEmpty. It allocates nothing.
	Quote(in, out int, amount u256.Int) (Quote, error)

	// Swap is the pool after that swap.
	Swap(in, out int, amount u256.Int) (Pool, error)

	// Spot is the marginal price before any trade, net of fees, in raw units
	// of out per raw unit of in; 0 when nothing can be swapped that way.
	Spot(in, out int) float64

	// Depth is how much of a token the pool offers near its present price, in
	// raw units. It ranks pools and never becomes an amount.
	Depth(token int) float64

	// Call is how the Executor makes a swap, of whatever amount.
	Call(in, out int) Call
}

// Why a pool refuses an amount.
var (
	ErrTooSmall = errors.New("amount too small: the output rounds to nothing")
	ErrTooLarge = errors.New("amount beyond the depth of the pool")
	ErrEmpty    = errors.New("pool holds no liquidity")
)

// ErrUnknownPool is the error of Apply for an event of a pool that it was not
// given and that the event does not create.
var ErrUnknownPool = errors.New("unknown pool")

// Event is what one log says about the pool of that ID.
type Event interface{ Pool() ID }

// SourceEvent is an event of all pools of a source. Its Pool is empty.
type SourceEvent interface {
	Event
	Source() *Source
}

// Family follows the pools of all its sources by their logs.
type Family interface {
	// Topics are the first topics of the logs Decode wants to see.
	Topics() []common.Hash

	// Decode reads a log. Logs of contracts that are not the family's give nil;
	// a log of a known contract that cannot be read is an error.
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
func AddressID(a common.Address) ID { return BytesID(a[:]) }

// BytesID is the ID that is these bytes in hex.
func BytesID(b []byte) ID {
	const digits = "0123456789abcdef"
	text := make([]byte, 2, 2+2*len(b))
	text[0], text[1] = '0', 'x'
	for _, v := range b {
		text = append(text, digits[v>>4], digits[v&15])
	}
	return ID(text)
}

// Bytes are the bytes of the ID; of one that is no hex with 0x those of its text.
func (id ID) Bytes() []byte {
	if id.IsText() {
		return []byte(id)
	}
	b := make([]byte, len(id)/2-1)
	for i := range b {
		b[i] = digit(id[2+2*i])<<4 | digit(id[3+2*i])
	}
	return b
}

// IsText tells whether the ID is no lower-case hex with 0x, as that of a pool that
// is on no chain.
func (id ID) IsText() bool {
	if len(id) < 2 || len(id)%2 != 0 || id[:2] != "0x" {
		return true
	}
	for _, c := range []byte(id[2:]) {
		if digit(c) > 15 {
			return true
		}
	}
	return false
}

// digit is the value of a lower-case hex digit; above 15 for any other byte.
func digit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	}
	return 255
}
