package router

import (
	"math"
	"slices"

	"braid/market"
)

// outlook says for each token how much a unit of worth there can become at the
// end of a path, with a given number of arcs to go. No path pays more: lifts
// are those of the first unit, or of an amount that the path surely carries.
// Tokens whose only way on is a rare one through a token with very many arcs
// may be missing: see exit.
type outlook struct {
	best    [][maxHops]float32 // by token and arcs to go; of an end always what it pays
	seen    []int32
	most    [maxHops]float64 // over all tokens
	ends    []end
	next    []end   // of the outlook to be made
	rules           // by which it was made
	entries []entry // arcs to ill connected ends
}

// end is a token where paths end, at so much per unit of worth; if that is 0,
// none may lead through it either.
type end struct {
	token int
	pays  float32
}

// rules say what an outlook is made for.
type rules struct {
	reach int
	bulk  bool    // lifts of a handful, not of the first unit
	least float64 // what paths carry; if not 0, arcs into the last token are taken at what they pay for so much
}

// entry is an arc with the token it leaves.
type entry struct {
	from int
	arc  *market.Arc
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
	clear(o.entries)
	o.seen, o.ends, o.entries = o.seen[:0], o.ends[:0], o.entries[:0]
}

// aim makes a token an end of the outlook to be made.
func (o *outlook) aim(token int, pays float64) { o.next = append(o.next, end{token, float32(pays)}) }

// lookBack follows the arcs back from the ends aimed at. Chunks of several
// sizes may ask for one outlook in a row: it is made once.
func (f *finder) lookBack(o *outlook, r rules) {
	f.outlook = o
	same := o.rules == r && slices.Equal(o.ends, o.next)
	if !same {
		o.forget()
		o.rules, o.ends = r, append(o.ends, o.next...)
		f.follow()
	}
	o.next = o.next[:0]
}

// follow makes the outlook, one arc after the other.
func (f *finder) follow() {
	o := f.outlook
	for _, e := range o.ends {
		o.seen = append(o.seen, int32(e.token))
		for k := range o.best[e.token] {
			o.best[e.token][k] = e.pays
		}
		// If it is ill connected no fan may show the arcs that lead there.
		if e.pays > 0 && !f.g.Connected(e.token) {
			f.g.Into(e.token, func(from int, a *market.Arc) { o.entries = append(o.entries, entry{from, a}) })
		}
	}
	ends := len(o.seen)
	for k := 1; k < o.reach; k++ {
		seen := len(o.seen)
		for _, t := range o.seen[ends:] {
			o.best[t][k] = o.best[t][k-1]
		}
		for i := range seen {
			t := int(o.seen[i])
			switch {
			case k == 1 && t == f.out && o.least > 0:
				f.enter()
			case k == 1 && o.best[t][0] > 0:
				f.spreadBack(t, k, o.best[t][0])
			case k > 1 && i >= ends && o.best[t][k-1] > o.best[t][k-2]:
				f.spreadBack(t, k, o.best[t][k-1])
			}
		}
	}
	o.most = [maxHops]float64{}
	for _, t := range o.seen {
		for k := range o.reach {
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
func (f *finder) enter() {
	least, pays := f.outlook.least, f.outlook.best[f.out][0]
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
	for i := range f.outlook.entries {
		if e := &f.outlook.entries[i]; e.from == f.in {
			best = max(best, e.arc.Lift*float64(f.outlook.best[f.out][0]))
		}
	}
	return best
}
