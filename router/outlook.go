package router

import (
	"math"

	"braid/market"
)

// outlook says for each token how much a unit of worth there can become at the
// end of a path, with a given number of arcs to go. No path pays more: lifts
// are those of the first unit, or of an amount that the path surely carries.
// Tokens whose only way on is a rare one through a token with very many arcs
// may be missing: see exit.
type outlook struct {
	best [][maxHops]float32 // by token and arcs to go; of a node always what it pays
	seen []int32
	most [maxHops]float64 // over all tokens
	bulk bool             // lifts of a handful, not of the first unit
}

// slack is what 32-bit floats may lose on a path.
const slack = 1e-6

// looks at arcs cost as much as an evaluation of a curve.
const looks = 16

// wide is how many arcs a token may have for those from ill connected tokens
// to be followed back.
const wide = 256

func (o *outlook) forget() {
	for _, t := range o.seen {
		o.best[t] = [maxHops]float32{}
	}
	o.seen = o.seen[:0]
}

// aim makes a token one where paths end, at so much per unit of worth.
func (o *outlook) aim(token int, pays float64) {
	o.seen = append(o.seen, int32(token))
	for k := range o.best[token] {
		o.best[token][k] = float32(pays)
	}
}

// lookBack follows the arcs back from where paths end, the targets seen so
// far. Least is what paths carry: if not 0, arcs into the last token are taken
// at what they pay for so much.
func (f *finder) lookBack(reach int, least float64) {
	o := &f.outlook
	targets := len(o.seen)
	for k := 1; k < reach; k++ {
		seen := len(o.seen)
		for _, t := range o.seen[targets:] {
			o.best[t][k] = o.best[t][k-1]
		}
		for i := range seen {
			t := int(o.seen[i])
			switch {
			case k == 1 && i < targets && t == f.out && least > 0:
				f.enter(least)
			case k == 1 && i < targets:
				f.spreadBack(t, k, o.best[t][0])
			case k > 1 && i >= targets && o.best[t][k-1] > o.best[t][k-2]:
				f.spreadBack(t, k, o.best[t][k-1])
			}
		}
	}
	o.most = [maxHops]float64{}
	for _, t := range o.seen {
		for k := range reach {
			o.most[k] = max(o.most[k], float64(o.best[t][k]))
		}
	}
}

// spreadBack offers what a token can become to those before it.
func (f *finder) spreadBack(t, k int, pays float32) {
	ways, _, _ := f.g.Ways(t, wide)
	f.net.effort += len(ways) / looks
	for i := range ways {
		way := &ways[i]
		lift := way.Back
		if f.outlook.bulk {
			lift = way.Bulk
		}
		f.improve(int(way.To), k, pays*lift)
	}
}

// enter is spreadBack from the last token, for paths that carry at least so
// much.
func (f *finder) enter(least float64) {
	pays := f.outlook.best[f.out][0]
	f.g.Into(f.out, func(from int, a *market.Arc) {
		if y, _ := a.Pay(least / f.g.Worth[from]); y > 0 && !f.banned[a.Source] {
			f.improve(from, 1, pays*float32(y*f.g.Worth[f.out]/least))
		}
	})
}

func (f *finder) improve(t, k int, pays float32) {
	p := &f.outlook.best[t][k]
	if pays <= *p || f.net.nodeOf[t] > 0 || f.shut(t) {
		return
	}
	if *p == 0 {
		f.outlook.seen = append(f.outlook.seen, int32(t))
	}
	*p = pays
}

// exit is the outlook from an ill connected token, by its few arcs.
func (f *finder) exit(t, left int) (best float64) {
	arcs := f.g.All(t)
	for i := range arcs {
		best = max(best, arcs[i].Lift*float64(f.outlook.best[arcs[i].To][left-1]))
	}
	return best
}

// top is the most that can come of a unit of worth of the first token.
func (f *finder) top(reach int) float64 {
	best := 0.0
	ways, _, _ := f.g.Ways(f.in, math.MaxInt)
	for i := range ways {
		best = max(best, float64(ways[i].Lift*f.outlook.best[ways[i].To][reach-1]))
	}
	for i := range f.entries {
		if e := &f.entries[i]; e.from == f.in {
			best = max(best, e.arc.Lift*float64(f.outlook.best[f.out][0]))
		}
	}
	return best
}
