package router

import (
	"math"

	"braid/plan"
	"braid/router/exact"
	"braid/router/flow"
	"braid/router/path"
)

// networkStage is a step by which a network becomes one that a plan can follow.
type networkStage struct {
	name   string
	needed bool // there is no plan without it
	run    func(*problem, *growing)
}

// networkStages are all of them. The step price is in force where a network knows K.
var networkStages = []networkStage{
	{"step price", false, func(p *problem, _ *growing) { p.net.MaxEdges = p.MaxSteps }},
	{"ladder", false, (*problem).ladder},
	{"grow", false, (*problem).grow},
	{"long paths", false, (*problem).growLong},
	{"prune", true, (*problem).prune},
	{"regrow", false, (*problem).regrow},
	{"refill", false, (*problem).refill},
	{"displace", false, (*problem).displace},
	{"few steps", false, (*problem).few},
}

// growing is a network on its way to a plan.
type growing struct {
	full   bool    // there were more edges than steps
	net    float64 // output net of gas
	least  float64 // about what the least edge adds to it
	barred path.Barred
	avoid  path.Avoid
	signs  path.Signs
	links  []flow.Hop // that were in the network before it was pruned
}

// split lets others join the best path and is the plan they make together, when it is more
// than one path; without the edges that pay far less than their floats, where that is
// better.
func (p *problem) split(c candidate) candidate {
	if c.path == nil {
		return c
	}
	n, g := &p.net, growing{avoid: path.Avoid{Directions: c.closed}}
	p.budget.Used = 0 // the single path has none of it
	n.Begin(p.amount.Float(), c.path)
	for _, s := range p.pipeline.network {
		s.run(p, &g)
	}
	c.met(g.signs)
	c.floats = max(c.floats, n.Nodes[flow.Sink].Held)
	best, ok := p.round(&c)
	if !ok {
		return c
	}
	if dropped := exact.DropLossy(&p.Problem, n); len(dropped) > 0 {
		c.closed, c.lots = append(c.closed, dropped...), true
		if other, ok := p.round(&c); ok {
			p.keep(&best, other)
		}
	}
	p.keep(&c.split, best)
	p.keep(&c.best, c.split)
	return c
}

// round is the network as a plan, if it is more than one path.
func (p *problem) round(c *candidate) (plan.Plan, bool) {
	best, refused, ok := exact.Round(&p.Problem, &p.net, p.amount)
	if len(refused) > 0 {
		c.closed, c.lots = append(c.closed, refused...), true
	}
	if !ok {
		return best, false
	}
	return p.pipeline.lots(&p.Problem, best), true
}

// growth lets paths join for chunks of a part of the order.
func (p *problem) growth(g *growing, how path.Growth) (joined bool) {
	how.MaxEdges, how.Avoid = path.MaxEdges(p.MaxSteps), g.avoid
	joined, signs := p.Grow(&p.net, how, &g.barred)
	g.signs = g.signs.Or(signs)
	return joined
}

func (p *problem) grow(g *growing) { p.growth(g, path.Growth{Chunk: path.FirstChunk}) }

// growLong lets longer paths join, if there are steps left for them. Few do, so one look
// has to do where none does.
func (p *problem) growLong(g *growing) {
	n := &p.net
	if n.Unrationed() == 0 && n.InUse() < p.MaxSteps && len(n.Nodes) > path.SmallNetwork {
		p.growth(g, path.Growth{Chunk: longChunk, Long: true, Once: true})
	}
}

// prune brings the network down to what a plan may have.
func (p *problem) prune(g *growing) {
	n := &p.net
	g.full = n.InUse() > p.MaxSteps || n.Unrationed() > 0
	n.Choose()
	p.collect(g)
	g.net, g.least = n.Prune(p.MaxSteps)
	if n.Unrationed() > 0 && g.net < n.Unrationed() {
		// The step price misled, or the steps are worth that much.
		before := g.net
		n.Keep(&p.pruned)
		n.RevertToUnrationed()
		p.collect(g)
		g.net, g.least = n.Prune(p.MaxSteps)
		p.revertIfLess(g, before)
	}
}

// revertIfLess goes back to the pruned network if it paid more.
func (p *problem) revertIfLess(g *growing, before float64) {
	if g.net < before {
		p.net.Revert(&p.pruned)
		g.net = before
	}
}

// regrow grows a pruned network again, under a step price that is what its least edge
// adds.
func (p *problem) regrow(g *growing) {
	n := &p.net
	if !g.full || p.budget.Spent() || p.MaxSteps > path.ManySteps || !(g.least > 0) || math.IsInf(g.least, 1) {
		return
	}
	n.Compact()
	n.Keep(&p.pruned)
	n.Ration(g.least)
	if p.growth(g, path.Growth{Chunk: path.FirstChunk}) {
		before := g.net
		n.Choose()
		p.collect(g)
		g.net, g.least = n.Prune(p.MaxSteps)
		p.revertIfLess(g, before)
	}
	n.StepPrice = 0
}

// refill gives steps that are free to the best paths that fit into them, also when the
// budget is spent: it has but a few looks.
func (p *problem) refill(g *growing) {
	if !g.full {
		return
	}
	n := &p.net
	chunk := min(path.FirstChunk, path.RationedChunk/float64(p.MaxSteps))
	for range refills {
		free := p.MaxSteps - n.InUse()
		if free <= 0 {
			break
		}
		n.Compact()
		joined, signs := p.JoinOne(n, chunk, free, g.avoid, &g.barred)
		if g.signs = g.signs.Or(signs); !joined {
			chunk /= refillRatio
			continue
		}
		n.Shed(flow.Fine)
	}
}
