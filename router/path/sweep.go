package path

import (
	"math"
	"slices"

	"braid/router/flow"
	"braid/router/graph"
	"braid/u256"
)

// sweep is one search for paths, all tokens hop by hop.
type sweep struct {
	*Search
	net       *flow.Network // between whose nodes paths lead; nil is from the first token to the last, whatever that pays
	chunk     float64       // what each path carries, in units of the last token
	need      float64       // the value that must come out, without what gas costs
	least     float64       // the value that a path must gain to join a network
	reach     int           // hops of a path
	exact     bool          // what floats let pass is paid by the pools themselves
	brief     bool          // ends when the budget is spent
	avoid     Avoid
	stepPrice float64
	gasValue  float64 // of a unit of gas
	barred    *Barred

	// What was found beside paths.
	signs  Signs
	cycles []int // tokens from which paths lead back with a gain
}

// Avoid is what paths may not use.
type Avoid struct {
	Directions []flow.Direction
	Pools      []int32
}

func (v *Avoid) has(a *graph.Link) bool {
	return slices.Contains(v.Directions, DirectionOf(a)) || slices.Contains(v.Pools, a.Pool)
}

// DirectionOf is the direction of a pool that a link is.
func DirectionOf(a *graph.Link) flow.Direction {
	return flow.Direction{Pool: a.Pool, In: a.In, Out: a.Out}
}

func (w *sweep) run() {
	w.gasValue = w.GasPrice * w.Graph.Ref[w.Out]
	for k := range w.reach {
		l := &w.layers[k]
		for i := range w.bounds.into {
			if e := &w.bounds.into[i]; l.slot[e.from] > 0 {
				w.try(k, e.from, &l.labels[l.slot[e.from]-1], e.link)
			}
		}
		for i, t := range l.tokens {
			if w.brief && w.Budget.Spent() {
				return
			}
			w.extend(k, int(t), &l.labels[i])
		}
	}
}

// must is the value that a path with so many steps has to reach.
func (w *sweep) must(gas float64, steps int) float64 {
	burnt := (gas + float64(steps*leastGas)) * w.gasValue
	return w.need + burnt - slack*(math.Abs(w.need)+burnt)
}

// stepsPrice is the value that a path of so many hops pays for its steps.
func (w *sweep) stepsPrice(hops int) float64 {
	return float64(hops) * w.stepPrice * w.Graph.Ref[w.Out]
}

// extend leads the labels of a token one hop on, where bounds allow it. Links come by
// falling ratio, so that the first too weak for any end ends the look.
func (w *sweep) extend(k, t int, labels *labelSet) {
	links, hubs, start := w.Graph.Bounds(t, math.MaxInt)
	left, o := w.reach-k-1, w.bounds
	w.Budget.Used += hubs / linksPerEvaluation
	value, must := labels[0].amount*w.Graph.Ref[t], w.must(0, k+1)
	size := min(value, graph.MaxImpactValue)
	if k > 0 {
		must += w.stepsPrice(k + 1) // and more
	}
	behind, top, lazy := o.hub[left], w.Graph.Core.MaxRatio[o.size], o.lazy(left)
	for i := range links[:hubs] {
		l := &links[i]
		rises := float64(l.Ratio) * value
		if rises*o.max[left] < must {
			break
		}
		need, bound := must*(1+float64(l.Impact)*size), float64(behind[l.Rank])
		if lazy && (rises*bound < need || bound == 0) && rises*float64(top[l.Rank]*o.largest) >= need {
			bound = w.ofHub(l.Rank, left, need/rises)
		}
		if bound > 0 && (rises*bound >= need ||
			k == 0 && rises*bound >= must && w.net != nil && w.endOf[l.To] > 0 && w.paysAlone(l, value, rises*bound)) {
			w.try(k, t, labels, &w.Graph.Links[start+i])
		}
	}
	if left > 0 {
		w.extendToOthers(k, t, labels, must)
	}
}

