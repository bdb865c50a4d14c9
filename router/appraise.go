package router

import (
	"cmp"
	"math"
	"slices"

	"braid/market"
)

// look gives all tokens values by those of the nodes.
func (b *appraisal) look() {
	b.close()
	b.review()
	if b.left > negligible*b.sum {
		b.relax()
		b.review()
	}
}

// review sums up at the values, and keeps the best.
func (b *appraisal) review() {
	b.appraise()
	if b.sum < b.best || b.kept == nil {
		b.best, b.kept = min(b.sum, b.best), append(b.kept[:0], b.value...)
	}
}

// close gives each token outside the net the most that it sells for, over any
// number of arcs, at the values of the nodes. Then only arcs out of nodes can
// leave anything, unless there is arbitrage: values that rise for ever are cut
// off by a count.
func (b *appraisal) close() {
	clear(b.value)
	b.queue = b.queue[:0]
	for i := range b.net.nodes {
		n := &b.net.nodes[i]
		b.value[n.token] = n.v
		b.queue = append(b.queue, int32(n.token))
	}
	for i := 0; i < len(b.queue) && i < 4*len(b.value); i++ {
		u := int(b.queue[i])
		b.queued[u] = false
		ways, _, _ := b.g.Ways(u, math.MaxInt)
		b.effort += len(ways)
		unit := b.value[u] / b.g.Worth[u] * (1 + slack)
		for k := range ways {
			way := &ways[k]
			t := int(way.To)
			v := float64(way.Back) * unit * b.g.Worth[t]
			if v <= b.value[t]*(1+8*slack) || b.net.nodeOf[t] > 0 || b.shut(t) {
				continue
			}
			b.value[t] = v
			if !b.queued[t] {
				b.queued[t] = true
				b.queue = append(b.queue, int32(t))
			}
		}
	}
	clear(b.queued)
	for t, v := range b.value {
		if v == 0 {
			b.value[t] = b.bid(t)
		}
	}
}

// relax moves the values of tokens outside the net whose arcs leave anything
// to where they leave least, one by one, as long as that helps. What a token
// sells for is too much if only little of it does.
func (b *appraisal) relax() {
	for i, before := 0, math.Inf(1); i < relaxations && b.left < before*3/4; i++ {
		before, b.left = b.left, 0
		for _, t := range b.hot {
			if len(b.g.All(t)) <= market.Wide {
				b.left += b.balance(t)
			}
		}
	}
}

// balance gives a token the value at which as much of it is sold as bought,
// and says what its arcs leave then.
func (b *appraisal) balance(t int) (left float64) {
	b.effort += halvings * len(b.g.All(t))
	for lo, hi, i := b.ask(t), b.bid(t), 0; i < halvings && lo < hi; i++ {
		b.value[t] = math.Sqrt(lo * hi)
		surplus := 0.0
		left = 0
		b.trades(t, func(x, y, profit float64) {
			surplus += y - x
			left += profit
		})
		if surplus > 0 {
			hi = b.value[t]
		} else {
			lo = b.value[t]
		}
	}
	return left
}

// trades shows what is sold of a token at the values, what is bought of it,
// and what that leaves.
func (b *appraisal) trades(t int, show func(sold, bought, profit float64)) {
	v := b.value[t]
	b.g.Into(t, func(from int, a *market.Arc) {
		if u := b.value[from]; a.Spot*v > u && b.open(a) && !b.unused(from) {
			x, y, _, _ := a.Supply.Until(u / v)
			show(0, y, y*v-x*u)
		}
	})
	arcs := b.g.All(t)
	for i := range arcs {
		a := &arcs[i]
		if u := b.value[a.To]; a.Spot*u > v && b.open(a) {
			x, y, _, _ := a.Supply.Until(v / u)
			show(x, 0, y*u-x*v)
		}
	}
}

// bid is what the neighbours give for a token, ask what they take.
func (b *appraisal) bid(t int) (bid float64) {
	arcs := b.g.All(t)
	for i := range arcs {
		if a := &arcs[i]; b.open(a) {
			bid = max(bid, a.Spot*b.value[a.To])
		}
	}
	return bid
}

func (b *appraisal) ask(t int) float64 {
	ask := math.Inf(1)
	b.g.Into(t, func(from int, a *market.Arc) {
		if b.open(a) && !b.unused(from) {
			ask = min(ask, b.value[from]/a.Spot)
		}
	})
	return ask
}

// appraise sums up what all arcs leave at the values, and notes which tokens
// outside the net are at the ends of those that leave more than the toll.
func (b *appraisal) appraise() {
	n := &b.net
	clear(b.profit)
	b.hot, b.left = b.hot[:0], 0
	n.newton.grow(len(n.nodes))
	b.sum = n.evaluate()
	b.effort += len(b.g.Arcs)
	for t, v := range b.value {
		if b.unused(t) {
			continue
		}
		node, arcs := n.nodeOf[t] > 0, b.g.All(t)
		for i := range arcs {
			a := &arcs[i]
			u := b.value[a.To]
			if a.Spot*u <= v || node && n.nodeOf[a.To] > 0 || !b.open(a) {
				continue
			}
			x, y, _, _ := a.Supply.Until(v / u)
			if most := b.most(t); x > most {
				x = most
				y, _, _ = a.Supply.Pay(x)
			}
			if profit := y*u - x*v - b.fare(a, t); profit > 0 {
				b.sum += profit
				b.note(t, int(a.To), profit)
			}
		}
	}
}

// note adds to the profit of the ends that are outside the net.
func (b *appraisal) note(from, to int, profit float64) {
	for _, t := range [2]int{from, to} {
		if b.net.nodeOf[t] > 0 {
			continue
		}
		if b.profit[t] == 0 {
			b.hot = append(b.hot, t)
		}
		b.profit[t] += profit
		b.left += profit
	}
}

// widen lets tokens that leave most join the nodes, and goes back to the best
// values so far. It is false when nothing is left that matters.
func (b *appraisal) widen() bool {
	value := b.net.amount * b.net.nodes[source].v
	joining := slices.DeleteFunc(b.hot, func(t int) bool { return b.profit[t] <= negligible*value/8 })
	slices.SortStableFunc(joining, func(x, y int) int { return cmp.Compare(b.profit[y], b.profit[x]) })
	room := min(len(joining), joinAtOnce, maxAppraised-len(b.net.nodes))
	if b.left < negligible*value || room <= 0 {
		return false
	}
	for _, t := range joining[:room] {
		i := b.net.addNode(t)
		if b.caps != nil {
			b.net.nodes[i].most = b.caps[t]
		}
	}
	b.back()
	b.join()
	return true
}

// open says whether a plan may use an arc out of a token that it may use.
func (b *appraisal) open(a *market.Arc) bool { return !b.banned[a.Source] && !b.unused(int(a.To)) }

// unused says whether no plan may use a token.
func (b *appraisal) unused(t int) bool { return b.shut(t) && t != b.in && t != b.out }
