package score_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"braid/benchfile"
	"braid/market"
	"braid/plan"
	"braid/rival"
	"braid/router"
	"braid/score"
	"braid/u256"
	"braid/venue"
)

// TestReplay: the judge accepts plans of the router and refuses them when one amount is
// wrong by one raw unit, a step is missing or there are more than allowed.
func TestReplay(t *testing.T) {
	m, s := generated(t, score.Sized(300, 1))
	trades, err := m.Orders(s, "retail", 30, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range trades {
		o := order(t, s, &trades[i], 32)
		p, err := router.Find(s, o)
		if err != nil {
			t.Fatal(err)
		}
		if gas, err := score.Replay(s, o, p.Steps, p.AmountOut); err != nil || gas != p.Gas {
			t.Errorf("order %d: %v, gas %d of %d", i, err, gas, p.Gas)
		}
		last := len(p.Steps) - 1
		for name, wrong := range map[string]struct {
			change func(*plan.Plan)
			want   []error
		}{
			"output":       {func(p *plan.Plan) { p.AmountOut = p.AmountOut.Add(u256.One) }, []error{score.ErrClaim}},
			"less output":  {func(p *plan.Plan) { p.AmountOut = p.AmountOut.Sub(u256.One) }, []error{score.ErrClaim}},
			"step output":  {func(p *plan.Plan) { p.Steps[0].AmountOut = p.Steps[0].AmountOut.Add(u256.One) }, []error{score.ErrClaim}},
			"more input":   {func(p *plan.Plan) { p.Steps[last].AmountIn = p.Steps[last].AmountIn.Add(u256.One) }, []error{score.ErrOversells}},
			"less input":   {func(p *plan.Plan) { p.Steps[last].AmountIn = p.Steps[last].AmountIn.Sub(u256.One) }, []error{score.ErrClaim, score.ErrLeftOver, score.ErrOversells}},
			"missing step": {func(p *plan.Plan) { p.Steps = p.Steps[:last] }, []error{score.ErrClaim, score.ErrLeftOver}},
		} {
			bad := p
			bad.Steps = slices.Clone(p.Steps)
			wrong.change(&bad)
			_, err := score.Replay(s, o, bad.Steps, bad.AmountOut)
			if !slices.ContainsFunc(wrong.want, func(want error) bool { return errors.Is(err, want) }) {
				t.Errorf("order %d, %s: %v is none of %v", i, name, err, wrong.want)
			}
		}
		o.MaxSteps = last
		if _, err := score.Replay(s, o, p.Steps, p.AmountOut); last > 0 && !errors.Is(err, score.ErrTooLong) {
			t.Errorf("order %d: %d steps of %d allowed: %v", i, last+1, last, err)
		}
	}
}

// TestStepsOf: a plan that was written to a file replays like the plan itself, and
// one that names what is not there is refused.
func TestStepsOf(t *testing.T) {
	m, s := generated(t, score.Sized(300, 3))
	trades, err := m.Orders(s, "large", 12, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range trades {
		o := order(t, s, &trades[i], 32)
		p, err := router.Find(s, o)
		if err != nil {
			t.Fatal(err)
		}
		written := benchfile.Result{Out: p.AmountOut.String()}
		for k := range p.Steps {
			written.Steps = append(written.Steps, benchfile.NewStep(s, &p.Steps[k]))
		}
		steps, out, err := score.StepsOf(s, &written)
		if err != nil {
			t.Fatal(err)
		}
		if gas, err := score.Replay(s, o, steps, out); err != nil || gas != p.Gas {
			t.Errorf("order %d: %v, gas %d of %d", i, err, gas, p.Gas)
		}
		first := &written.Steps[0]
		first.Out = first.In
		if _, _, err := score.StepsOf(s, &written); !errors.Is(err, score.ErrClaim) {
			t.Errorf("a swap of a token for itself: %v", err)
		}
		first.Pool = len(s.Pools())
		if _, _, err := score.StepsOf(s, &written); !errors.Is(err, score.ErrClaim) {
			t.Errorf("a pool that is not there: %v", err)
		}
	}
}

// TestJudge: an answer that pays more than its bound is an error.
func TestJudge(t *testing.T) {
	m, s := generated(t, score.Sized(300, 2))
	trades, err := m.Orders(s, "retail", 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	orders := []router.Order{order(t, s, &trades[0], 32)}
	answers, bounds := score.Find(s, orders), score.BoundsOf(s, orders)
	got, err := score.Judge(s, orders, answers, bounds)
	if err != nil || got.Gap.Worst < 0 || got.NetGap.Worst <= got.Gap.Worst || got.StepGap.Worst > got.Gap.Worst {
		t.Errorf("%v: %v", got, err)
	}
	bounds[0].Any = answers[0].Out.Sub(u256.One)
	if _, err := score.Judge(s, orders, answers, bounds); err == nil {
		t.Error("a plan that pays more than the bound passes")
	}
}

// TestRivalsAndBounds: on sane markets and on such with arbitrage, rivals do what they
// claim and never pay more than the bound of any plan. Rivals may use a pool again in
// the other direction, which no plan does: such answers are not compared.
func TestRivalsAndBounds(t *testing.T) {
	compared := map[string]int{}
	for seed := range uint64(6) {
		c := score.Sized(120, seed)
		c.Noise = 0.003 * float64(seed%2)
		m, s := generated(t, c)
		tines, uniswap := rival.NewTines(s), rival.NewUniswap(s)
		for _, set := range []string{"retail", "large"} {
			trades, err := m.Orders(s, set, 6, seed)
			if err != nil {
				t.Fatal(err)
			}
			for i := range trades {
				o := order(t, s, &trades[i], 0)
				bound, _ := router.Bound(s, o)
				for name, route := range map[string]func(*market.Snapshot, common.Address, common.Address, u256.Int) (rival.Answer, bool){
					"single": rival.Single, "grid": rival.Grid, "chunks": rival.Chunks, "fill": rival.Fill,
					"tines": func(_ *market.Snapshot, in, out common.Address, amount u256.Int) (rival.Answer, bool) {
						return tines.Route(in, out, amount)
					},
					"uniswap": func(_ *market.Snapshot, in, out common.Address, amount u256.Int) (rival.Answer, bool) {
						return uniswap.Route(in, out, amount)
					},
				} {
					a, ok := route(s, o.TokenIn, o.TokenOut, o.AmountIn)
					if !ok {
						continue
					}
					if _, err := score.Replay(s, o, a.Steps, a.Out); err != nil {
						t.Errorf("seed %d, %s %d, %s: %v", seed, set, i, name, err)
					}
					if bothWays(a.Steps) {
						continue
					}
					compared[name]++
					if a.Out.Gt(bound) {
						t.Errorf("seed %d, %s %d: %s pays %v, the bound is %v", seed, set, i, name, a.Out, bound)
					}
				}
			}
		}
	}
	for name, n := range compared {
		if n < 50 {
			t.Errorf("only %d answers of %s of 72 were compared", n, name)
		}
	}
	if len(compared) != 6 {
		t.Errorf("only %v were compared", compared)
	}
}

func bothWays(steps []plan.Step) bool {
	in := map[venue.ID]int{}
	for i := range steps {
		id := steps[i].Pool.Info().ID
		if at, again := in[id]; again && at != steps[i].In {
			return true
		}
		in[id] = steps[i].In
	}
	return false
}
