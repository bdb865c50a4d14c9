package router

import (
	"cmp"
	"math"
	"slices"

	"braid/market"
	"braid/plan"
	"braid/u256"
)

// column is a path that may join the net: from one of its nodes to another,
// and what it would gain.
type column struct {
	gain  float64
	out   float64 // of it alone
	gas   float64
	arc   *market.Arc // the last
	token int32       // which it leaves, with the label that led there
	hops  int
	slot  int8
	to    int32 // node
}

// hop is one arc of a path, and what enters it.
type hop struct {
	*market.Arc
	from   int
	amount float64
}

// detour is how many hops a path makes from one node of a net to another,
// unless there are few or it may go far, and shortDetour for a plan of very many steps.
const (
	detour, shortDetour = 3, 2
	fewNodes            = 3
)

// price finds paths from the nodes of the net to others that pay more for a
// chunk than the net does at its own prices; the best first.
func (f *finder) price(chunk float64) {
	f.forget()
	f.columns = f.columns[:0]
	n, worth := &f.net, f.g.Worth[f.out]
	f.circles = false
	for i := range n.nodes {
		t, v := n.nodes[i].token, n.nodes[i].v
		mute := f.mute && n.nodes[i].circles
		n.nodes[i].circles = false
		if i == source || !(v > 0) {
			f.around.aim(t, 0)
		} else {
			f.around.aim(t, v*worth/f.g.Worth[t])
		}
		if v > 0 && (i == source || i != sink && !f.whole && !mute) {
			*f.layers[0].at(t) = bunch{{amount: chunk / v, origin: int32(i), from: -1, before: -1}}
		}
	}
	w := sweep{finder: f, chunk: chunk, need: chunk * worth, reach: f.hops}
	if len(n.nodes) > fewNodes && !f.far && !f.anew {
		w.reach = min(f.hops, detour)
	}
	if n.toll > 0 && n.places > fewSteps {
		w.reach = min(w.reach, shortDetour)
	}
	f.lookBack(&f.around, rules{w.reach, sized(w.need), f.thin(w.need)})
	w.run()
	slices.SortStableFunc(f.columns, func(a, b column) int { return cmp.Compare(b.gain, a.gain) })
}

// alone is the best path for an amount from the first token to the last. It
// looks for one that pays nearly what the outlook says, and further and
// further down until there is one; then for any that pays more than that.
func (f *finder) alone(amount float64) ([]hop, bool) {
	carried, found := f.carried(amount), math.Inf(-1)
	for _, part := range []float64{0.9, 0.5} {
		if len(f.g.All(f.out)) > market.Wide {
			part = 0
		}
		f.aimAtLast(sized(max(part, 0.5)*carried), part*carried)
		top := f.top(amount)
		for _, less := range []float64{1e-4, 1e-3, 1e-2, 1e-1, 4e-1} {
			floor := top * (1 - less)
			if found >= floor {
				floor = found - math.Abs(found)*slack
				f.aimAtLast(sized(floor), f.fewest(floor))
			} else if part > 0 && floor < part*carried*f.outlook.most[min(1, f.hops-1)] {
				break
			}
			if c, ok := f.best(amount, floor); ok {
				if found = max(found, c.gain*f.g.Worth[f.out]); found >= floor {
					return f.trace(&c), true
				}
			}
		}
		if part == 0 {
			break
		}
	}
	floor := found - math.Abs(found)*slack
	f.aimAtLast(sized(floor), f.fewest(floor))
	c, ok := f.best(amount, floor)
	if !ok {
		return nil, false
	}
	return f.trace(&c), true
}

// aimAtLast looks back from the last token.
func (f *finder) aimAtLast(size int, least float64) {
	f.ahead.aim(f.in, 0)
	f.ahead.aim(f.out, 1)
	f.lookBack(&f.ahead, rules{f.hops, size, least})
}

// best is the best path of those that reach a worth.
func (f *finder) best(amount, floor float64) (best column, ok bool) {
	return f.search(amount, sweep{finder: f, alone: true, need: floor, reach: f.hops})
}

func (f *finder) search(amount float64, w sweep) (best column, ok bool) {
	f.tooSmall, f.tooLarge = false, false
	f.forget()
	f.columns = f.columns[:0]
	*f.layers[0].at(f.in) = bunch{{amount: amount, from: -1, before: -1}}
	w.run()
	for i := range f.columns {
		if c := &f.columns[i]; !ok || c.out-best.out > (c.gas-best.gas)*f.net.gasCost {
			best, ok = *c, true
		}
	}
	if ok {
		f.meet(best.arc)
	}
	return best, ok
}

func (f *finder) trace(c *column) []hop {
	path := make([]hop, c.hops)
	arc, t, slot := c.arc, c.token, c.slot
	for k := c.hops - 1; ; k-- {
		l := &f.layers[k].labels[f.layers[k].slot[t]-1][slot]
		path[k] = hop{Arc: arc, from: int(t), amount: l.amount}
		if k == 0 {
			return path
		}
		arc, t, slot = l.arc, l.from, l.slot
	}
}

// single is the best path for an amount, carried out in integers.
func (f *finder) single(o *Order, amount u256.Int) (plan.Plan, []hop, error) {
	path, ok := f.alone(amount.Float())
	if !ok {
		return plan.Plan{}, nil, errNoPath
	}
	p, err := f.carry(o, amount, path)
	return p, path, err
}

// carry is a path carried out in integers.
func (f *finder) carry(o *Order, amount u256.Int, path []hop) (plan.Plan, error) {
	return plan.Run(o.TokenIn, o.TokenOut, amount, f.steps(path))
}

func (f *finder) steps(path []hop) []plan.Step {
	steps := make([]plan.Step, len(path))
	for i, h := range path {
		steps[i] = plan.Step{Pool: f.pools[h.Pool], In: int(h.In), Out: int(h.Out)}
	}
	return steps
}
