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
// which no network does; and the order is shared out to them in the pools' own integers.
// In all else networks are better.

// branch is one of the paths, what it is given, and what it pays for that.
type branch struct {
	steps []plan.Step
	in    u256.Int
	pay   payment
	parts [parts + 1]payment // for every number of parts of the order
}

type payment struct {
	out u256.Int
	gas uint64
	net float64
	ok  bool
}

// Sequential is the best plan of sequential paths that each pay at least so much value for
// a part of the order (of 20), without some directions. The search's budget limits it.
func Sequential(s *path.Search, amount u256.Int, least float64, avoid []flow.Direction) (best plan.Plan, signs path.Signs, ok bool) {
	p := &s.Problem
	for _, sizes := range sizes {
		var branches []branch
		used := path.Avoid{Directions: avoid}
		for i, size := range sizes {
			hops, more := s.BestExactDown(partOf(amount, size), least*float64(size), used)
			signs = signs.Or(more)
			if hops != nil && len(used.Pools)+len(hops) <= p.MaxSteps {
				branches = append(branches, newBranch(p, amount, hops))
				for k := range hops {
					used.Pools = append(used.Pools, hops[k].Pool)
				}
			} else if i > 0 {
				break
			}
		}
		if !deal(amount, branches) {
			continue
		}
		shift(p, amount, branches)
		next, err := run(p, amount, inTurn(amount, branches))
		if err == nil && (!ok || Better(&next, &best, p.GasPrice)) {
			best, ok = Exchange(p, next), true
		}
	}
	return best, signs, ok
}

// LeastValue is the least value for Sequential if each part is to pay a share of what
// another plan pays for it.
func LeastValue(p *path.Problem, other *plan.Plan, share float64) float64 {
	return share * other.AmountOut.Float() / parts * p.Graph.Ref[p.Out]
}

// newBranch asks what a path pays for every number of parts.
func newBranch(p *path.Problem, amount u256.Int, hops []flow.Hop) (b branch) {
	b.steps = stepsOf(p, hops)
	for k := 1; k <= parts; k++ {
		b.parts[k] = along(p, &b, partOf(amount, k))
	}
	return b
}

// partOf is so many parts of an amount.
func partOf(amount u256.Int, k int) u256.Int {
	part, _ := amount.MulDiv(u256.From(uint64(k)), u256.From(parts))
	return part
}

// along is what a branch pays for an amount.
func along(p *path.Problem, b *branch, amount u256.Int) (pay payment) {
	pay.out = amount
	for i := range b.steps {
		s := &b.steps[i]
		q, err := s.Pool.Quote(s.In, s.Out, pay.out)
		if err != nil {
			return payment{}
		}
		pay.out, pay.gas = q.Out, pay.gas+q.Gas
	}
	pay.net, pay.ok = pay.out.Float()-p.GasPrice*float64(pay.gas), true
	return pay
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
				if rate := (next.out.Float() - now.out.Float()) / float64(k); next.ok && (best < 0 || rate > most) {
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
func shift(p *path.Problem, order u256.Int, branches []branch) {
	amount := order
	for range shifts {
		amount = amount.Rsh(1)
		for i := range branches {
			for j := range branches {
				from, to := &branches[i], &branches[j]
				if i == j || to.in.IsZero() || !amount.Lt(from.in) || amount.IsZero() {
					continue
				}
				less, more := along(p, from, from.in.Sub(amount)), along(p, to, to.in.Add(amount))
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
