package router

import (
	"math"
	"math/rand/v2"
	"testing"

	"braid/market"
	"braid/markettest"
	"braid/router/flow"
	"braid/router/path"
	"braid/u256"
)

// bestOf tries every set of at most so many links, each shared out best.
func bestOf(s *market.Snapshot, o Order, steps int) (best float64) {
	p, err := newProblem(s, o, false)
	if err != nil {
		return 0
	}
	defer p.release()
	n := &p.net
	var all []flow.Hop
	for from := range s.Tokens() {
		links := p.Graph.All(from)
		for k := range links {
			if a := &links[k]; from != p.Out && int(a.To) != p.In {
				all = append(all, flow.Hop{Direction: path.DirectionOf(a), From: from, To: int(a.To), Supply: a.Supply})
			}
		}
	}
	var try func(from int, chosen []flow.Hop)
	try = func(from int, chosen []flow.Hop) {
		if len(chosen) > 0 {
			p.resetNetwork()
			n.Amount = o.AmountIn.Float()
			for t := range s.Tokens() {
				n.Nodes[n.AddNode(t)].Price = p.Graph.Ref[t] / p.Graph.Ref[p.Out]
			}
			for i := range chosen {
				if !n.Insert(chosen[i : i+1]) {
					return
				}
			}
			n.Trim()
			best = max(best, n.Solve(flow.Fine))
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
		w := markettest.Random(t, r, 4, 10, 0.001)
		w.Pool("anchor", "NATIVE", 1e22, "USD", 1e22)
		w.GasWei = 0
		s := w.Snapshot()
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
