package path

import "braid/router/graph"

// layer holds the best bounds to reach each token in a given number of hops.
type layer struct {
	slot   []int32 // by token: index+1 into labels, or 0
	tokens []int32
	labels []labelSet
}

// label is a way to have amount of a token.
type label struct {
	amount float64
	gas    float64
	link   *graph.Link
	origin int32 // the node where the path begins
	from   int32 // the token before, and which of its labels
	before int32 // the token before that
	slot   int8
}

// labelSet are the labels that a token keeps: the best, and those that are best
// where the rest of a path has to avoid the tokens of the best. A path of five
// hops has four tokens in between. Of the tokens behind the second hop it may
// avoid any two, so the three best that differ in the token before are enough;
// behind the third any one, so the best that avoids each of the two tokens of
// the best one is. No best path of five hops is lost, up to rounding and gas.
type labelSet [3]label

func (s *Search) forget() {
	for k := range s.layers {
		l := &s.layers[k]
		for _, t := range l.tokens {
			l.slot[t] = 0
		}
		l.tokens, l.labels = l.tokens[:0], l.labels[:0]
	}
}

func (l *layer) at(token int) *labelSet {
	if i := l.slot[token]; i > 0 {
		return &l.labels[i-1]
	}
	l.tokens = append(l.tokens, int32(token))
	l.labels = append(l.labels, labelSet{})
	l.slot[token] = int32(len(l.labels))
	return &l.labels[len(l.labels)-1]
}

// beats compares amounts of one token net of the gas it took to get them.
func (l *label) beats(other *label, gasCost float64) bool {
	return other.amount == 0 || l.amount-other.amount > (l.gas-other.gas)*gasCost
}

func (l *label) avoids(token int32) bool { return l.from != token && l.before != token }

// wants says whether an offer behind so many hops would be kept.
func (at *labelSet) wants(l *label, hops int, gasCost float64) bool {
	if hops <= 2 {
		return l.beats(at.rival(l.from), gasCost)
	}
	return l.beats(&at[0], gasCost) ||
		l.avoids(at[0].before) && l.beats(&at[1], gasCost) || l.avoids(at[0].from) && l.beats(&at[2], gasCost)
}

// offer keeps a label if it is wanted.
func (at *labelSet) offer(l *label, hops int, gasCost float64) {
	switch {
	case !at.wants(l, hops, gasCost):
	case hops <= 2:
		*at.rival(l.from) = *l
		for i := len(at) - 1; i > 0; i-- {
			if a, b := &at[i-1], &at[i]; b.amount > 0 && b.beats(a, gasCost) {
				*a, *b = *b, *a
			}
		}
	case l.beats(&at[0], gasCost):
		*at = labelSet{*l, at.avoiding(l.before, gasCost), at.avoiding(l.from, gasCost)}
	default:
		if l.avoids(at[0].before) && l.beats(&at[1], gasCost) {
			at[1] = *l
		}
		if l.avoids(at[0].from) && l.beats(&at[2], gasCost) {
			at[2] = *l
		}
	}
}

// rival is the label that an offer from a token must beat to be kept.
func (at *labelSet) rival(from int32) *label {
	for i := range at {
		if at[i].amount > 0 && at[i].from == from {
			return &at[i]
		}
	}
	return &at[len(at)-1]
}

// avoiding is the best label whose path avoids a token.
func (at *labelSet) avoiding(token int32, gasCost float64) (best label) {
	for i := range at {
		if l := &at[i]; l.amount > 0 && l.avoids(token) && l.beats(&best, gasCost) {
			best = *l
		}
	}
	return best
}

// fits says whether a label's path may go on through a link: it meets no
// token and no pool again.
func (s *Search) fits(k, t, slot int, a *graph.Link) bool {
	for ; ; k-- {
		if t == int(a.To) {
			return false
		}
		if k == 0 {
			return true
		}
		l := &s.layers[k].labels[s.layers[k].slot[t]-1][slot]
		if l.link.Pool == a.Pool {
			return false
		}
		t, slot = int(l.from), int(l.slot)
	}
}
