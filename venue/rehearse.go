package venue

import (
	"braid/gas"
	"braid/u256"
)

// Rehearser is a pool that tells what a swap does to accounts and storage, so
// that its gas can be foreseen on any schedule. The amount is one it quotes.
// A pool that is none is taken by the gas of its quote.
type Rehearser interface {
	Rehearse(in, out int, amount u256.Int, s *gas.Script)
}
