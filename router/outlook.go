package router

import (
	"math"
	"slices"

	"braid/market"
)

// outlook says for each token how much a unit of worth there can become at the
// end of a path, with a given number of arcs to go. No path pays more: lifts
// are those of the first unit, or of a size that the path surely carries. Ill
// connected tokens beside a token with very many arcs may be missing: see exit.
// Of well connected ones the last of several arcs to go is left to hope, as few
// are asked about.
type outlook struct {
	core    [maxHops][]float32 // of well connected tokens, by arcs to go and rank; of an end always what it pays
	best    [][maxHops]float32 // of others, by token
	still   []bool             // by rank: no path leads through it
	seen    []int32            // ill connected tokens of which anything is known
	most    [maxHops]float64   // over all tokens
	ends    []end
	next    []end   // of the outlook to be made
	rules           // by which it was made
	entries []entry // arcs to ill connected ends

	before, last []float32 // by rank: what lies behind two arcs and one, if all are to go
	bound        float32   // of both
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
	size  int     // of market.Sizes, that all arcs see
	least float64 // that the last arcs see; if not 0, those into the last token are taken at what they pay for so much
}

// entry is an arc with the token it leaves.
type entry struct {
	from int
	arc  *market.Arc
}

const (
	// slack is what 32-bit floats may lose on a path.
	slack = 1e-6
	// looks at arcs cost as much as an evaluation of a curve.
	looks = 64
	// surely is by which part more worth may come out of the rest of a path
	// than an arc of it sees.
	surely = 2
	// nearly is the part of what paths carry for which an outlook will do.
	nearly = 0.85
)

// sized is the size, of market.Sizes, that all arcs of a path surely see which
// ends with so much worth.
func sized(worth float64) (size int) {
	for size+1 < len(market.Sizes) && market.Sizes[size+1]*surely <= worth {
		size++
	}
	return size
}

func (o *outlook) forget() {
	for _, t := range o.seen {
		o.best[t] = [maxHops]float32{}
	}
	for _, e := range o.ends {
		o.best[e.token] = [maxHops]float32{}
	}
	clear(o.entries)
	o.seen, o.ends, o.entries = o.seen[:0], o.ends[:0], o.entries[:0]
}

// aim makes a token an end of the outlook to be made.
func (o *outlook) aim(token int, pays float64) { o.next = append(o.next, end{token, float32(pays)}) }

// lookBack follows the arcs back from the ends aimed at, unless the outlook at
// hand will do.
func (f *finder) lookBack(o *outlook, r rules) {
	f.outlook = o
	if !o.serves(r) {
		o.forget()
		o.rules, o.ends = r, append(o.ends, o.next...)
		f.begin()
		f.follow(r.reach)
	} else if o.reach < r.reach {
		f.follow(r.reach)
	}
	o.next = o.next[:0]
}

// serves says whether the outlook is right by such rules, as far as it reaches.
func (o *outlook) serves(r rules) bool {
	return o.size == r.size && o.least <= r.least && o.least >= nearly*r.least && slices.Equal(o.ends, o.next)
}

// begin makes the outlook with one arc to go.
func (f *finder) begin() {
	o, core := f.outlook, f.g.Core
	o.still = grown(o.still, len(core.Tokens))
	clear(o.still)
	for k := range o.core {
		o.core[k] = grown(o.core[k], len(core.Tokens))
	}
	clear(o.core[0])
	clear(o.core[1])
	if f.shutOut != nil {
		for rank, t := range core.Tokens {
			o.still[rank] = f.shutOut[t]
		}
	}
	for _, e := range o.ends {
		if rank := core.Rank[e.token]; rank >= 0 {
			o.still[rank] = true
			o.core[0][rank], o.core[1][rank] = e.pays, e.pays
			continue
		}
		for k := range o.best[e.token] {
			o.best[e.token][k] = e.pays
		}
	}
	for _, e := range o.ends {
		if e.pays > 0 {
			f.approach(e)
		}
	}
	o.reach = 2
}

// hope is the outlook of a well connected token; less if that is not enough.
func (f *finder) hope(rank int32, left int, enough float64) float64 {
	o := f.outlook
	hope := o.core[left][rank]
	if float64(hope) >= enough && hope > 0 || !o.lazy(left) || o.still[rank] || enough > o.most[left] {
		return float64(hope)
	}
	return float64(f.beyond(int(rank), max(hope, float32(enough*(1-slack)))))
}

// lazy says whether well connected tokens are not yet looked at with so many
// arcs to go.
func (o *outlook) lazy(left int) bool { return left > 1 && left == o.reach-1 }

// exit is the outlook from an ill connected token, by its few arcs.
func (f *finder) exit(t, left int) (best float64) {
	o, arcs := f.outlook, f.g.All(t)
	ways, fan, _ := f.g.Ways(t, math.MaxInt)
	for i := range ways[:fan] {
		best = max(best, float64(ways[i].Lift*o.core[left-1][ways[i].Rank]))
	}
	for i := fan; i < len(arcs); i++ {
		best = max(best, arcs[i].Lift*float64(o.best[arcs[i].To][left-1]))
	}
	return best
}
