package proof

import (
	"context"
	"slices"

	"braid/venue"
)

// moreGenerous is the pool as the variant before its own, which would pay more; false
// if there is none.
func moreGenerous(p venue.Pool) (venue.Pool, bool) {
	v, ok := p.(venue.Variable)
	if !ok {
		return nil, false
	}
	list := v.Variants()
	for i, n := range list {
		if n == v.Variant() && i > 0 {
			return v.WithVariant(list[i-1]), true
		}
	}
	return nil, false
}

// search is the bisection of the variants of a pool: those below low are not taken, that at
// high is.
type search struct {
	*subject
	variants  []uint64
	low, high int
	trip      *trip // of the variant between them
}

// findVariants gives each pool that did not pay what was quoted the most generous variant
// that the chain takes, which is then tried like any pool. All pools are bisected at the
// same time, by one swap each.
func (t *trial) findVariants(ctx context.Context, subjects []*subject) error {
	open := make([]*search, len(subjects))
	for i, j := range subjects {
		variants := j.pool.(venue.Variable).Variants()
		open[i] = &search{subject: j, variants: variants, high: len(variants)}
	}
	all := slices.Clone(open)
	for len(open) > 0 {
		var trips []*trip
		for _, s := range open {
			s.trip = t.tripOf(s.pool.(venue.Variable).WithVariant(s.variants[(s.low+s.high)/2]))
			if s.trip == nil {
				s.low, s.high = 0, len(s.variants) // nothing to try it with
				continue
			}
			trips = append(trips, s.trip)
		}
		if err := t.run(ctx, trips); err != nil {
			return err
		}
		open = slices.DeleteFunc(open, func(s *search) bool {
			if s.trip == nil {
				return true
			}
			if _, _, err := s.trip.judge(); err == nil {
				s.high = (s.low + s.high) / 2
			} else {
				s.low = (s.low+s.high)/2 + 1
			}
			return s.low == s.high
		})
	}
	var found []*subject
	for _, s := range all {
		if s.high < len(s.variants) {
			s.pool = s.pool.(venue.Variable).WithVariant(s.variants[s.high])
			found = append(found, s.subject)
		}
	}
	return t.try(ctx, found)
}

// tripOf is one swap through a pool, from the first token that can be paid; nil if there
// is none.
func (t *trial) tripOf(p venue.Pool) *trip {
	from := t.firstToken(p)
	if from < 0 {
		return nil
	}
	for to := range p.Info().Tokens {
		if to != from {
			return t.oneWay(p, from, to, feeShare)
		}
	}
	return nil
}
