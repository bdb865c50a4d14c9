package univ2

import (
	"fmt"

	"braid/u256"
	"braid/venue"
)

// paramFee is the parameter of a source that is the fee of its pairs in basis points.
const paramFee = "feeBps"

// Fee are the parameters of a source whose pairs take a fee in basis points.
func Fee(bps uint64) venue.Params { return venue.Params{paramFee: bps} }

// FeeBps is the fee of the pairs of a source, in basis points.
func FeeBps(s *venue.Source) uint64 { return s.Params.Number(paramFee) }

// Name is that of the family.
func (f *Family) Name() string { return Name }

// Check wants a fee.
func (f *Family) Check(p venue.Params) error {
	if fee := p.Number(paramFee); fee == 0 || fee >= bps {
		return fmt.Errorf("%s is %d, want a fee in basis points", paramFee, fee)
	}
	return p.Check(venue.Params{paramFee: uint64(0)})
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
