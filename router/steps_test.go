package router

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"braid/market"
	"braid/markettest"
	"braid/plan"
	"braid/router/flow"
	"braid/router/path"
	"braid/ticks"
	"braid/u256"
	"braid/venue"
	"braid/venuetest"
)

// stepLimits are the limits whose plans are held against all choices of so many links.
var stepLimits = []int{1, 2, 3, 4, 6, 8}

// choices tries every network of at most so many links. Links have one bit each in a
// mask, tokens too.
type choices struct {
	p     *problem
	links []flow.Hop
	most  int
	gross bool
	seen  map[uint32]bool
	best  []float64 // by number of links: the most that a network of so many pays, net of gas
}

// bestOf is by limit, from 0 to most, the most that any network of so many links pays net
// of gas, or gross. A network grows link by link from a path to all that contain it; what would gain
// nothing at the prices that a network has is left out, as the dual bounds what it adds.
func bestOf(s *market.Snapshot, o Order, most int, gross bool) ([]float64, error) {
	p, err := newProblem(s, o, false)
	if err != nil {
		return nil, err
	}
	defer p.release()
	c := &choices{p: p, most: most, gross: gross, seen: map[uint32]bool{}, best: make([]float64, most+1)}
	for from := range s.Tokens() {
		links := p.Graph.All(from)
		for k := range links {
			if a := &links[k]; from != p.Out && int(a.To) != p.In {
				c.links = append(c.links, flow.Hop{Direction: path.DirectionOf(a), From: from, To: int(a.To), Supply: a.Supply})
			}
		}
	}
	c.walk(0, 1<<p.In, p.In, 1, func(to int, _ float64) bool { return to == p.Out }, c.grow)
	for k := 1; k <= most; k++ {
		c.best[k] = max(c.best[k], c.best[k-1])
	}
	return c.best, nil
}

// walk shows all ways on from a token to an end through links whose pools are not in use
// and tokens that are not.
func (c *choices) walk(mask, tokens uint32, at int, spot float64, ends func(to int, spot float64) bool, show func(mask uint32)) {
	if pools(mask) == c.most {
		return
	}
	for i := range c.links {
		l := &c.links[i]
		if l.From != at || c.uses(mask, l.Pool) {
			continue
		}
		next, paid := mask|1<<i, spot*l.Supply.Spot()
		if ends(l.To, paid) {
			show(next)
		} else if tokens>>l.To&1 == 0 {
			c.walk(next, tokens|1<<l.To, l.To, paid, ends, show)
		}
	}
}

func pools(mask uint32) (n int) {
	for ; mask != 0; mask &= mask - 1 {
		n++
	}
	return n
}

func (c *choices) uses(mask uint32, pool int32) bool {
	for i := range c.links {
		if mask>>i&1 == 1 && c.links[i].Pool == pool {
			return true
		}
	}
	return false
}

// grow shares the order out over a network, and goes on to those with one way more.
func (c *choices) grow(mask uint32) {
	if c.seen[mask] {
		return
	}
	c.seen[mask] = true
	n := &c.p.net
	c.p.resetNetwork()
	n.Amount = c.p.amount.Float()
	for t, ref := range c.p.Graph.Ref {
		n.Nodes[n.AddNode(t)].Price = ref / c.p.Graph.Ref[c.p.Out]
	}
	tokens := uint32(1 << c.p.In)
	for i := range c.links {
		if mask>>i&1 == 1 {
			if !n.Insert(c.links[i : i+1]) {
				return
			}
			tokens |= 1 << c.links[i].To
		}
	}
	n.Trim()
	if out := n.Solve(flow.Fine); out > 0 {
		at := &c.best[pools(mask)]
		*at = max(*at, out-c.gas())
	}
	type node struct {
		price float64
		leads [32]bool
	}
	nodes := make([]node, len(c.p.Graph.Ref))
	for t := range nodes {
		nodes[t].price = n.Nodes[n.NodeOf(t)].Price
		for u := range nodes {
			nodes[t].leads[u] = n.Leads(n.NodeOf(t), n.NodeOf(u))
		}
	}
	for t := range nodes {
		if tokens>>t&1 == 1 && t != c.p.Out {
			c.walk(mask, tokens, t, 1, func(to int, spot float64) bool {
				return tokens>>to&1 == 1 && to != t && !nodes[to].leads[t] && spot*nodes[to].price > nodes[t].price*(1-1e-9)
			}, c.grow)
		}
	}
}

// gas is what the network's gas costs.
func (c *choices) gas() (sum float64) {
	for i := range c.p.net.Edges {
		if e := &c.p.net.Edges[i]; !e.Off && !c.gross {
			sum += c.p.net.GasPrice * e.Gas
		}
	}
	return sum
}

