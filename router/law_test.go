package router

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"braid/market"
	"braid/markettest"
	"braid/plan"
	"braid/router/exact"
	"braid/u256"
	"braid/venue"
	"braid/venue/univ2"
)

func order(w *markettest.World, in string, amount float64, out string) Order {
	return Order{TokenIn: w.Token(in), TokenOut: w.Token(out), AmountIn: u256.FromFloat(amount)}
}

func beats(out u256.Int, gas uint64, other u256.Int, otherGas uint64, gasPrice float64) bool {
	return exact.Better(&plan.Plan{AmountOut: out, Gas: gas}, &plan.Plan{AmountOut: other, Gas: otherGas}, gasPrice)
}

// bestPath tries every path of up to DefaultMaxHops that meets no token twice.
func bestPath(s *market.Snapshot, o Order, gasCost float64) (out u256.Int, gas uint64, ok bool) {
	return bestPathOf(s, o, DefaultMaxHops, gasCost)
}

func bestPathOf(s *market.Snapshot, o Order, maxHops int, gasCost float64) (out u256.Int, gas uint64, ok bool) {
	end, _ := s.Token(o.TokenOut)
	seen := make([]bool, len(s.Tokens()))
	var walk func(t, hops int, amount u256.Int, burnt uint64)
	walk = func(t, hops int, amount u256.Int, burnt uint64) {
		if t == end {
			if !ok || beats(amount, burnt, out, gas, gasCost) {
				out, gas, ok = amount, burnt, true
			}
			return
		}
		if hops == maxHops {
			return
		}
		seen[t] = true
		defer func() { seen[t] = false }()
		for e := range s.Edges(t) {
			if seen[e.To] {
				continue
			}
			if q, err := s.Pools()[e.Pool].Quote(e.In, e.Out, amount); err == nil {
				walk(e.To, hops+1, q.Out, burnt+q.Gas)
			}
		}
	}
	start, _ := s.Token(o.TokenIn)
	walk(start, 0, o.AmountIn, 0)
	return out, gas, ok
}

func randomOrder(w *markettest.World, r *rand.Rand) Order {
	i, j := r.IntN(len(w.Tokens)), r.IntN(len(w.Tokens)-1)
	if j >= i {
		j++
	}
	return order(w, w.Tokens[i].Symbol, math.Exp(r.Float64()*math.Log(1e24)), w.Tokens[j].Symbol)
}

// gasCostOf is the cost of a unit of gas in the last token, as the law has it: where
// that has none, the cost in the first token at the rate of the best path.
func gasCostOf(s *market.Snapshot, o Order) float64 {
	in, _ := s.Token(o.TokenIn)
	last, _ := s.Token(o.TokenOut)
	if cost := s.GasIn(last); cost > 0 {
		return cost
	}
	out, _, _ := bestPath(s, o, 0)
	return s.GasIn(in) * out.Float() / o.AmountIn.Float()
}

func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	found, splits := 0, 0
	for market := range 300 {
		// Half of the markets are full of arbitrage.
		w := markettest.Random(t, r, 3+r.IntN(7), 3+r.IntN(25), []float64{0.001, 0.3}[market%2])
		s := w.Snapshot()
		for range 10 {
			o := randomOrder(w, r)
			if r.IntN(4) == 0 {
				o.MaxSteps = 1 + r.IntN(6)
			}
			p, err := Find(s, o)
			out, gas, ok := bestPath(s, o, gasCostOf(s, o))
			if err != nil {
				if !ok && (errors.Is(err, ErrNoRoute) || errors.Is(err, venue.ErrTooSmall) || errors.Is(err, venue.ErrTooLarge)) {
					continue
				}
				if o.MaxSteps > 0 {
					continue // the only path may be too long
				}
				t.Fatalf("%v, but a path pays %v", err, out)
			}
			found++
			if len(p.Steps) > 4 {
				splits++
			}
			checkPlan(t, s, o, p)
			if o.MaxSteps == 0 && beats(out, gas, p.AmountOut, p.Gas, gasCostOf(s, o)) {
				t.Errorf("market %d: %s pays %v, a single path %v", market, w.Show(p), p.AmountOut, out)
			}
		}
	}
	if found < 1000 || splits < 200 {
		t.Errorf("only %d plans and %d wide ones: the test lost its teeth", found, splits)
	}
}