// paysAlone says whether a link may gain enough to join for as much as pays, which may be
// less than a chunk: a value of which it would make so much but for its price impact.
// With r the rate at the network's prices and i the impact, no amount gains more than
// (sqrt(r)-1)^2/i, at (sqrt(r)-1)/i. Anybody can make thousands of pools that hold dust,
// and to evaluate each would spend the budget of a search.
func (w *sweep) paysAlone(l *graph.LinkBound, value, becomes float64) bool {
	rise, impact := math.Sqrt(becomes/w.need)-1, float64(l.Impact)
	if rise > impact*graph.MaxImpactValue { // bounds tell nothing about that much
		return true
	}
	return rise*rise*w.need*(1+slack) >= impact*value*(leastGas*w.gasValue+w.stepsPrice(1)+w.least)
}

// extendToOthers is extend to tokens that are no hubs.
func (w *sweep) extendToOthers(k, t int, labels *labelSet, must float64) {
	links, hubs, start := w.Graph.Bounds(t, math.MaxInt)
	left, o, value := w.reach-k-1, w.bounds, labels[0].amount*w.Graph.Ref[t]
	size, seen, most := min(value, graph.MaxImpactValue), 0, maxOthers
	if value > graph.MaxImpactValue {
		most = len(links)
	}
	w.Budget.Used += min(len(links)-hubs, most) / linksPerEvaluation
	for i := hubs; i < len(links) && seen < most; i++ {
		l := &links[i]
		rises, need := float64(l.Ratio)*value*o.max[left-1], must*(1+float64(l.Impact)*size)
		if rises < must {
			break
		}
		if to := int(l.To); w.endOf[to] == 0 && !w.shut(to) && !(w.InLine && w.Excluded[w.Graph.Links[start+i].Source]) {
			if seen++; rises < need {
				continue
			}
			a := &w.Graph.Links[start+i]
			if bound := w.ofToken(to, left); bound > 0 && a.Ratio*value*bound >= need {
				w.try(k, t, labels, a)
			}
		}
	}
}

// try leads labels through a link: to an end the best that may, elsewhere also those that
// are there for the paths that the best would cross.
func (w *sweep) try(k, t int, labels *labelSet, a *graph.Link) {
	if w.Excluded[a.Source] || len(w.avoid.Directions)+len(w.avoid.Pools) > 0 && w.avoid.has(a) {
		return
	}
	end := int(w.endOf[a.To]) - 1
	var used *flow.Edge
	if w.net != nil {
		used = w.net.EdgeOf(a.Pool)
	}
	if used != nil && (end < 0 || used.Direction == DirectionOf(a)) {
		return
	}
	over := false // the pool: a lesser label may fit, but not one that lost too much
	for slot := range labels {
		l := &labels[slot]
		switch {
		case !(l.amount > 0):
		case end == int(l.origin) && w.net != nil:
			w.cycle(l, a)
		case !w.fits(k, t, slot, a):
		case w.net == nil && l.amount > a.Supply.Max:
			w.signs.TooLarge, over = true, true
		case over && l.amount*w.Graph.Ref[t] < capacityShare*w.layers[0].labels[0][0].amount*w.Graph.Ref[w.In]:
		case end < 0:
			w.pass(k, t, slot, l, a)
			if k != 2 {
				return
			}
		case w.net == nil || used == nil && !w.net.Leads(end, int(l.origin)):
			if c, ok := w.arrive(k, t, slot, l, a, end, k > 0); ok {
				w.columns = append(w.columns, c)
			}
			return
		default:
			if c, ok := w.arrive(k, t, slot, l, a, end, true); ok {
				w.bar(&c)
			}
		}
	}
}

// bar notes the best path that the network bars.
func (w *sweep) bar(c *Column) {
	if w.barred != nil && c.gain > w.barred.Gain && c.gain > LeastBarred(w.net) {
		w.barred.Gain, w.barred.Path, w.signs.Tangled = c.gain, w.trace(c), true
	}
}

// cycle notes the token where a label's path began if a link back to it gains.
func (w *sweep) cycle(l *label, a *graph.Link) {
	from := &w.net.Nodes[l.origin]
	if l.amount*a.Spot*from.Price < w.chunk+(l.gas+leastGas)*w.GasPrice || slices.Contains(w.cycles, from.Token) {
		return
	}
	if y, gas, ok := w.pay(a, l.amount); ok && y*from.Price > w.chunk+(l.gas+gas)*w.GasPrice {
		w.cycles, w.signs.Tangled = append(w.cycles, from.Token), true
	}
}

