package proof

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/plan"
	"braid/u256"
	"braid/venue"
)

// maxHops is the number of pools through which a token is bought for a trial.
const maxHops = 3

// route is how a token is bought with wrapped native, through pools that are proved.
type route struct {
	steps []plan.Step
	rate  float64 // raw units of the token for a raw unit of wrapped native, near the present price
	width float64 // depth of its shallowest pool, in raw units of wrapped native
}

// reach are the widest routes to all tokens.
func reach(s *market.Snapshot) map[common.Address]route {
	native := s.Chain().WrappedNative
	routes := map[common.Address]route{native: {rate: 1, width: 1e30}}
	for range maxHops {
		next := map[common.Address]route{}
		for _, p := range s.Pools() {
			if venue.Idle(p) != "" {
				continue
			}
			for in, a := range p.Info().Tokens {
				from, reached := routes[a]
				if !reached || passes(from.steps, p) {
					continue
				}
				width := min(from.width, p.Depth(in)/from.rate)
				for out, b := range p.Info().Tokens {
					if spot := p.Spot(in, out); in != out && spot > 0 && width > routes[b].width && width > next[b].width {
						steps := append(from.steps[:len(from.steps):len(from.steps)], plan.Step{Pool: p, In: in, Out: out})
						next[b] = route{steps, from.rate * spot, width}
					}
				}
			}
		}
		if len(next) == 0 {
			break
		}
		for a, r := range next {
			routes[a] = r
		}
	}
	return routes
}

// passes tells whether a pool is among the steps.
func passes(steps []plan.Step, p venue.Pool) bool {
	for i := range steps {
		if steps[i].Pool.Info().ID == p.Info().ID {
			return true
		}
	}
	return false
}

// buy is the plan that buys about so much of a token, and less where its pools are
// shallow; false if there is none.
func (t *trial) buy(token common.Address, amount float64) (*plan.Plan, bool) {
	r, ok := t.routes[token]
	if !ok || len(r.steps) == 0 {
		return nil, false
	}
	native := t.snapshot.Chain().WrappedNative
	pl, err := plan.Run(native, token, u256.FromFloat(min(amount/r.rate, r.width/10)), r.steps)
	return &pl, err == nil
}
