package univ2

import (
	"sort"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
)

var topicSwap = venue.Topic("Swap(address,uint256,uint256,uint256,uint256,address)")

// Measured are the topics of the logs that Measure reads.
func Measured() []common.Hash { return []common.Hash{topicSync, topicSwap} }

// Measure is the fee of the pairs of one factory, by what they let happen: the
// largest in basis points at which every swap among the logs, which are in
// order, still passes the pair's check of its product. No real fee is above
// it, as that one let them pass; it is the real one if one swap took all it
// could get, as routers do. It is false if a swap passes with no fee at all:
// that is no constant product.
func Measure(logs []types.Log) (feeBps, swaps int, ok bool) {
	feeBps = bps
	for i := 1; i < len(logs); i++ {
		sync, swap := &logs[i-1], &logs[i]
		if len(swap.Topics) != 3 || swap.Topics[0] != topicSwap || len(swap.Data) != 128 ||
			len(sync.Topics) != 1 || sync.Topics[0] != topicSync || len(sync.Data) != 64 ||
			sync.Address != swap.Address || sync.TxHash != swap.TxHash || sync.Index+1 != swap.Index {
			continue
		}
		word := func(log *types.Log, i int) u256.Int { return u256.FromBytes(log.Data[32*i : 32*i+32]) }
		s := passed{}
		for k := range 2 {
			s.after[k], s.in[k] = word(sync, k), word(swap, k)
			s.before[k] = s.after[k].Add(word(swap, 2+k)).Sub(s.in[k])
		}
		if !s.passes(0) {
			return 0, 0, false
		}
		swaps++
		feeBps = sort.Search(feeBps+1, func(fee int) bool { return !s.passes(fee) }) - 1
	}
	return feeBps, swaps, swaps > 0
}

// passed is a swap that a pair let happen.
type passed struct{ before, after, in [2]u256.Int }

// passes is the pair's check of its product, at a fee.
func (s *passed) passes(feeBps int) bool {
	fee := u256.From(uint64(feeBps))
	left := func(k int) u256.Int { return s.after[k].Mul(whole).Sub(s.in[k].Mul(fee)) }
	return !left(0).Mul(left(1)).Lt(s.before[0].Mul(s.before[1]).Mul(whole).Mul(whole))
}
