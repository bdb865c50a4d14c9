package router

import (
	"math"
	"math/rand/v2"
	"testing"

	"braid/market"
	"braid/u256"
)

// bestOf tries every set of at most so many arcs, each shared out best.
func bestOf(s *market.Snapshot, o Order, steps int) (best float64) {
	f, err := newFinder(s, o, true)
	if err != nil {
		return 0
	}
	defer f.release()
	n := &f.net
	n.amount = o.AmountIn.Float()
	for t := range s.Tokens() {
		n.nodes[n.addNode(t)].v = f.g.Worth[t] / f.g.Worth[f.out]
	}
	var all []leg
	for i := range n.nodes {
		arcs := f.g.All(n.nodes[i].token)
		for k := range arcs {
			if to := int(n.nodeOf[arcs[k].To]) - 1; i != sink && to != source {
				all = append(all, leg{arc: &arcs[k], supply: arcs[k].Supply, from: i, to: to})
			}
		}
	}
	start := append([]node(nil), n.nodes...)
	var try func(from int, chosen []leg)
	try = func(from int, chosen []leg) {
		if len(chosen) > 0 {
			copy(n.nodes, start)
			n.legs = n.legs[:0]
			for _, l := range chosen {
				if n.leads(l.to, l.from) || n.legOf[l.arc.Pool] > 0 {
					break
				}
				n.join(l.from, l.to)
				n.legs = append(n.legs, l)
				n.legOf[l.arc.Pool] = 1
			}
			whole := len(n.legs) == len(chosen)
			if whole {
				n.order()
				n.trim()
				best = max(best, n.solve(fine))
			}
			for _, l := range chosen {
				n.legOf[l.arc.Pool] = 0
			}
			n.legs = n.legs[:0]
			if !whole {
				return
			}
		}
		for i := from; i < len(all) && len(chosen) < steps; i++ {
			try(i+1, append(chosen[:len(chosen):len(chosen)], all[i]))
		}
	}
	try(0, nil)
	return best
}

// Where the steps are too few for all pools that would pay, the chosen ones
// are held against all that could have been chosen.
func TestPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	sum, worst, count := 0.0, 0.0, 0.0
	for range 40 {
		w := random(t, r, 4, 10, 0.001)
		w.pool("anchor", "NATIVE", 1e22, "USD", 1e22)
		w.gasWei = 0
		s := w.snapshot()
		o := randomOrder(w, r)
		usd := s.USD(o.TokenIn)
		if usd == 0 || s.USD(o.TokenOut) == 0 {
			continue
		}
		o.AmountIn = u256.FromFloat(math.Exp(5+r.Float64()*6) / usd)
		o.MaxSteps = 2 + r.IntN(3)
		p, err := Find(s, o)
		if err != nil {
			t.Fatal(err)
		}
		gap := 1e4 * (1 - p.AmountOut.Float()/bestOf(s, o, o.MaxSteps))
		sum, worst, count = sum+gap, max(worst, gap), count+1
	}
	t.Logf("%.0f orders: mean %.3f bps below the best choice, worst %.2f", count, sum/count, worst)
	if count < 30 || sum/count > 0.3 || worst > 5 {
		t.Errorf("%.0f orders: mean %.3f bps below the best choice, worst %.2f", count, sum/count, worst)
	}
}
