package router

import (
	"math"

	"braid/plan"
	"braid/u256"
)

// Rows are paths without a pool in common, one after the other: each uses up
// what it makes before the next begins. So one may lead from a token to another
// and the next back, which no net does; and they are shared out in the pools'
// own integers, as no net is. In all else nets are better.

const (
	maxRows  = 8
	rowParts = 20 // of the order
	rowTurns = 12 // that the order is halved to move some of it between two rows
)

// row is a path, what it is given, and what it pays for that.
type row struct {
	steps []plan.Step
	in    u256.Int
	pay   rowPay
	parts [rowParts + 1]rowPay
}

type rowPay struct {
	out u256.Int
	gas uint64
	net float64
	ok  bool
}

// sizes are the parts for which the rows are looked for, in two ways: the best
// path for all first, or what is best for less and can be no more.
var sizes = [2][maxRows]int{{rowParts, 1, 1, 1, 1, 1, 1, 1}, {4, 4, 4, 1, 1, 1, 1, 1}}

const (
	// worthRow is what a row has to pay for its part, of what another plan
	// does; where but rounding makes rows better, it may be less by luck times
	// what integers lose.
	worthRow, luck = 0.97, 10
	// rowBudget and luckyBudget are the parts of a search's budget that it
	// takes to look for them.
	rowBudget, luckyBudget = 4, 16
)

// rows is the best plan of rows that each pay nearly as well as another plan.
func (f *finder) rows(o *Order, other *plan.Plan) (best plan.Plan, ok bool) {
	worth, budget := min(1-clearly, max(worthRow, 1-luck*f.loss(other))), luckyBudget
	if f.full || f.tangled {
		worth, budget = worthRow, rowBudget
	}
	least := worth * other.AmountOut.Float() / rowParts * f.g.Worth[f.out]
	f.net.effort, f.net.budget = 0, f.net.budget/budget
	for _, sizes := range sizes {
		f.net.forget()
		f.net.reset(f)
		var rows []row
		for i, size := range sizes {
			path, ok := f.rowPath(part(o.AmountIn, size), least*float64(size))
			if ok && len(f.net.legs)+len(path) <= f.maxSteps {
				rows = append(rows, f.newRow(o, path))
			} else if i > 0 {
				break
			}
		}
		if !f.deal(o, rows) {
			continue
		}
		f.shift(o, rows)
		p, err := plan.Run(o.TokenIn, o.TokenOut, o.AmountIn, inTurn(o, rows))
		if err == nil && (!ok || f.net.beats(p.AmountOut, p.Gas, best.AmountOut, best.Gas)) {
			best, ok = f.swapPools(p), true
		}
	}
	return best, ok
}

// rowPath is the best path for an amount, of those that pay so much. It is
// looked for close to what is possible first.
func (f *finder) rowPath(amount u256.Int, least float64) ([]hop, bool) {
	f.aimAtLast(sized(least), f.fewest((least-f.g.Worth[f.out])*(1-2*blur)))
	top := f.top(amount.Float())
	for _, less := range []float64{1e-4, 1e-3, 1e-2, 1e-1, 1} {
		floor := max(least, top*(1-less))
		if path, ok := f.exactPath(amount, floor, true); ok || floor == least {
			return path, ok
		}
	}
	return nil, false
}

// newRow takes a path's pools into use and asks what it pays for every number
// of parts.
func (f *finder) newRow(o *Order, path []hop) (r row) {
	n := &f.net
	r.steps = f.steps(path)
	for _, h := range path {
		n.legs = append(n.legs, leg{arc: h.Arc})
		n.legOf[h.Pool] = int32(len(n.legs))
	}
	for k := 1; k <= rowParts; k++ {
		r.parts[k] = f.along(&r, part(o.AmountIn, k))
	}
	return r
}

// part is so many parts of an amount.
func part(amount u256.Int, k int) u256.Int {
	p, _ := amount.MulDiv(u256.From(uint64(k)), u256.From(rowParts))
	return p
}

// along is what a row pays for an amount.
func (f *finder) along(r *row, amount u256.Int) (p rowPay) {
	p.out = amount
	for i := range r.steps {
		s := &r.steps[i]
		q, err := s.Pool.Quote(s.In, s.Out, p.out)
		if err != nil {
			return rowPay{}
		}
		p.out, p.gas = q.Out, p.gas+q.Gas
	}
	p.net, p.ok = p.out.Float()-f.net.gasCost*float64(p.gas), true
	return p
}

// deal gives the parts of the order to the rows that pay most for more. Rows
// without which all pay more, net of gas, get none.
func (f *finder) deal(o *Order, rows []row) bool {
	var out [maxRows]bool
	best, most := hand(rows, &out)
	for i := 0; i < len(rows); i++ {
		if best[i] == 0 {
			continue
		}
		out[i] = true
		if given, net := hand(rows, &out); net > most {
			best, most, i = given, net, -1
		} else {
			out[i] = false
		}
	}
	dealt := 0
	for i := range rows {
		rows[i].in = part(o.AmountIn, dealt+best[i]).Sub(part(o.AmountIn, dealt))
		rows[i].pay = rows[i].parts[best[i]]
		dealt += best[i]
	}
	return dealt == rowParts
}

// hand deals to all rows but some, several parts at a time where a row pays
// most for these, and gives what all pay together.
func hand(rows []row, out *[maxRows]bool) (given [maxRows]int, net float64) {
	for left := rowParts; left > 0; {
		best, parts, most := -1, 0, 0.0
		for i := range rows {
			now := &rows[i].parts[given[i]]
			for k := 1; k <= left && !out[i]; k++ {
				next := &rows[i].parts[given[i]+k]
				if rate := (next.out.Float() - now.out.Float()) / float64(k); next.ok && (best < 0 || rate > most) {
					best, parts, most = i, k, rate
				}
			}
		}
		if best < 0 {
			return given, math.Inf(-1)
		}
		given[best] += parts
		left -= parts
	}
	for i := range rows {
		net += rows[i].parts[given[i]].net
	}
	return given, net
}

// shift moves smaller and smaller amounts between two rows while that pays.
func (f *finder) shift(o *Order, rows []row) {
	amount := o.AmountIn
	for range rowTurns {
		amount = amount.Rsh(1)
		for i := range rows {
			for j := range rows {
				from, to := &rows[i], &rows[j]
				if i == j || to.in.IsZero() || !amount.Lt(from.in) || amount.IsZero() {
					continue
				}
				less, more := f.along(from, from.in.Sub(amount)), f.along(to, to.in.Add(amount))
				if less.ok && more.ok && less.net+more.net > from.pay.net+to.pay.net {
					from.in, from.pay = from.in.Sub(amount), less
					to.in, to.pay = to.in.Add(amount), more
				}
			}
		}
	}
}

// inTurn are the steps of all rows, one after the other.
func inTurn(o *Order, rows []row) (steps []plan.Step) {
	held := o.AmountIn
	for i := range rows {
		r := &rows[i]
		if r.in.IsZero() {
			continue
		}
		if r.in.Lt(held) {
			r.steps[0].Share = plan.ShareOf(r.in, held)
		}
		held = held.Sub(r.in)
		steps = append(steps, r.steps...)
	}
	return steps
}
