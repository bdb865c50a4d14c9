package venue

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// StepKind describes one kind of step of the Executor's route, so that
// calldata can be decoded and put into words without knowing any family. A
// family has exactly one kind.
type StepKind struct {
	// Number is the first byte of a step in the route, between 1 and 0x7f.
	Number byte

	// Prepaid tells that the step before may pay its output straight into the
	// pool of this one, whose address is the first 20 bytes of the body.
	Prepaid bool

	// Length is how many bytes the body takes that rest begins with. It is
	// false where no body begins like this.
	Length func(rest []byte) (n int, ok bool)

	// Pools are the IDs of the pools that a step swaps through, in order.
	// wrappedNative is the token that stands for native currency in routes.
	Pools func(s StepCall, wrappedNative common.Address) []ID

	// Words say in English where a step trades, with every byte of the body in
	// them: steps that differ differ in words. name puts a token into words.
	Words func(s StepCall, name func(common.Address) string) string
}

// StepCall is one step of a route as the contract of its kind is given it. The
// body has the length that its kind says.
type StepCall struct {
	TokenIn, TokenOut common.Address // the zero address is native currency
	Body              []byte
}

// FixedLength is the Length of a kind whose bodies all have n bytes.
func FixedLength(n int) func([]byte) (int, bool) {
	return func([]byte) (int, bool) { return n, true }
}

// PoolAtStart is the Pools of a kind whose bodies begin with the 20 bytes of
// the pool's address.
func PoolAtStart(s StepCall, _ common.Address) []ID {
	return []ID{AddressID(common.Address(s.Body[:20]))}
}

// PoolStep is a kind of that number whose bodies are the pool's address alone.
// Words are the given ones and the address.
func PoolStep(number byte, words string) StepKind {
	return StepKind{
		Number: number,
		Length: FixedLength(common.AddressLength),
		Pools:  PoolAtStart,
		Words: func(s StepCall, _ func(common.Address) string) string {
			return words + " " + common.Address(s.Body).Hex()
		},
	}
}

// FlagWords names the bits of a byte that are set, lowest first, and gives
// none for a byte without any. Bits that have no name show as hex.
func FlagWords(flags byte, none string, names ...string) string {
	var words []string
	for i, name := range names {
		if flags&(1<<i) != 0 {
			words = append(words, name)
		}
	}
	if flags>>len(names) != 0 {
		words = append(words, fmt.Sprintf("and %#x", flags))
	}
	if words == nil {
		return none
	}
	return strings.Join(words, ", ")
}
