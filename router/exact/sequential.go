package exact

import (
	"math"

	"braid/plan"
	"braid/router/flow"
	"braid/router/path"
	"braid/u256"
)

// Sequential paths have no pool in common, and follow each other: each uses up what it
// makes before the next begins. So one may lead from a token to another and the next back,
// which no network does; and where pools lose much to rounding, the order is shared out to
// them in the pools' own integers. In all else networks are better.

// branch is one of the paths, what it is given, and what it pays for that.
type branch struct {
	hops  []flow.Hop
	steps []plan.Step
	in    u256.Int
	pay   payment
	parts [parts + 1]payment // for every number of parts of the order
}

type payment struct {
	out, net float64
	ok       bool
}

// Sequential is the better of a plan and the best plan of sequential paths that each pay at
// least a share of what it pays for a part of the order (of 20), without some directions.
// Paths and their parts are found in floats, or in integers where floats are in doubt, at
// some twenty times the effort. The search's budget limits it. first is the best path for
// the whole order in floats, if it is known.
func Sequential(s *path.Search, best plan.Plan, share float64, avoid []flow.Direction, first []flow.Hop, integers bool) (plan.Plan, path.Signs) {
	q := branchSearch{Search: s, amount: best.AmountIn, least: leastValue(&s.Problem, &best, share), first: first, integers: integers}
	p := &s.Problem
	promising := (best.AmountOut.Float() - p.GasPrice*float64(best.Gas)) * (1 - float64(p.MaxHops)*path.SupplyError)
	for _, sizes := range sizes {
		q.find(sizes, avoid)
		if !deal(q.amount, q.branches) {
			continue
		}
		q.shift()
		if q.net() < promising {
			continue
		}
		next, err := run(p, q.amount, inTurn(q.amount, q.branches))
		if err == nil && Better(&next, &best, p.GasPrice) {
			best = Exchange(p, next)
		}
	}
	return best, q.signs
}

// branchSearch is a search for sequential paths.
type branchSearch struct {
	*path.Search
	amount   u256.Int
	least    float64 // value that a path has to pay for a part
	first    []flow.Hop
	integers bool // the pools themselves are asked
	branches []branch
	signs    path.Signs
}

// find finds branches one after the other, each without the pools of those before it. In
// floats one for a single part has to pay more than the last part of those before it: it
// would be given none. Integers pay by lots, so that more parts may be worth more.
func (q *branchSearch) find(sizes [maxBranches]int, avoid []flow.Direction) {
	q.branches = q.branches[:0]
	used := path.Avoid{Directions: avoid}
	none := 0 // size for which there is no further branch
	for i, size := range sizes {
		if size == none {
			continue
		}
		least := q.least * float64(size)
		if size == 1 && !q.integers {
			least = max(least, q.lastPart()*q.Graph.Ref[q.Out])
		}
		hops := q.first
		if size < parts || q.integers || hops == nil {
			var more path.Signs
			hops, more = q.BestDown(partOf(q.amount, size), least, used, q.integers)
			q.signs = q.signs.Or(more)
		}
		if hops != nil && len(used.Pools)+len(hops) <= q.MaxSteps {
			q.branches = append(q.branches, q.branch(hops))
			for k := range hops {
				used.Pools = append(used.Pools, hops[k].Pool)
			}
		} else if none = size; i > 0 && q.integers {
			break
		}
	}
}

// lastPart is the least that the last part of a branch pays when all parts are dealt; 0 if
// they cannot be.
func (q *branchSearch) lastPart() float64 {
	given, net := dealWithout(q.branches, new([maxBranches]bool))
	if math.IsInf(net, -1) {
		return 0
	}
	least := math.Inf(1)
	for i := range q.branches {
		if k := given[i]; k > 0 {
			least = min(least, q.branches[i].parts[k].out-q.branches[i].parts[k-1].out)
		}
	}
	return least
}

// net is what all branches pay, net of gas.
func (q *branchSearch) net() (sum float64) {
	for i := range q.branches {
		if b := &q.branches[i]; !b.in.IsZero() {
			sum += b.pay.net
		}
	}
	return sum
}

// leastValue is the value of a share of what a plan pays for a part.
func leastValue(p *path.Problem, other *plan.Plan, share float64) float64 {
	return share * other.AmountOut.Float() / parts * p.Graph.Ref[p.Out]
}