// fewPools is a market of up to 12 pools whose depths differ by a factor of a million, and
// an order on it. Some pools are of concentrated liquidity, in some markets gas is free,
// and in some prices disagree.
func fewPools(t testing.TB, seed uint64) (*markettest.World, *market.Snapshot, Order) {
	r := rand.New(rand.NewPCG(seed, 17))
	for {
		w := markettest.Random(t, r, 3+r.IntN(4), 5+r.IntN(5), []float64{0.001, 0.001, 0.001, 0.03}[r.IntN(4)])
		w.Pool("anchor", "NATIVE", 1e22, "USD", 1e22)
		for range r.IntN(3) {
			upper := 10 * int32(1+r.IntN(40))
			w.Ranges("ranges", "NATIVE", "USD", ticks.Position{Lower: -upper, Upper: upper, Liquidity: u256.FromFloat(math.Exp(45 + 12*r.Float64()))})
		}
		if r.IntN(2) == 0 {
			w.GasWei = 0
		}
		s := w.Snapshot()
		o := randomOrder(w, r)
		usd := s.USD(o.TokenIn)
		if usd == 0 || s.USD(o.TokenOut) == 0 {
			continue
		}
		o.AmountIn = u256.FromFloat(math.Exp(5+r.Float64()*6) / usd)
		if _, err := Find(s, o); err == nil {
			return w, s, o
		}
	}
}

// supplyGas is the gas of a plan by its supplies, which is what bestOf counts: pools quote
// a little more where they search for ticks.
func supplyGas(p *plan.Plan) (sum float64) {
	for i := range p.Steps {
		step := &p.Steps[i]
		_, _, gas := venue.SupplyOf(step.Pool, step.In, step.Out).Pay(step.AmountIn.Float())
		sum += gas
	}
	return sum
}

// TestFewSteps holds plans of few steps against all that could have been chosen, on SEEDS
// small markets from SEED on.
func TestFewSteps(t *testing.T) {
	first, seeds := venuetest.Setting(t, "SEED", 1), venuetest.Setting(t, "SEEDS", 40)
	losses := make([][]float64, len(stepLimits))
	var all []float64
	for seed := first; seed < first+seeds; seed++ {
		w, s, o := fewPools(t, seed)
		best, err := bestOf(s, o, slices.Max(stepLimits), false)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range stepLimits {
			o.MaxSteps = k
			net := 0.0
			p, err := Find(s, o)
			if err == nil {
				net = p.AmountOut.Float() - gasCostOf(s, o)*supplyGas(&p)
			} else if best[k] <= 0 {
				continue
			}
			loss := 1e4 * (1 - net/best[k])
			if loss > 0.5 {
				t.Logf("seed %d, %d steps: %.3f bps below the best choice: %s", seed, k, loss, w.Show(p))
			}
			losses[i] = append(losses[i], max(0, loss))
			all = append(all, max(0, loss))
		}
	}
	show := func(name string, list []float64) (mean, p999, worst float64) {
		slices.Sort(list)
		for _, x := range list {
			mean += x / float64(len(list))
		}
		at := func(q float64) float64 { return list[min(len(list)-1, int(q*float64(len(list))))] }
		p999, worst = at(0.999), at(1)
		fmt.Printf("steps=%s orders=%d mean=%.4f p99=%.3f p99.9=%.3f worst=%.3f\n", name, len(list), mean, at(0.99), p999, worst)
		return mean, p999, worst
	}
	for i, k := range stepLimits {
		show(fmt.Sprint(k), losses[i])
	}
	if mean, p999, worst := show("all", all); mean > 0.05 || p999 > 1 && seeds >= 500 || worst > 10 {
		t.Errorf("mean %.4f bps below the best choice, p99.9 %.3f, worst %.3f", mean, p999, worst)
	}
}

// TestMoreSteps: no plan pays less than one of fewer steps, or than the best path that
// fits, on small markets and up to 100 steps.
func TestMoreSteps(t *testing.T) {
	first, seeds := venuetest.Setting(t, "SEED", 1), venuetest.Setting(t, "SEEDS", 8)
	for seed := first; seed < first+seeds; seed++ {
		w, s, o := fewPools(t, seed)
		gas, best, at := gasCostOf(s, o), math.Inf(-1), 0
		for k := 1; k <= 100; k++ {
			o.MaxSteps = k
			p, err := Find(s, o)
			if err != nil {
				continue
			}
			net := func(p plan.Plan) float64 { return p.AmountOut.Float() - gas*float64(p.Gas) }
			if alone, err := Single(s, o); err == nil && net(alone) > best {
				best, at = net(alone), k
			}
			if less := 1e4 * (best - net(p)) / math.Abs(best); less > 0.001 {
				t.Errorf("seed %d: %d steps net %.4f bps less than a plan of %d: %s", seed, k, less, at, w.Show(p))
			}
			if net(p) > best {
				best, at = net(p), k
			}
		}
	}
}
