package score

import (
	"braid/market"
	"braid/rival"
	"braid/router"
)

// Behind is how often and how far answers net less than a rival's.
type Behind struct {
	Orders   int     // that were compared
	Behind   int     // by more than tolerance and two raw units
	WorstBps float64 // of the rival's output
}

const (
	toleranceBps = 0.5
	toleranceRaw = 2   // raw units of the output token
	rivalSteps   = 100 // a rival's plan with more is not compared: no transaction holds it
)

// BehindTines compares plans of this build with those of tines for the same orders,
// with as many steps allowed as tines used.
func BehindTines(s *market.Snapshot, orders []router.Order) (Behind, error) {
	var b Behind
	tines := rival.NewTines(s)
	for _, o := range orders {
		theirs, ok := tines.Route(o.TokenIn, o.TokenOut, o.AmountIn)
		if !ok || len(theirs.Steps) > rivalSteps {
			continue
		}
		b.Orders++
		o.MaxSteps = len(theirs.Steps)
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
		if less > toleranceRaw && bps > toleranceBps {
			b.Behind++
		}
	}
	return b, nil
}
