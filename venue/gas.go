package venue

import (
	"braid/gas"
	"braid/u256"
)

// GasEstimator is a pool that reports to an estimate which accounts, slots and
// transfers a swap touches, so that its gas can be told for any schedule. The
// amount, in raw units, is one that Quote takes. Others may trade the pool first
// (Estimate.TradedBefore): of the swaps that may follow it reports the dearest. For a
// pool that is none, the gas of its quote is taken.
type GasEstimator interface {
	EstimateGas(in, out int, amount u256.Int, e *gas.Estimate)
}
