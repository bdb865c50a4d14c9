package univ2

import (
	"fmt"
	"sort"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"braid/u256"
	"braid/venue"
)

var topicSwap = venue.Topic("Swap(address,uint256,uint256,uint256,uint256,address)")

// Parameters of a source: the fee of its pairs in basis points, and whether
// nothing but that fee, which can be measured from swaps, is in the way of
// trusting the row.
const (
	paramFee        = "feeBps"
	paramMeasureFee = "measureFee"
)

// Fee are the parameters of a source whose pairs take a fee in basis points.
func Fee(bps uint64) venue.Params { return venue.Params{paramFee: bps} }

// FeeBps is the fee of the pairs of a source, in basis points.
func FeeBps(s *venue.Source) uint64 { return s.Params.Number(paramFee) }

// WithFee is the source with another fee, in basis points.
func WithFee(s venue.Source, bps uint64) venue.Source {
	s.Params = s.Params.With(paramFee, bps)
	return s
}

// Measurable tells that a source can be trusted once its fee was measured.
func Measurable(s *venue.Source) bool { return s.Params.Flag(paramMeasureFee) }

// Name is that of the family.
func (f *Family) Name() string { return Name }

// Check wants a fee.
func (f *Family) Check(p venue.Params) error {
	if fee := p.Number(paramFee); fee == 0 || fee >= bps {
		return fmt.Errorf("%s is %d, want a fee in basis points", paramFee, fee)
	}
	return p.Check(venue.Params{paramFee: uint64(0), paramMeasureFee: false})
}

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
		reserves, amounts := venue.NewWords(sync.Data), venue.NewWords(swap.Data)
		s := passed{}
		for k := range 2 {
			s.after[k], s.in[k] = reserves.Number(k), amounts.Number(k)
			s.before[k] = s.after[k].Add(amounts.Number(2 + k)).Sub(s.in[k])
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

// maxFee is the largest fee that is searched for, in basis points.
const maxFee = 100

// Variant is the fee of the pair, in basis points, and one more: it is above 0.
func (p *Pool) Variant() uint64 { return bps - p.keep.Uint64() + 1 }

// Variants are all fees up to maxFee, and the pair's own.
func (p *Pool) Variants() (list []uint64) {
	for fee := range uint64(maxFee + 1) {
		list = append(list, fee+1)
	}
	if own := p.Variant(); own > maxFee+1 {
		list = append(list, own-1, own)
	}
	return list
}

// WithVariant is the pair with another fee.
func (p *Pool) WithVariant(v uint64) venue.Pool {
	next := *p
	next.keep = u256.From(bps + 1 - v)
	return &next
}
