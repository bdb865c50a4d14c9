// Package exact turns flows and paths into plans of exact integers, and makes plans better there: rounding, lots, exchange of pools, sequential paths.
//
// Floats rank and share. Every amount of a plan comes from plan.Run, which asks the pools
// themselves, and of two plans the one that pays more net of gas is kept.
package exact

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"braid/plan"
	"braid/router/flow"
	"braid/router/path"
	"braid/u256"
	"braid/venue"
)

// Better says whether a plan pays more than another net of gas, of which less than a unit
// counts too.
func Better(p, q *plan.Plan, gasPrice float64) bool {
	burns := gasPrice * (float64(p.Gas) - float64(q.Gas))
	if p.AmountOut.Lt(q.AmountOut) {
		return -q.AmountOut.Sub(p.AmountOut).Float() > burns
	}
	return p.AmountOut.Sub(q.AmountOut).Float() > burns
}

// Path is the plan of one path.
func Path(p *path.Problem, amount u256.Int, hops []flow.Hop) (plan.Plan, error) {
	return run(p, amount, stepsOf(p, hops))
}

func run(p *path.Problem, amount u256.Int, steps []plan.Step) (plan.Plan, error) {
	tokens := p.Snapshot.Tokens()
	return plan.Run(tokens[p.In].Address, tokens[p.Out].Address, amount, steps)
}

func stepsOf(p *path.Problem, hops []flow.Hop) []plan.Step {
	steps := make([]plan.Step, len(hops))
	for i := range hops {
		steps[i] = stepOf(p, hops[i].Direction)
	}
	return steps
}

func stepOf(p *path.Problem, d flow.Direction) plan.Step {
	return plan.Step{Pool: p.Pools[d.Pool], In: int(d.In), Out: int(d.Out)}
}

// Round is the plan of a network that is more than one path. Saturated pools are left
// headroom where floats have put more into them than they take; where a part is too small
// for its pool, that edge leaves and the others get more. It gives the directions that
// left, and no plan when nothing but a path is left.
func Round(p *path.Problem, n *flow.Network, amount u256.Int) (best plan.Plan, refused []flow.Direction, ok bool) {
	for n.Splits() || n.InUse() > p.MaxHops && n.InUse() <= p.MaxSteps {
		for _, headroom := range headrooms {
			if best, err := run(p, amount, steps(p, n, headroom)); err == nil {
				return best, refused, true
			}
		}
		refused = append(refused, dropRefused(p, n)...)
	}
	return plan.Plan{}, refused, false
}

// steps lists the edges so that a token is complete before it is used, and a chain stays
// together: a pool can then be paid by the one before it.
func steps(p *path.Problem, n *flow.Network, headroom float64) []plan.Step {
	full := saturated(n, headroom)
	missing := make([]int, len(n.Nodes)) // edges that still have to fill a node
	for i := range n.Edges {
		if e := &n.Edges[i]; !e.Off {
			missing[e.To]++
		}
	}
	list := make([]plan.Step, 0, len(n.Edges))
	var leave func(node int)
	leave = func(node int) {
		edges, left := leaving(n, node, full)
		for i, at := range edges {
			e := &n.Edges[at]
			x := e.X
			if full != nil && full[at] {
				x *= 1 - headroom
			}
			s := stepOf(p, e.Direction)
			if i < len(edges)-1 {
				s.Share = plan.ShareOf(u256.FromFloat(x/left*(1<<52)), u256.From(1<<52))
			}
			list = append(list, s)
			left -= x
			if missing[e.To]--; missing[e.To] == 0 && e.To != flow.Sink {
				leave(e.To)
			}
		}
	}
	leave(flow.Source)
	return list
}

// leaving are the edges in use out of a node and their sum; the widest first, by basis
// points, so that the noise of floats does not order equals. The last one takes what is
// left, so that full ones come first.
func leaving(n *flow.Network, node int, full []bool) (edges []int, sum float64) {
	for i := range n.Edges {
		if e := &n.Edges[i]; e.From == node && !e.Off {
			edges = append(edges, i)
			sum += e.X
		}
	}
	slices.SortStableFunc(edges, func(a, b int) int {
		if full != nil && full[a] != full[b] {
			if full[a] {
				return -1
			}
			return 1
		}
		return cmp.Compare(math.Round(1e4*n.Edges[b].X/sum), math.Round(1e4*n.Edges[a].X/sum))
	})
	return edges, sum
}

// saturated tells by edge which take all that their pools can, up to the headroom, and
// which lead to where all do; nil if there is no headroom.
func saturated(n *flow.Network, headroom float64) []bool {
	if headroom == 0 {
		return nil
	}
	full, all := make([]bool, len(n.Edges)), make([]bool, len(n.Nodes)) // all that leave the node are full
	for i := range all {
		all[i] = i != flow.Sink
	}
	for i := len(n.Edges) - 1; i >= 0; i-- {
		e := &n.Edges[i]
		full[i] = e.X >= e.Supply.Max*(1-math.Abs(headroom)) || all[e.To]
		all[e.From] = all[e.From] && (full[i] || e.Off)
	}
	return full
}

// dropRefused takes out the edges whose pools refuse their parts as too small; if there
// are none, the edge that carries least, which it does not return.
func dropRefused(p *path.Problem, n *flow.Network) (refused []flow.Direction) {
	for i := range n.Edges {
		if e := &n.Edges[i]; !e.Off {
			if _, err := quote(p, e); errors.Is(err, venue.ErrTooSmall) {
				e.Off = true
				refused = append(refused, e.Direction)
			}
		}
	}
	if len(refused) > 0 {
		n.Shed(flow.Fine)
	} else {
		n.DropLeast()
	}
	return refused
}

// DropLossy takes out edges whose pools pay far less than floats say, and gives their
// directions.
func DropLossy(p *path.Problem, n *flow.Network) (dropped []flow.Direction) {
	for i := range n.Edges {
		e := &n.Edges[i]
		if e.Off {
			continue
		}
		q, err := quote(p, e)
		if e.Off = err != nil || q.Out.Float() < e.Y*(1-lossy)-1; e.Off {
			dropped = append(dropped, e.Direction)
		}
	}
	if len(dropped) > 0 {
		n.Shed(flow.Fine)
	}
	return dropped
}

// quote is what the pool itself makes of what enters an edge.
func quote(p *path.Problem, e *flow.Edge) (venue.Quote, error) {
	return p.Pools[e.Pool].Quote(int(e.In), int(e.Out), u256.FromFloat(e.X))
}
