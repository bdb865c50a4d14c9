package proof

import (
	"cmp"
	"context"
	"slices"

	"braid/market"
	"braid/venue"
)

// poolsAtOnce is the number of pools tried before the routes to their tokens are
// searched again: those just proved lead to others.
const poolsAtOnce = 32

// Survey tries all pools of a snapshot in its state, until no trial proves one more.
// The verdicts are in the order of the pools.
func (p *Prover) Survey(ctx context.Context, s *market.Snapshot, pools []venue.Pool) ([]Verdict, error) {
	verdicts := map[venue.ID]Verdict{}
	proved, err := market.New(s.Chain()).Next(s.Block(), nil, s.Tokens())
	if err != nil {
		return nil, err
	}
	for progress := true; progress; {
		progress = false
		left := slices.DeleteFunc(slices.Clone(pools), func(q venue.Pool) bool { return verdicts[q.Info().ID].Status != Untried })
		for chunk := range slices.Chunk(Ordered(proved, left), poolsAtOnce) {
			list, err := p.Prove(ctx, proved, chunk)
			if err != nil {
				return nil, err
			}
			var found []venue.Pool
			for i := range list {
				v := list[i]
				verdicts[v.Pool] = v
				if v.Status == Proved {
					found = append(found, v.Of(chunk))
				}
			}
			if len(found) > 0 {
				progress = true
				if proved, err = proved.Next(s.Block(), found, nil); err != nil {
					return nil, err
				}
			}
		}
	}
	list := make([]Verdict, len(pools))
	for i, q := range pools {
		list[i] = verdicts[q.Info().ID]
	}
	return list, nil
}

// Of is the pool of a verdict among some, as the chain has it.
func (v *Verdict) Of(pools []venue.Pool) venue.Pool {
	for _, p := range pools {
		if p.Info().ID == v.Pool {
			return v.Apply(p)
		}
	}
	return nil
}

// Apply is the pool as the chain has it: with the variant that was found.
func (v *Verdict) Apply(p venue.Pool) venue.Pool {
	if w, ok := p.(venue.Variable); ok && v.Variant != 0 && w.Variant() != v.Variant {
		return w.WithVariant(v.Variant)
	}
	return p
}

// Ordered are pools in the order in which they are tried: the deepest of each source
// first, then the second ones, and so on. Depth is in what native currency buys, by
// the proved pools; what is not priced comes last.
func Ordered(proved *market.Snapshot, pools []venue.Pool) []venue.Pool {
	routes := reach(proved)
	depth := make(map[venue.ID]float64, len(pools))
	for _, p := range pools {
		best := 0.0
		for i, a := range p.Info().Tokens {
			if r, ok := routes[a]; ok {
				best = max(best, p.Depth(i)/r.rate)
			}
		}
		depth[p.Info().ID] = best
	}
	list := slices.Clone(pools)
	slices.SortStableFunc(list, func(a, b venue.Pool) int { return cmp.Compare(depth[b.Info().ID], depth[a.Info().ID]) })
	rank, count := make(map[venue.ID]int, len(pools)), map[string]int{}
	for _, p := range list {
		source := p.Info().Source.ID
		rank[p.Info().ID] = count[source]
		if depth[p.Info().ID] == 0 {
			rank[p.Info().ID] += len(pools)
		}
		count[source]++
	}
	slices.SortStableFunc(list, func(a, b venue.Pool) int { return cmp.Compare(rank[a.Info().ID], rank[b.Info().ID]) })
	return list
}