// pass leads a label through a link to a token that is no end.
func (w *sweep) pass(k, t, slot int, from *label, a *graph.Link) {
	to := int(a.To)
	gasCost := w.gasValue / w.Graph.Ref[to]
	next := label{amount: from.amount * a.Spot * (1 + spotSlack), gas: from.gas + leastGas, link: a, origin: from.origin, from: int32(t), before: from.from, slot: int8(slot)}
	if i := w.layers[k+1].slot[to]; i > 0 && !w.layers[k+1].labels[i-1].wants(&next, k+1, gasCost) {
		return
	}
	y, gas, ok := w.pay(a, from.amount)
	if !ok {
		return
	}
	next.amount, next.gas = y, from.gas+gas
	need, bound := w.must(next.gas, 1)+w.stepsPrice(k+2), 0.
	if rank := w.Graph.Core.Rank[to]; rank >= 0 {
		bound = w.ofHub(rank, w.reach-k-1, need/(y*w.Graph.Ref[to]))
	} else {
		bound = w.ofToken(to, w.reach-k-1)
	}
	value := w.Graph.Ref[to] * bound
	if !(y*value >= need) {
		return
	}
	if w.exact && (!w.quote(&next, from) || !(next.amount*value >= w.must(next.gas, 1))) {
		return
	}
	w.signs.OutOfLine = w.signs.OutOfLine || w.outOfLine(a)
	w.layers[k+1].at(to).offer(&next, k+1, gasCost)
}

// pay is what a link brings in whole units.
func (w *sweep) pay(a *graph.Link, x float64) (y, gas float64, ok bool) {
	w.Budget.Used++
	y, gas = a.Pay(x)
	if y < 0 {
		w.signs.TooLarge = true
	} else if y < 1 {
		w.signs.TooSmall = true
	}
	if w.exact {
		return y + y*SupplyError + 1, leastGas, y >= 0
	}
	return math.Floor(y), gas, y >= 1
}

// quote has a label paid by the pool itself.
func (w *sweep) quote(next, from *label) bool {
	w.Budget.Used += quoteEvaluations
	q, err := w.Pools[next.link.Pool].Quote(int(next.link.In), int(next.link.Out), u256.FromFloat(from.amount))
	next.amount, next.gas = q.Out.Float(), from.gas+float64(q.Gas)
	return err == nil
}

// arrive is a path that ends at an end, for a chunk or, of one link, for as much as pays;
// false if it gains nothing.
func (w *sweep) arrive(k, t, slot int, from *label, a *graph.Link, end int, chunk bool) (c Column, ok bool) {
	c = Column{link: a, token: int32(t), hops: k + 1, slot: int8(slot)}
	v, u := 0., 1. // prices where it begins and ends
	if w.net != nil {
		v, u = w.net.Nodes[from.origin].Price, w.net.Nodes[end].Price
	}
	switch {
	case w.net == nil || chunk:
		if w.net != nil && from.amount*a.Spot*u < w.chunk+(from.gas+leastGas)*w.GasPrice {
			return c, false
		}
		y, gas, ok := w.pay(a, from.amount)
		if !ok {
			return c, false
		}
		if w.exact {
			last := label{amount: y, gas: from.gas + gas, link: a}
			if last.amount*w.Graph.Ref[w.Out] < w.must(last.gas, 0) || !w.quote(&last, from) {
				return c, false
			}
			y, gas = last.amount, last.gas-from.gas
		}
		c.out, c.gas = y, from.gas+gas
		c.gain = y*u - w.chunk - c.gas*w.GasPrice - float64(k+1)*w.stepPrice
	case a.Spot*u > v:
		w.Budget.Used++
		x, y, _, gas := a.Supply.Until(v / u)
		c.gain = y*u - x*v - gas*w.GasPrice - w.stepPrice
	}
	if w.net == nil {
		w.need = max(w.need, c.gain*w.Graph.Ref[w.Out])
		return c, true
	}
	if ok = c.gain > w.chunk*leastGain; ok {
		w.signs.OutOfLine = w.signs.OutOfLine || w.outOfLine(a)
	}
	return c, ok
}
