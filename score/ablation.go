package score

import (
	"fmt"
	"slices"
	"time"

	"braid/market"
	"braid/plan"
	"braid/router"
)

// Variant is the router with something taken away or limited.
type Variant struct {
	Name string
	Find func(*market.Snapshot, router.Order) (plan.Plan, error)
}

// Loss is what a variant loses against the first of the variants.
type Loss struct {
	Name    string
	Bps     Quantiles // of the first one's output, net of gas; negative where the variant pays more
	Gain    float64   // the most that the variant pays more for an order, in bps
	Refused int       // orders for which only the variant has no plan: they count as 10,000 bps
	Time    float64   // ratio of the CPU time for all orders
}

// Ablate asks all variants for a plan of each order, one after the other, so that
// whatever disturbs the machine disturbs all of them. Orders that the first variant
// refuses do not count.
func Ablate(s *market.Snapshot, orders []router.Order, variants []Variant) ([]Loss, error) {
	losses := make([]Loss, len(variants))
	bps, spent := make([][]float64, len(variants)), make([]time.Duration, len(variants))
	for i := range orders {
		o := &orders[i]
		nets, outs := make([]float64, len(variants)), make([]Answer, len(variants))
		for k := range variants {
			v := (i + k) % len(variants) // each is first after a pause equally often
			a := answer(s, *o, variants[v].Find)
			outs[v] = a
			if a.Err != nil {
				continue
			}
			gas, err := Replay(s, *o, a.Steps, a.Out)
			if err != nil {
				return nil, fmt.Errorf("order %d, %s: %w", i, variants[v].Name, err)
			}
			nets[v] = net(s, o, a.Out, gas)
		}
		if outs[0].Err != nil {
			continue
		}
		for v := range variants {
			spent[v] += outs[v].CPU
			if outs[v].Err != nil {
				losses[v].Refused++
				bps[v] = append(bps[v], 1e4)
				continue
			}
			bps[v] = append(bps[v], 1e4*(nets[0]-nets[v])/outs[0].Out.Float())
		}
	}
	for v := range variants {
		losses[v].Name = variants[v].Name
		losses[v].Bps = QuantilesOf(bps[v])
		if len(bps[v]) > 0 {
			losses[v].Gain = max(0, -slices.Min(bps[v]))
		}
		losses[v].Time = float64(spent[v]) / float64(spent[0])
	}
	return losses, nil
}
