package market

import "braid/venue"

// model is what follows from one pool alone. Snapshots share it while the
// pool is the same value.
type model struct {
	pool   venue.Pool
	tokens []int32         // their numbers
	depth  []float64       // by position
	spot   []float64       // by in*len(tokens)+out
	supply []*venue.Supply // the same
}

// of is the supply of an edge.
func (m *model) of(e *Edge) *venue.Supply { return m.supply[e.In*len(m.tokens)+e.Out] }

// modelled are the models of all pools, made when first asked for.
func (s *Snapshot) modelled() []*model {
	s.modelOnce.Do(func() {
		models := make([]*model, len(s.pools))
		for i, p := range s.pools {
			if i < len(s.before) && s.before[i].pool == p {
				models[i] = s.before[i]
			} else {
				models[i] = s.newModel(p)
			}
		}
		s.models.Store(&models)
	})
	return *s.models.Load()
}

func (s *Snapshot) newModel(p venue.Pool) *model {
	tokens := p.Info().Tokens
	n := len(tokens)
	numbers := make([]float64, n+n*n)
	m := &model{pool: p, tokens: make([]int32, n), depth: numbers[:n], spot: numbers[n:], supply: make([]*venue.Supply, n*n)}
	for in, a := range tokens {
		m.tokens[in] = int32(s.tokenNo[a])
		m.depth[in] = p.Depth(in)
		for out := range tokens {
			if in != out {
				m.spot[in*n+out] = p.Spot(in, out)
				m.supply[in*n+out] = venue.SupplyOf(p, in, out)
			}
		}
	}
	return m
}
