package router

// A net leads one way between any two of its tokens, and through a pool one
// way only: what came first bars what would lead the other way. Where the
// barred path would gain, what bars it may have to leave.

const (
	// worthwhile is the part of the order that a barred path has to gain.
	worthwhile = 1e-4
	// clearGain is how many times as much that has to be as what bars it earns.
	clearGain = 5
	// hope is how many times the gain of a chunk all that joins may gain.
	hope     = 4
	maxTurns = 2
)

// bar notes the best path that the net bars, since it was last changed.
func (f *finder) bar(c *column) {
	if c.gain > f.barred.gain && c.gain > f.net.worthwhile() {
		f.barred.gain, f.barred.path, f.tangled = c.gain, f.trace(c), true
	}
}

// displace takes out what bars the best barred path, lets others join anew,
// and goes back if that pays less.
func (f *finder) displace() {
	n := &f.net
	open := len(f.closed)
	f.anew = true
	defer func() { f.closed, f.anew = f.closed[:open], false }()
	for range maxTurns {
		gain, path := f.barred.gain, f.barred.path
		if !(gain > n.worthwhile()) || gain < clearGain*n.lost(path) || n.spent() {
			return
		}
		f.barred.gain = 0
		before := n.nodes[sink].held - n.gas()
		n.compact()
		n.keep(&f.aside)
		chunk, ok := f.turnRound(path)
		if !ok || n.nodes[sink].held-n.gas()+gain*hope < before {
			n.revert(&f.aside)
			return
		}
		f.grow(chunk, maxLegs(f.maxSteps))
		n.choose()
		if n.prune(f.maxSteps) < before || n.live() > f.maxSteps {
			n.revert(&f.aside)
			return
		}
	}
}

// turnRound puts a path in the place of what bars it, and gives the chunk for
// which others are to join.
func (f *finder) turnRound(path []hop) (chunk float64, ok bool) {
	n := &f.net
	places := n.places
	f.cut(path)
	n.trim()
	if n.live() == 0 {
		ok = f.restart()
		n.places = places
		return wholeChunk, ok
	}
	n.compact()
	chunk = wholeChunk
	if n.nodeOf[path[0].from] > 0 && n.nodeOf[path[len(path)-1].To] > 0 && n.add(path, f.pools) {
		n.order()
		chunk = firstChunk
	}
	n.solve(rough)
	return chunk, true
}

func (n *net) worthwhile() float64 { return worthwhile * n.amount * n.nodes[source].v }

// bars says whether a leg bars a path: it uses one of its pools, or leads from
// its end to its beginning.
func (n *net) bars(l *leg, path []hop) bool {
	for i := range path {
		if path[i].Pool == l.arc.Pool {
			return true
		}
	}
	first, last := int(n.nodeOf[path[0].from])-1, int(n.nodeOf[path[len(path)-1].To])-1
	return first >= 0 && last >= 0 && (l.from == last || n.leads(last, l.from)) && (l.to == first || n.leads(l.to, first))
}

// lost is about what the legs that bar a path earn.
func (n *net) lost(path []hop) (sum float64) {
	for i := range n.legs {
		if l := &n.legs[i]; !l.off && n.bars(l, path) {
			sum += l.profit
		}
	}
	return sum
}

// cut takes out and closes what bars a path.
func (f *finder) cut(path []hop) {
	for i := range f.net.legs {
		if l := &f.net.legs[i]; f.net.bars(l, path) {
			l.off = true
			f.closed = append(f.closed, l.arc)
		}
	}
}

// restart begins the net anew without what is closed.
func (f *finder) restart() bool {
	n := &f.net
	amount := n.amount
	n.forget()
	n.reset(f)
	path, ok := f.alone(amount)
	if ok {
		n.add(path, f.pools)
		n.order()
		n.solve(rough)
	}
	return ok
}
