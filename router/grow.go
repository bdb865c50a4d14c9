package router

import (
	"math"
	"slices"
)

// The effort is counted, not timed, so a plan is the same on any machine.
const (
	maxRounds  = 24
	firstChunk = 1. / 4
	wholeChunk = 1. / 20
	fullChunk  = 2. // for a place, when there are more legs than places
	farChunk   = 1. / 20
	lastChunk  = 1. / 1000
	refills    = 3
	fewSteps   = 48 // up to which a plan gets more effort for each
)

// grow lets paths join the net. A path joins if it pays more for a chunk of
// the order, net of gas and toll, than the net does at its own prices; chunks
// become smaller when none does. Paths from one token of the net hide those
// from others that come to the same tokens with less. So those from the first
// token are once looked for alone, and tokens from which paths lead back to
// them with a gain, where no plan can follow, are left out of a look.
func (f *finder) grow(chunk float64, maxLegs int) (joined bool) {
	n := &f.net
	if n.toll > 0 {
		chunk = min(chunk, fullChunk/float64(n.places))
	}
	asked := false
	defer func() { f.mute, f.whole = false, false }()
	for round := 0; round < maxRounds && chunk >= lastChunk && len(n.legs) < maxLegs && !n.spent(); round++ {
		value := n.amount * n.nodes[source].v
		f.price(value * chunk)
		added := 0
		for i := range f.columns {
			c := &f.columns[i]
			if c.gain < f.columns[0].gain/64 || c.gain < value*1e-7 {
				break
			}
			if n.add(f.trace(c), f.pools) {
				added++
			}
		}
		if added == 0 && f.far {
			break
		}
		switch little := added == 0 || f.columns[0].gain < value*1e-5; {
		case little && f.circles && !f.mute:
			f.mute, f.whole = true, false
		case little && chunk <= wholeChunk && !asked:
			f.mute, f.whole, asked = false, true, true
		default:
			if f.mute, f.whole = false, false; little {
				chunk /= 5
			}
		}
		if added > 0 {
			joined = true
			if f.columns[0].gain > f.barred.gain {
				f.barred.gain = 0 // at values that no longer hold
			}
			n.settle()
		}
		if n.toll > 0 {
			chunk = min(chunk, fullChunk/float64(n.places))
		}
	}
	return joined
}

// trade grows the net and brings it down to what a plan may have; then lets
// what was left out take the place of what was not.
func (f *finder) trade() {
	n := &f.net
	n.places = f.maxSteps
	f.barred.gain = 0
	f.grow(firstChunk, maxLegs(f.maxSteps))
	f.goFar()
	full := n.live() > n.places || n.plain > 0
	n.choose()
	best := n.prune(f.maxSteps)
	if n.plain > 0 && best < n.plain {
		// The toll misled, or the places are worth that much.
		n.keep(&n.pruned)
		n.revert(&n.start)
		best = f.better(n.prune(f.maxSteps), best)
	}
	if full && !n.spent() && f.maxSteps <= fewSteps && n.spare > 0 && !math.IsInf(n.spare, 1) {
		f.turn(best)
	}
	if full {
		f.refill()
	}
	f.displace()
}

// goFar lets longer paths join, if there is room left for them. Few do, so one
// look has to do where none does.
func (f *finder) goFar() {
	n := &f.net
	if n.plain == 0 && n.live() < n.places && len(n.nodes) > fewNodes {
		f.far = true
		f.grow(farChunk, maxLegs(f.maxSteps))
		f.far = false
	}
}

// better goes back to the pruned net if it paid more.
func (f *finder) better(now, before float64) float64 {
	if now >= before {
		return now
	}
	f.net.revert(&f.net.pruned)
	return before
}

// turn grows a pruned net again, under a toll that is what its least leg is
// worth.
func (f *finder) turn(best float64) {
	n := &f.net
	n.compact()
	n.keep(&n.pruned)
	if !n.stiff {
		n.toll = n.spare
	}
	n.keep(&n.last)
	if f.grow(firstChunk, maxLegs(f.maxSteps)) {
		n.choose()
		f.better(n.prune(f.maxSteps), best)
	}
	n.toll = 0
}

// refill gives places that are free to the best paths that fit into them, also
// when the search is spent: it has but a few looks.
func (f *finder) refill() {
	n := &f.net
	chunk := min(firstChunk, fullChunk/float64(n.places))
	for range refills {
		free := n.places - n.live()
		if free <= 0 {
			break
		}
		n.compact()
		f.price(n.amount * n.nodes[source].v * chunk)
		i := slices.IndexFunc(f.columns, func(c column) bool { return c.hops <= free && n.add(f.trace(&c), f.pools) })
		if i < 0 {
			chunk /= 5
			continue
		}
		n.order()
		n.shed(fine)
	}
}

// maxLegs is how many legs are looked at for a plan of so many steps.
func maxLegs(maxSteps int) int { return 3*maxSteps + 8 }
