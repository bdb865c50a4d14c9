package bound

import (
	"cmp"
	"math"
	"slices"

	"braid/router/graph"
)

// look gives all tokens prices by those of the nodes.
func (b *certificate) look() {
	b.close()
	b.review()
	if b.left > negligible*b.sum {
		b.relax()
		b.review()
	}
}

// review sums up at the prices, and keeps the best.
func (b *certificate) review() {
	b.appraise()
	if b.sum < b.best || b.kept == nil {
		b.best, b.kept = min(b.sum, b.best), append(b.kept[:0], b.price...)
	}
}

// close gives each token outside the network the most that it sells for, over any number
// of links, at the prices of the nodes. Then only links out of nodes can leave anything,
// unless there is arbitrage: prices that rise for ever are cut off by a count.
func (b *certificate) close() {
	clear(b.price)
	b.queue = b.queue[:0]
	for i := range b.net.Nodes {
		o := &b.net.Nodes[i]
		b.price[o.Token] = o.Price
		b.queue = append(b.queue, int32(o.Token))
	}
	for i := 0; i < len(b.queue) && i < queueRounds*len(b.price); i++ {
		u := int(b.queue[i])
		b.queued[u] = false
		brief, _, _ := b.Graph.Bounds(u, math.MaxInt)
		b.effort += len(brief)
		unit := b.price[u] / b.Graph.Ref[u] * (1 + slack)
		for k := range brief {
			l := &brief[k]
			t := int(l.To)
			v := float64(l.Back) * unit * b.Graph.Ref[t]
			if v <= b.price[t]*(1+8*slack) || b.net.NodeOf(t) >= 0 || !b.Usable(t) {
				continue
			}
			b.price[t] = v
			if !b.queued[t] {
				b.queued[t] = true
				b.queue = append(b.queue, int32(t))
			}
		}
	}
	clear(b.queued)
	for t, v := range b.price {
		if v == 0 {
			b.price[t] = b.bid(t)
		}
	}
}

// relax moves the prices of tokens outside the network whose links leave anything to
// where they leave least, one by one, as long as that helps. What a token sells for is
// too much if only little of it does.
func (b *certificate) relax() {
	for i, before := 0, math.Inf(1); i < relaxations && b.left < before*relaxed; i++ {
		before, b.left = b.left, 0
		for _, t := range b.hot {
			if len(b.Graph.All(t)) <= graph.MaxBack {
				b.left += b.balance(t)
			}
		}
	}
}

// balance gives a token the price at which as much of it is sold as bought,
// and says what its links leave then.
func (b *certificate) balance(t int) (left float64) {
	b.effort += halvings * len(b.Graph.All(t))
	for lo, hi, i := b.ask(t), b.bid(t), 0; i < halvings && lo < hi; i++ {
		b.price[t] = math.Sqrt(lo * hi)
		surplus := 0.0
		left = 0
		b.trades(t, func(x, y, profit float64) {
			surplus += y - x
			left += profit
		})
		if surplus > 0 {
			hi = b.price[t]
		} else {
			lo = b.price[t]
		}
	}
	return left
}

// trades shows what is sold of a token at the prices, what is bought of it,
// and what that leaves.
func (b *certificate) trades(t int, show func(sold, bought, profit float64)) {
	v := b.price[t]
	b.Graph.Into(t, func(from int, a *graph.Link) {
		if u := b.price[from]; a.Spot*v > u && b.open(a) && !b.unused(from) {
			x, y, _, _ := a.Supply.Until(u / v)
			show(0, y, y*v-x*u)
		}
	})
	links := b.Graph.All(t)
	for i := range links {
		a := &links[i]
		if u := b.price[a.To]; a.Spot*u > v && b.open(a) {
			x, y, _, _ := a.Supply.Until(v / u)
			show(x, 0, y*u-x*v)
		}
	}
}

// bid is what the neighbours give for a token, ask what they take.
func (b *certificate) bid(t int) (bid float64) {
	links := b.Graph.All(t)
	for i := range links {
		if a := &links[i]; b.open(a) {
			bid = max(bid, a.Spot*b.price[a.To])
		}
	}
	return bid
}

func (b *certificate) ask(t int) float64 {
	ask := math.Inf(1)
	b.Graph.Into(t, func(from int, a *graph.Link) {
		if b.open(a) && !b.unused(from) {
			ask = min(ask, b.price[from]/a.Spot)
		}
	})
	return ask
}

// appraise sums up what all links leave at the prices, and notes which tokens
// outside the network are at the ends of those that leave more than the step price.
func (b *certificate) appraise() {
	n := b.net
	clear(b.profit)
	b.hot, b.left = b.hot[:0], 0
	b.sum = n.Evaluate()
	b.effort += len(b.Graph.Links)
	for t, v := range b.price {
		if b.unused(t) {
			continue
		}
		node, links := n.NodeOf(t) >= 0, b.Graph.All(t)
		for i := range links {
			a := &links[i]
			u := b.price[a.To]
			if a.Spot*u <= v || node && n.NodeOf(int(a.To)) >= 0 || !b.open(a) {
				continue
			}
			x, y, _, _ := a.Supply.Until(v / u)
			if most := b.most(t); x > most {
				x = most
				y, _, _ = a.Supply.Pay(x)
			}
			if profit := y*u - x*v - b.linkPrice(a, t); profit > 0 {
				b.sum += profit
				b.note(t, int(a.To), profit)
			}
		}
	}
}

// note adds to the profit of the ends that are outside the network.
func (b *certificate) note(from, to int, profit float64) {
	for _, t := range [2]int{from, to} {
		if b.net.NodeOf(t) >= 0 {
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
// prices so far. It is false when nothing is left that matters.
func (b *certificate) widen() bool {
	value := b.net.Value()
	joining := slices.DeleteFunc(b.hot, func(t int) bool { return b.profit[t] <= negligible*value/8 })
	slices.SortStableFunc(joining, func(x, y int) int { return cmp.Compare(b.profit[y], b.profit[x]) })
	room := min(len(joining), joinAtOnce, maxTokens-len(b.net.Nodes))
	if b.left < negligible*value || room <= 0 {
		return false
	}
	for _, t := range joining[:room] {
		i := b.net.AddNode(t)
		if b.caps != nil {
			b.net.Nodes[i].Cap = b.caps[t]
		}
	}
	b.back()
	b.joinLinks()
	return true
}

// open says whether a plan may use a link out of a token that it may use.
func (b *certificate) open(a *graph.Link) bool { return !b.Excluded[a.Source] && !b.unused(int(a.To)) }

// unused says whether no plan may use a token.
func (b *certificate) unused(t int) bool { return !b.Usable(t) }
