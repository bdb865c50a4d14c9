package score

import (
	"github.com/ethereum/go-ethereum/common"

	"braid/market"
	"braid/rival"
	"braid/router"
	"braid/u256"
	"braid/venue"
)

// Behind is how often and how far answers net less than a rival's.
type Behind struct {
	Orders   int       // that were compared
	Behind   int       // by more than tolerance and two raw units
	WorstBps float64   // of the rival's output
	Ahead    []float64 // by order: bps that they net more
}

const (
	toleranceBps = 0.5
	toleranceRaw = 2   // raw units of the output token
	rivalSteps   = 100 // a rival's plan with more is not compared: no transaction holds it
)

// Route is a rival's plan for an order; it gives false where it has none.
type Route func(in, out common.Address, amount u256.Int) (rival.Answer, bool)

// BehindOf compares plans of this build with those of a rival for the same orders, with
// as many steps allowed as the rival used. Swaps of a rival in one pool are one step.
func BehindOf(s *market.Snapshot, orders []router.Order, route Route) (Behind, error) {
	var b Behind
	for _, o := range orders {
		theirs, ok := route(o.TokenIn, o.TokenOut, o.AmountIn)
		steps := stepsOf(&theirs)
		if !ok || steps > rivalSteps {
			continue
		}
		b.Orders++
		o.MaxSteps = steps
		ours := 0.0
		if p, err := router.Find(s, o); err == nil {
			gas, err := Replay(s, o, p.Steps, p.AmountOut)
			if err != nil {
				return b, err
			}
			ours = net(s, &o, p.AmountOut, gas)
		}
		less := theirs.Net(s, o.TokenOut) - ours
		bps := 1e4 * less / theirs.Out.Float()
		b.WorstBps = max(b.WorstBps, bps)
		b.Ahead = append(b.Ahead, -bps)
		if less > toleranceRaw && bps > toleranceBps {
			b.Behind++
		}
	}
	return b, nil
}

// stepsOf counts the directions of pools that an answer uses.
func stepsOf(a *rival.Answer) int {
	type direction struct {
		pool    venue.ID
		in, out int
	}
	used := map[direction]bool{}
	for i := range a.Steps {
		used[direction{a.Steps[i].Pool.Info().ID, a.Steps[i].In, a.Steps[i].Out}] = true
	}
	return len(used)
}
