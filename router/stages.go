package router

import (
	"math"
	"slices"

	"braid/market"
	"braid/plan"
	"braid/router/exact"
	"braid/router/flow"
	"braid/router/path"
	"braid/u256"
)

const (
	stageSplit      = "split"
	stageRetry      = "retry"
	stageContest    = "contest"
	stageSequential = "sequential"
	stageLots       = "lots"
	stageInLine     = "in line"
	stageCheck      = "check"
)

// stage is a function that may find a better candidate.
type stage struct {
	name string
	run  func(*problem, candidate) candidate
}

// complete is the pipeline of Find.
var complete = pipeline{
	stages: []stage{
		{stageSplit, (*problem).split},
		{stageRetry, (*problem).retry},
		{stageContest, (*problem).contest},
		{stageSequential, (*problem).sequential},
	},
	network: networkStages,
	lots:    exact.Lots,
	inLine:  true,
	check:   true,
}

// candidate is the plans found so far, and what makes them doubtful. A plan without steps
// is none.
type candidate struct {
	path   []flow.Hop // the best single path in floats
	alone  plan.Plan  // that path; none if no path carries the order
	best   plan.Plan  // single path, after the exact search
	split  plan.Plan
	floats float64 // the most that floats pay, gas aside

	full      bool             // pools could not take all of the order
	tangled   bool             // paths were barred by the network, or led back with a gain
	outOfLine bool             // pools that contradict prices made a difference
	lots      bool             // pools paid far less than floats
	closed    []flow.Direction // of those pools
}

// met notes what a search came across.
func (c *candidate) met(s path.Signs) {
	c.tangled, c.outOfLine = c.tangled || s.Tangled, c.outOfLine || s.OutOfLine
}

// keep is the one line by which plans are chosen: the better of two by net output, if its
// chains are not too long.
func (p *problem) keep(best *plan.Plan, other plan.Plan) {
	if len(other.Steps) > 0 && (p.chain == 0 || other.Chain() <= p.chain) && (len(best.Steps) == 0 || exact.Better(&other, best, p.GasPrice)) {
		*best = other
	}
}

// find runs the pipeline.
func (l *pipeline) find(s *market.Snapshot, o Order) (plan.Plan, error) {
	p, err := newProblem(s, o, false)
	if err != nil {
		return plan.Plan{}, err
	}
	defer p.release()
	p.pipeline = l
	c, err := p.search()
	if l.inLine && (c.outOfLine || err != nil) {
		p.keep(&c.best, l.findInLine(s, o))
	}
	if len(c.best.Steps) == 0 {
		return plan.Plan{}, err
	}
	if l.check {
		p.keep(&c.best, c.alone)
		c.best = exact.OnePool(&p.Problem, p.amount, c.best)
	}
	return c.best, nil
}

// findInLine searches without the pools that contradict the prices of their tokens. Their
// arbitrage leads a search astray: whoever makes such pools could make plans worse that
// have no use for them. It is no plan if there is none.
func (l *pipeline) findInLine(s *market.Snapshot, o Order) plan.Plan {
	p, err := newProblem(s, o, true)
	if err != nil {
		return plan.Plan{}
	}
	defer p.release()
	p.pipeline = l
	c, err := p.search()
	if err != nil {
		return plan.Plan{}
	}
	return c.best
}

// search passes the stages.
func (p *problem) search() (candidate, error) {
	c := candidate{outOfLine: p.GasPrice != p.Snapshot.GasInLine(p.Out)}
	refused := p.start(&c)
	for _, s := range p.pipeline.stages {
		c = s.run(p, c)
	}
	if len(c.best.Steps) == 0 {
		return c, refused
	}
	return c, nil
}

// start finds the best single path. Where none carries the order, it is the best one for
// as large a part as some path carries, for a split to start from, and the error says why.
func (p *problem) start(c *candidate) error {
	best, hops, signs, err := p.single(p.amount)
	c.met(signs)
	if hops != nil && err != nil {
		// Floats let pass what a pool does not.
		best, hops, signs, err = p.exactly(math.Inf(-1))
		c.met(signs)
	}
	c.full, c.path, c.alone, c.best = signs.TooLarge, hops, best, best
	p.priceGas(&best)
	if err != nil {
		refused := p.refusal(signs)
		c.path, signs = p.BestPart(p.amount)
		c.met(signs)
		return refused
	}
	c.floats = paid(hops)
	return nil
}

