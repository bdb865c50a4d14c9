package market

import (
	"cmp"
	"math"
	"slices"
)

const (
	// worse is the part by which the price falls over a pool's executable depth.
	worse = 0.02
	// maxSpread is the part that a round trip through a pool may cost for its middle to be
	// a price. Whether a fee or the gap of an order book makes it dear is the same:
	// nobody corrects a pool whose price is off by less than that. A fee of 1.5 % passes.
	maxSpread = 0.03
	// band is the ratio between the highest and the lowest of prices that agree.
	band     = 1.05
	halfBand = 1.0246950765959598 // square root of band: as far from the middle
	// inLine is the ratio up to which the price of a pool may differ from those of its
	// tokens. One that is further off is dearer to leave alone than any fee that votes.
	inLine = 1.03
	// mostDepth is more than any balance, in raw units: the sum of all depths is finite.
	mostDepth = 1e78
)

// vote is what one direction of a pool says about the price of the token that comes in.
// It is true of the pool alone.
type vote struct {
	to      int32
	weak    bool    // one direction is shut, or a round trip costs more than maxSpread
	mid     float64 // price free of the fee, in raw units of the other token; 0 if there is none
	depth   float64 // executable depth in raw units of the token that comes in
	reserve float64 // Pool.Depth of that token; 0 in all but one of its votes
}

// setVotes notes what both directions between two tokens of a pool say. The executable
// depth is the least that the pool takes of a token, or pays of it, until the price is
// worse: a pool that takes very much of a token at a made-up price has no weight beyond
// what it can pay.
func (g *Graph) setVotes(no, back int32) {
	p, l, b := g.pools[g.directions[no].Pool], &g.directions[no], &g.directions[back]
	there, here := vote{to: l.To}, vote{to: b.To}
	x, y := executable(l)
	v, w := executable(b)
	spotThere, spotBack := p.Spot(int(l.In), int(l.Out)), p.Spot(int(l.Out), int(l.In))
	switch {
	case x > 0 && v > 0:
		there.depth, here.depth = min(x, w), min(v, y)
		there.weak = !(spotThere*spotBack >= 1-maxSpread)
	case x > 0:
		there.depth, here.depth, there.weak = x, y, true
	case v > 0:
		there.depth, here.depth, there.weak = w, v, true
	}
	if there.depth > 0 && here.depth > 0 {
		there.mid, here.mid, here.weak = middle(spotThere, spotBack), middle(spotBack, spotThere), there.weak
	}
	if l.Out == 0 || l.In == 0 && l.Out == 1 { // one vote for each token of a pool
		there.reserve = p.Depth(int(l.In))
	}
	if b.Out == 0 || b.In == 0 && b.Out == 1 {
		here.reserve = p.Depth(int(b.In))
	}
	g.votes[no], g.votes[back] = there, here
}

// middle is the price between both directions. Both spots are net of the same fee, their
// ratio is free of it. Of a pool that pays one way only it is the price that it pays.
func middle(there, back float64) float64 {
	switch {
	case there > 0 && back > 0:
		return math.Sqrt(there / back)
	case there > 0:
		return there
	case back > 0:
		return 1 / back
	}
	return 0
}

// executable is what a direction takes and pays until the price is worse.
func executable(d *Direction) (x, y float64) {
	s := d.Supply
	if s == nil {
		return 0, 0
	}
	x, y, _, _ = s.Until(s.Spot() * (1 - worse))
	return min(x, mostDepth), min(y, mostDepth)
}

// votesOf are the votes on the price of a token, in the order of their pools.
func (g *Graph) votesOf(token int) []vote { return g.votes[g.row[token]:g.row[token+1]] }

// ballot is a vote on the price of a token. Weights are raw units of that very token: a
// pool that asks for it at a made-up price has as much weight as it holds of it in fact.
type ballot struct{ votes []ballotVote }

type ballotVote struct {
	usd, weight float64
	from        int32   // the token by whose price this is one
	sum         float64 // of all weights up to this one
}

func (v *ballotVote) compare(w *ballotVote) int {
	if v.usd != w.usd {
		return cmp.Compare(v.usd, w.usd)
	}
	return cmp.Or(cmp.Compare(v.weight, w.weight), cmp.Compare(v.from, w.from))
}

func (b *ballot) clear() { b.votes = b.votes[:0] }

func (b *ballot) add(v ballotVote) {
	if v.weight > 0 {
		b.votes = append(b.votes, v)
	}
}

// count is the price by weighted median, the deepest vote for about that price, and
// whether a band of prices that agree has half of the weight. Votes out of a band around
// the median do not count: the median of the rest is the price.
func (b *ballot) count() (usd float64, deepest ballotVote, agreed bool) {
	switch votes := b.votes; len(votes) {
	case 0:
		return 0, ballotVote{from: -1}, false
	case 1:
		return votes[0].usd, votes[0], true
	}
	votes := b.votes
	sortVotes(votes)
	sum := 0.0
	for i := range votes {
		sum += votes[i].weight
		votes[i].sum = sum
	}
	usd, agreed = median(votes), concentrated(votes)
	lo, hi := 0, len(votes)
	for votes[lo].usd*halfBand < usd {
		lo++
	}
	for votes[hi-1].usd > usd*halfBand {
		hi--
	}
	votes = votes[lo:hi]
	deepest = votes[0]
	for i := range votes {
		if votes[i].weight > deepest.weight {
			deepest = votes[i]
		}
	}
	return median(votes), deepest, agreed
}

// few is the number of votes up to which insertion sorts faster.
const few = 12

// sortVotes sorts by price; votes for one price in an order that does not depend on
// that of the pools.
func sortVotes(votes []ballotVote) {
	if len(votes) > few {
		slices.SortFunc(votes, func(x, y ballotVote) int { return x.compare(&y) })
		return
	}
	for i := 1; i < len(votes); i++ {
		for k := i; k > 0 && votes[k].compare(&votes[k-1]) < 0; k-- {
			votes[k], votes[k-1] = votes[k-1], votes[k]
		}
	}
}

// median is the least price up to which half of the weight lies.
func median(votes []ballotVote) float64 {
	before, i := votes[0].sum-votes[0].weight, 0
	half := before + (votes[len(votes)-1].sum-before)/2
	for votes[i].sum < half {
		i++
	}
	return votes[i].usd
}

// concentrated says whether some band has half of the weight.
func concentrated(votes []ballotVote) bool {
	half, lo := votes[len(votes)-1].sum/2, 0
	for hi := range votes {
		for votes[lo].usd*band < votes[hi].usd {
			lo++
		}
		if votes[hi].sum-votes[lo].sum+votes[lo].weight >= half {
			return true
		}
	}
	return false
}