// TestChain: no plan has a longer chain than the order allows, and none pays less than
// the best path of so many hops. Without the limit most are longer.
func TestChain(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	longer, splits := 0, 0
	for market := range 200 {
		w := markettest.Random(t, r, 3+r.IntN(7), 3+r.IntN(25), []float64{0.001, 0.3}[market%2])
		s := w.Snapshot()
		for range 10 {
			o := randomOrder(w, r)
			free, _ := Find(s, o)
			o.MaxHops = 1 + r.IntN(DefaultMaxHops)
			p, err := Find(s, o)
			out, gas, ok := bestPathOf(s, o, o.MaxHops, gasCostOf(s, o))
			if err != nil {
				if ok {
					t.Errorf("market %d: %v, but a path pays %v", market, err, out)
				}
				continue
			}
			checkPlan(t, s, o, p)
			if p.Chain() > o.MaxHops {
				t.Errorf("market %d: %s has chains of %d, not %d", market, w.Show(p), p.Chain(), o.MaxHops)
			}
			if beats(out, gas, p.AmountOut, p.Gas, gasCostOf(s, o)) {
				t.Errorf("market %d: %s pays %v, a single path %v", market, w.Show(p), p.AmountOut, out)
			}
			if free.Chain() > o.MaxHops {
				longer++
			}
			if len(p.Steps) > o.MaxHops {
				splits++
			}
		}
	}
	if longer < 100 || splits < 100 {
		t.Errorf("only %d plans are longer without the limit and %d are split with it: the test lost its teeth", longer, splits)
	}
}

// A search that may do next to nothing still has the best single path, one
// that may do all there is pays no less than one that may do little.
func TestBudget(t *testing.T) {
	w, s := town(t)
	more := 0
	for _, o := range townOrders(w, s, 100) {
		alone, gas, _ := bestPathOf(s, o, 3, gasCostOf(s, o))
		gasCost := gasCostOf(s, o)
		var last plan.Plan
		for i, budget := range []int{1, 1000, 1 << 30} {
			o.Budget = budget
			p, err := Find(s, o)
			if err != nil {
				t.Fatal(err)
			}
			checkPlan(t, s, o, p)
			if beats(alone, gas, p.AmountOut, p.Gas, gasCost) {
				t.Errorf("budget %d: %s pays %v, a single path %v", budget, w.Show(p), p.AmountOut, alone)
			}
			if i > 0 && beats(p.AmountOut, p.Gas, last.AmountOut, last.Gas, gasCost) {
				more++
			}
			last = p
		}
	}
	if more < 50 {
		t.Errorf("effort paid %d times: the test lost its teeth", more)
	}
}

// checkPlan holds a plan against what every plan must be.
func checkPlan(t *testing.T, s *market.Snapshot, o Order, p plan.Plan) {
	t.Helper()
	again, err := Find(s, o)
	if err != nil {
		t.Fatal(err)
	}
	same := cmp.Comparer(func(a, b venue.Pool) bool { return a == b })
	ints := cmp.Comparer(func(a, b u256.Int) bool { return a == b })
	if d := cmp.Diff(p, again, same, ints); d != "" {
		t.Fatalf("two answers to one order:\n%s", d)
	}
	replay, err := plan.Run(o.TokenIn, o.TokenOut, o.AmountIn, p.Steps)
	if err != nil || cmp.Diff(p, replay, same, ints) != "" {
		t.Fatalf("replay: %v", err)
	}
	steps := o.MaxSteps
	if steps == 0 {
		steps = DefaultMaxSteps
	}
	if len(p.Steps) > steps {
		t.Fatalf("%d steps, at most %d", len(p.Steps), steps)
	}
	from, to := p.Places()
	for i := range p.Steps {
		for j := range i {
			if to[i] == from[j] {
				t.Fatalf("step %d makes what step %d has used", i, j)
			}
		}
	}
}

// limitOf is what no plan can pass: for token values v with v_out = 1,
// v_in*amount plus what every pool would lose to a trader at those values
// (Angeris et al. 2022). It descends coordinate by coordinate, on a convex
// and smooth function.
func limitOf(s *market.Snapshot, o Order) float64 {
	in, _ := s.Token(o.TokenIn)
	out, _ := s.Token(o.TokenOut)
	logs := make([]float64, len(s.Tokens()))
	for i := range logs {
		logs[i] = math.Log(s.Price(i).USD / s.Price(out).USD)
	}
	f := func() float64 {
		sum := math.Exp(logs[in]) * o.AmountIn.Float()
		for _, p := range s.Pools() {
			tokens := p.Info().Tokens
			a, _ := s.Token(tokens[0])
			b, _ := s.Token(tokens[1])
			va, vb := math.Exp(logs[a]), math.Exp(logs[b])
			r0, r1 := p.(*univ2.Pool).Reserves()
			keep := 1 - float64(univ2.FeeBps(p.Info().Source))/1e4
			sum += loss(r0.Float(), r1.Float(), va, vb, keep) + loss(r1.Float(), r0.Float(), vb, va, keep)
		}
		return sum
	}
	best := f()
	for width := 0.25; width > 1e-9; {
		before := best
		for i := range logs {
			for _, d := range []float64{width, -width} {
				if i == out {
					continue
				}
				logs[i] += d
				if v := f(); v < best {
					best = v
				} else {
					logs[i] -= d
				}
			}
		}
		if best == before {
			width /= 2
		}
	}
	return best
}

