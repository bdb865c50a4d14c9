package proof

import (
	"context"

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

// findVariants tries all variants of pools that did not pay what was quoted, and gives
// each pool the most generous one that the chain takes. That one is then tried like
// any pool. A contract may take less generous ones too: they would leave money in it.
func (t *trial) findVariants(ctx context.Context, subjects []*subject) error {
	var all []*trip
	candidates := make([][]*trip, len(subjects))
	for i, j := range subjects {
		v := j.pool.(venue.Variable)
		from := t.firstToken(j.pool)
		for _, n := range v.Variants() {
			for to := range j.pool.Info().Tokens {
				if to == from || from < 0 {
					continue
				}
				if r := t.oneWay(v.WithVariant(n), from, to, feeShare); r != nil {
					candidates[i] = append(candidates[i], r)
				}
				break
			}
		}
		all = append(all, candidates[i]...)
	}
	if err := t.run(ctx, all); err != nil {
		return err
	}
	var found []*subject
	for i, j := range subjects {
		for _, r := range candidates[i] {
			if _, _, err := r.judge(); err == nil {
				j.pool = r.pool
				found = append(found, j)
				break
			}
		}
	}
	return t.try(ctx, found)
}