// paid is what a path pays in floats.
func paid(hops []flow.Hop) float64 {
	last := &hops[len(hops)-1]
	out, _, _ := last.Supply.Pay(last.Amount)
	return out
}

// priceGas is for a last token that gas has no price in: it is that in the first one, at
// the rate of the best path.
func (p *problem) priceGas(alone *plan.Plan) {
	if in := p.GasIn(p.In); p.GasPrice == 0 && in > 0 && len(alone.Steps) > 0 {
		p.GasPrice = in * alone.AmountOut.Float() / alone.AmountIn.Float()
		p.net.GasPrice = p.GasPrice
	}
}

// retry splits again without the pools that paid far less than their floats: what would
// have come in their places did not join while they seemed to pay.
func (p *problem) retry(c candidate) candidate {
	if len(c.closed) == 0 || len(c.alone.Steps) == 0 {
		return c
	}
	closed := c.closed
	again := c
	p.resetNetwork()
	if slices.ContainsFunc(c.path, func(h flow.Hop) bool { return slices.Contains(closed, h.Direction) }) {
		var signs path.Signs
		again.path, signs = p.Best(p.amount.Float(), path.Avoid{Directions: closed})
		again.met(signs)
	}
	if again.path != nil {
		again = p.split(again)
	}
	again.path, again.closed = c.path, nil
	return again
}

// contest looks for a single path that pays more in the pools' own integers, with their
// own gas, unless a split pays clearly more than any. Floats choose among paths that
// hardly differ as rounding has it: where a token is counted in thousands, a unit is ten
// basis points.
func (p *problem) contest(c candidate) candidate {
	alone := &c.alone
	if len(alone.Steps) == 0 || c.split.AmountOut.Float() > (1+clearly)*max(paid(c.path), alone.AmountOut.Float())+p.GasPrice*float64(c.split.Gas) {
		return c
	}
	floor := (alone.AmountOut.Float() - p.GasPrice*float64(alone.Gas)) * p.Graph.Ref[p.Out]
	best := *alone
	other, _, signs, err := p.exactly(floor)
	if c.met(signs); err == nil {
		p.keep(&best, other)
	}
	c.best = p.pipeline.lots(&p.Problem, exact.Exchange(&p.Problem, best))
	p.keep(&c.best, c.split)
	return c
}

// sequential tries sequential paths where they may pay more than the plan at hand: where
// paths were barred or led back, where pools were full or have lots, and where integers pay
// less than floats.
func (p *problem) sequential(c candidate) candidate {
	if len(c.best.Steps) == 0 {
		return c
	}
	loss := 1 - c.best.AmountOut.Float()/c.floats
	if !(c.full || c.tangled || c.lots || loss > roundingLoss) {
		return c
	}
	share, divisor := min(1-clearly, max(branchShare, 1-luck*loss)), roundingPart
	if c.full || c.tangled {
		share, divisor = branchShare, tangledPart
	}
	p.budget = flow.Budget{Limit: p.budget.Limit / divisor}
	var first []flow.Hop
	if len(c.alone.Steps) > 0 && len(c.closed) == 0 {
		first = c.path
	}
	best, signs := exact.Sequential(p.Search, c.best, share, c.closed, first, c.lots || loss > roundingLoss)
	c.met(signs)
	c.best = best
	return c
}

// single is the best path for an amount, carried out in integers.
func (p *problem) single(amount u256.Int) (plan.Plan, []flow.Hop, path.Signs, error) {
	hops, signs := p.Best(amount.Float(), path.Avoid{})
	return p.carry(amount, hops, signs)
}

// exactly is the path that pays most in the pools' own integers, of those that reach a
// value.
func (p *problem) exactly(floor float64) (plan.Plan, []flow.Hop, path.Signs, error) {
	hops, signs := p.BestExact(p.amount, floor, path.Avoid{})
	return p.carry(p.amount, hops, signs)
}

func (p *problem) carry(amount u256.Int, hops []flow.Hop, signs path.Signs) (plan.Plan, []flow.Hop, path.Signs, error) {
	if hops == nil {
		return plan.Plan{}, nil, signs, errNoPath
	}
	best, err := exact.Path(&p.Problem, amount, hops)
	return best, hops, signs, err
}
