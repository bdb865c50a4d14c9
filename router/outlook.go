package router

import (
	"math"
	"slices"

	"braid/market"
)

// outlook says for each token how much a unit of worth there can become at the
// end of a path, with a given number of arcs to go. No path pays more: lifts
// are those of the first unit, or of an amount that the path surely carries.
// Ill connected tokens beside a token with very many arcs may be missing: see
// exit.
type outlook struct {
	best         [][maxHops]float32 // by token and arcs to go; of an end always what it pays
	seen         []int32
	most         [maxHops]float64 // over all tokens
	ends         []end
	next         []end     // of the outlook to be made
	rules                  // by which it was made
	before, last []float32 // scratch of further, by rank
	entries      []entry   // arcs to ill connected ends
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
const looks = 64

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
		o.end(e)
	}
	for _, e := range o.ends {
		if e.pays > 0 {
			f.approach(e)
		}
	}
	for k := 2; k < o.reach; k++ {
		for _, t := range o.seen[len(o.ends):] {
			o.best[t][k] = o.best[t][k-1]
		}
		seen := len(o.seen)
		f.further(k)
		f.roundabout(k, o.seen[len(o.ends):seen])
	}
	o.seen = append(o.seen, f.g.Core.Tokens...)
	if o.least > 0 {
		o.end(end{f.out, 1})
	}
	o.most = [maxHops]float64{}
	for _, t := range o.seen {
		for k := range o.reach {
			o.most[k] = max(o.most[k], float64(o.best[t][k]))
		}
	}
}

// end notes what is paid at an end, whatever the arcs to go.
func (o *outlook) end(e end) {
	o.seen = append(o.seen, int32(e.token))
	for k := range o.best[e.token] {
		o.best[e.token][k] = e.pays
	}
}

// approach offers what is paid at an end to the tokens before it.
func (f *finder) approach(e end) {
	// If it is ill connected no fan may show the arcs that lead there.
	if o := f.outlook; !f.g.Connected(e.token) {
		f.g.Into(e.token, func(from int, a *market.Arc) { o.entries = append(o.entries, entry{from, a}) })
	}
	if e.token == f.out && f.outlook.least > 0 {
		f.enter(e)
		return
	}
	ways, _, _ := f.g.Ways(e.token, wide)
	f.spreadBack(ways, 1, e.pays)
}

// further gives well connected tokens one arc more to go, to such tokens, or
// two by way of another.
func (f *finder) further(k int) {
	o, core := f.outlook, f.g.Core
	before, last := o.before[:0], o.last[:0]
	for _, t := range core.Tokens {
		before, last = append(before, o.best[t][k-2]), append(last, o.best[t][k-1])
	}
	o.before, o.last = before, last
	for rank, t := range core.Tokens {
		if f.net.nodeOf[t] == 0 && !f.shut(int(t)) {
			o.best[t][k] = max(last[rank], brightest(core.Arcs.From(rank), last, o.bulk), brightest(core.Detours.From(rank), before, o.bulk))
		}
	}
	f.net.effort += (core.Arcs.Len() + core.Detours.Len()) / looks
}

// roundabout does so where either token is ill connected; some were seen.
func (f *finder) roundabout(k int, seen []int32) {
	best := f.outlook.best
	for _, t := range seen {
		if best[t][k-1] > best[t][k-2] && !f.g.Connected(int(t)) {
			ways, _, _ := f.g.Ways(int(t), wide)
			f.spreadBack(ways, k, best[t][k-1])
		}
	}
	for _, t := range f.g.Core.Tokens {
		if best[t][k-1] > best[t][k-2] && f.net.nodeOf[t] == 0 {
			ways, fan, _ := f.g.Ways(int(t), wide)
			f.spreadBack(ways[fan:], k, best[t][k-1])
		}
	}
}

// brightest is the best that rays lead to. Bits of floats that are not
// negative are in their order, and the greater is chosen without a branch.
func brightest(rays []market.Ray, pays []float32, bulk bool) float32 {
	best := uint32(0)
	if bulk {
		for i := range rays {
			if b := math.Float32bits(rays[i].Bulk * pays[rays[i].To]); b > best {
				best = b
			}
		}
	} else {
		for i := range rays {
			if b := math.Float32bits(rays[i].Lift * pays[rays[i].To]); b > best {
				best = b
			}
		}
	}
	return math.Float32frombits(best)
}

// spreadBack offers what a token can become to those before it.
func (f *finder) spreadBack(ways []market.Way, k int, pays float32) {
	f.net.effort += len(ways) / looks
	for i := range ways {
		lift := ways[i].Back
		if f.outlook.bulk {
			lift = ways[i].BackBulk
		}
		f.improve(int(ways[i].To), k, pays*lift)
	}
}

// enter is spreadBack from the last token, for paths that carry at least so
// much. Its arcs then count for that alone.
func (f *finder) enter(e end) {
	o, least := f.outlook, f.outlook.least
	f.g.Into(f.out, func(from int, a *market.Arc) {
		if y, _ := a.Pay(least / f.g.Worth[from]); y > 0 && !f.banned[a.Source] {
			f.improve(from, 1, e.pays*float32(y*f.g.Worth[f.out]/least))
		}
	})
	o.best[f.out] = [maxHops]float32{}
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