// branch asks what a path pays for every number of parts.
func (q *branchSearch) branch(hops []flow.Hop) (b branch) {
	b.hops, b.steps = hops, stepsOf(&q.Problem, hops)
	for k := 1; k <= parts; k++ {
		b.parts[k] = q.along(&b, partOf(q.amount, k))
	}
	return b
}

// partOf is so many parts of an amount.
func partOf(amount u256.Int, k int) u256.Int {
	part, _ := amount.MulDiv(u256.From(uint64(k)), u256.From(parts))
	return part
}

// along is what a branch pays for an amount.
func (q *branchSearch) along(b *branch, amount u256.Int) payment {
	if q.integers {
		return q.alongSteps(b.steps, amount)
	}
	out, gas := amount.Float(), 0.
	for i := range b.hops {
		supply := b.hops[i].Supply
		if out > supply.Max {
			return payment{}
		}
		y, _, burnt := supply.Pay(out)
		out, gas = math.Floor(y), gas+burnt
	}
	return payment{out, out - q.GasPrice*gas, out > 0}
}

// alongSteps is along by the pools themselves.
func (q *branchSearch) alongSteps(steps []plan.Step, out u256.Int) payment {
	gas := uint64(0)
	for i := range steps {
		s := &steps[i]
		paid, err := s.Pool.Quote(s.In, s.Out, out)
		if err != nil {
			return payment{}
		}
		out, gas = paid.Out, gas+paid.Gas
	}
	return payment{out.Float(), out.Float() - q.GasPrice*float64(gas), true}
}

// deal gives the parts of the order to the branches that pay most for more. Branches
// without which all pay more, net of gas, get none.
func deal(amount u256.Int, branches []branch) bool {
	var out [maxBranches]bool
	best, most := dealWithout(branches, &out)
	for i := 0; i < len(branches); i++ {
		if best[i] == 0 {
			continue
		}
		out[i] = true
		if given, net := dealWithout(branches, &out); net > most {
			best, most, i = given, net, -1
		} else {
			out[i] = false
		}
	}
	dealt := 0
	for i := range branches {
		branches[i].in = partOf(amount, dealt+best[i]).Sub(partOf(amount, dealt))
		branches[i].pay = branches[i].parts[best[i]]
		dealt += best[i]
	}
	return dealt == parts
}

// dealWithout deals to all branches but some, several parts at a time where a branch pays
// most for these, and gives what all pay together.
func dealWithout(branches []branch, out *[maxBranches]bool) (given [maxBranches]int, net float64) {
	for left := parts; left > 0; {
		best, count, most := -1, 0, 0.0
		for i := range branches {
			now := &branches[i].parts[given[i]]
			for k := 1; k <= left && !out[i]; k++ {
				next := &branches[i].parts[given[i]+k]
				if rate := (next.out - now.out) / float64(k); next.ok && (best < 0 || rate > most) {
					best, count, most = i, k, rate
				}
			}
		}
		if best < 0 {
			return given, math.Inf(-1)
		}
		given[best] += count
		left -= count
	}
	for i := range branches {
		net += branches[i].parts[given[i]].net
	}
	return given, net
}

// shift moves smaller and smaller amounts between two branches while that pays.
func (q *branchSearch) shift() {
	amount, branches := q.amount, q.branches
	for range shifts {
		amount = amount.Rsh(1)
		for i := range branches {
			for j := range branches {
				from, to := &branches[i], &branches[j]
				if i == j || to.in.IsZero() || !amount.Lt(from.in) || amount.IsZero() {
					continue
				}
				less, more := q.along(from, from.in.Sub(amount)), q.along(to, to.in.Add(amount))
				if less.ok && more.ok && less.net+more.net > from.pay.net+to.pay.net {
					from.in, from.pay = from.in.Sub(amount), less
					to.in, to.pay = to.in.Add(amount), more
				}
			}
		}
	}
}

// inTurn are the steps of all branches, one after the other.
func inTurn(amount u256.Int, branches []branch) (steps []plan.Step) {
	held := amount
	for i := range branches {
		b := &branches[i]
		if b.in.IsZero() {
			continue
		}
		if b.in.Lt(held) {
			b.steps[0].Share = plan.ShareOf(b.in, held)
		}
		held = held.Sub(b.in)
		steps = append(steps, b.steps...)
	}
	return steps
}