// loss of a constant-product pool to a trader who values its tokens.
func loss(rIn, rOut, vIn, vOut, keep float64) float64 {
	x := (math.Sqrt(keep*rIn*rOut*vOut/vIn) - rIn) / keep
	if x <= 0 {
		return 0
	}
	return vOut*keep*x*rOut/(rIn+keep*x) - vIn*x
}

// heldOut is the first of the seeds that no constant was chosen on.
const heldOut = 1_000_000

// TestNearOptimal: on small markets without arbitrage and gas, plans are close to the bound
// of any plan, which is close to what an independent search for it finds.
func TestNearOptimal(t *testing.T) {
	var gaps, loose, single []float64
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(heldOut+seed, 8))
		w := markettest.Random(t, r, 4+r.IntN(4), 12+r.IntN(14), 0.0003)
		w.Pool("anchor", "NATIVE", 1e20, "USD", 1e20)
		w.GasWei = 0
		s := w.Snapshot()
		o := randomOrder(w, r)
		usd := s.USD(o.TokenIn)
		if usd == 0 || s.USD(o.TokenOut) == 0 {
			continue
		}
		o.AmountIn = u256.FromFloat(math.Exp(r.Float64()*8) / usd) // 1 to 3000 dollars
		p, err := Find(s, o)
		if err != nil {
			t.Fatal(err)
		}
		limit := limitOf(s, o)
		certified, ok := Bound(s, o)
		if !ok || certified.Lt(p.AmountOut) {
			t.Errorf("seed %d: bound %v, %v, but the plan pays %v", seed, certified, ok, p.AmountOut)
		}
		gap := 1e4 * (1 - p.AmountOut.Float()/limit)
		if gap < -1e-3 {
			t.Fatalf("seed %d: %s: beyond the bound by %.4f bps", seed, w.Show(p), -gap)
		}
		alone, _, _ := bestPath(s, o, 0)
		gaps, single = append(gaps, gap), append(single, 1e4*(1-alone.Float()/limit))
		loose = append(loose, 1e4*(certified.Float()/limit-1))
	}
	n := len(gaps)
	for _, row := range []struct {
		name               string
		bps                []float64
		median, p90, worst float64 // at most
	}{
		{"plans below the bound", gaps, 0.01, 0.1, 8},
		{"bounds above the least one known", loose, 1e-3, 0.01, 1},
	} {
		t.Logf("%s, in bps: %s", row.name, spreadOf(row.bps)) // sorts them
		if row.bps[n/2] > row.median || row.bps[n*9/10] > row.p90 || row.bps[n-1] > row.worst {
			t.Errorf("%s, in bps: %s; want %g, %g, worst %g", row.name, spreadOf(row.bps), row.median, row.p90, row.worst)
		}
	}
	if t.Logf("single paths below the bound: %s", spreadOf(single)); n < 150 || single[n/2] < 1 {
		t.Errorf("%d orders, of which half lose nothing on a single path: the test is too easy", n)
	}
}

// On a market of the local chain's size, from many goroutines at once.
func TestTown(t *testing.T) {
	w, s := town(t)
	orders := townOrders(w, s, 200)
	alone := make([]plan.Plan, len(orders))
	for i := range orders {
		orders[i].MaxSteps = []int{0, 3, 8}[i%3]
		p, err := Find(s, orders[i])
		if err != nil {
			t.Fatal(err)
		}
		checkPlan(t, s, orders[i], p)
		alone[i] = p
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range orders {
				if p, err := Find(s, orders[i]); err != nil || p.AmountOut != alone[i].AmountOut {
					t.Errorf("order %d: %v, %v; alone %v", i, p.AmountOut, err, alone[i].AmountOut)
				}
			}
		})
	}
	wg.Wait()
}
